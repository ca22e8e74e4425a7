package apply

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	operationApply  = "Apply"
	operationUpdate = "Update"
)

// owner is one entry of managedFields. Who applies has one entry for all versions, who
// writes otherwise one for each.
type owner struct {
	manager, operation, apiVersion, subresource string

	time   string         // as it stands in a document; empty for none
	fields *fieldpath.Set // in terms of apiVersion
	text   map[string]any // the fields as they stand in a document, unless they changed
}

// id tells owners apart. It sorts as the API sorts them in messages.
func (o *owner) id() string {
	dst := []byte{'{'}
	add := func(name, text string) {
		if text == "" {
			return
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, '"'), name...), '"', ':')
		dst = object.AppendJSON(dst, text)
	}
	add("manager", o.manager)
	add("operation", o.operation)
	if o.operation != operationApply {
		add("apiVersion", o.apiVersion)
	}
	add("subresource", o.subresource)
	return string(append(dst, '}'))
}

func (o *owner) applied() bool { return o.operation == operationApply }

// seconds is when the owner last changed something, in Unix time.
func (o *owner) seconds() int64 {
	t, err := time.Parse(time.RFC3339, o.time)
	if err != nil {
		return 0
	}
	return t.Unix()
}

// owners are the owners of an object by their ids.
type owners map[string]*owner

// managedFieldsOf gives managedFields of an object, nil for none and for what is no list.
func managedFieldsOf(o object.Object) []any {
	list, _ := o.Metadata()["managedFields"].([]any)
	return list
}

// decodeOwners reads managedFields.
func decodeOwners(list []any) (owners, error) {
	all := make(owners, len(list))
	for i, v := range list {
		entry, _ := v.(map[string]any)
		o, err := decodeOwner(entry, i)
		if err != nil {
			return nil, err
		}
		all[o.id()] = o
	}
	return all, nil
}

// CheckOwners says what is wrong with the managedFields of an object that others had a hand in.
func CheckOwners(o object.Object) error {
	_, err := decodeOwners(managedFieldsOf(o))
	return err
}

func decodeOwner(entry map[string]any, i int) (*owner, error) {
	text := func(name string) string {
		s, _ := entry[name].(string)
		return s
	}
	o := &owner{
		manager: text("manager"), operation: text("operation"), apiVersion: text("apiVersion"),
		subresource: text("subresource"), time: text("time"),
	}
	fieldsType := text("fieldsType")
	switch {
	case o.operation != operationApply && o.operation != operationUpdate:
		return nil, errors.New("operation must be `Apply` or `Update`")
	case o.apiVersion == "":
		return nil, errors.New("apiVersion must not be empty")
	case fieldsType == "":
		return nil, fmt.Errorf("missing fieldsType in managed fields entry %d", i)
	case fieldsType != "FieldsV1":
		return nil, fmt.Errorf("invalid fieldsType %q in managed fields entry %d", fieldsType, i)
	}
	fields, plain, err := decodeFields(entry["fieldsV1"])
	if err != nil {
		return nil, fmt.Errorf("fields of %q in managed fields entry %d: %w", o.manager, i, err)
	}
	o.fields = fields
	if plain {
		o.text, _ = entry["fieldsV1"].(map[string]any)
	}
	return o, nil
}

// encode gives managedFields, nil for none: those who apply first, then the order of
// time. They share the text of fields that did not change with what was decoded.
func (all owners) encode() []any {
	if len(all) == 0 {
		return nil
	}
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *owner) int {
		return cmp.Or(
			cmp.Compare(a.operation, b.operation),
			cmp.Compare(a.seconds(), b.seconds()),
			cmp.Compare(a.manager, b.manager),
			cmp.Compare(a.apiVersion, b.apiVersion),
			cmp.Compare(a.subresource, b.subresource),
		)
	})
	list := make([]any, len(sorted))
	for i, o := range sorted {
		list[i] = o.encode()
	}
	return list
}

func (o *owner) encode() map[string]any {
	entry := make(map[string]any, 8)
	for _, text := range [...]struct{ name, value string }{
		{"manager", o.manager}, {"operation", o.operation}, {"apiVersion", o.apiVersion},
		{"subresource", o.subresource}, {"time", o.time},
	} {
		if text.value != "" {
			entry[text.name] = text.value
		}
	}
	if o.text == nil {
		o.text = encodeFields(o.fields)
	}
	entry["fieldsType"], entry["fieldsV1"] = "FieldsV1", o.text
	return entry
}

// sets gives the fields of all owners as the library wants them.
func (all owners) sets() fieldpath.ManagedFields {
	sets := make(fieldpath.ManagedFields, len(all)+1)
	for id, o := range all {
		sets[id] = fieldpath.NewVersionedSet(o.fields, fieldpath.APIVersion(o.apiVersion), o.applied())
	}
	return sets
}

// take makes what the library left of the fields those of the owners. Who has none any
// more is gone; own is the owner who wrote, under its id.
func (all owners) take(sets fieldpath.ManagedFields, id string, own *owner) {
	for other := range all {
		if _, ok := sets[other]; !ok {
			delete(all, other)
		}
	}
	for other, set := range sets {
		o, ok := all[other]
		if !ok {
			if other != id {
				continue
			}
			o = own
			all[id] = o
		}
		o.change(set.Set(), string(set.APIVersion()))
	}
}

// change sets the fields of the owner and keeps their text if they are the same.
func (o *owner) change(fields *fieldpath.Set, apiVersion string) {
	if o.fields == nil || !o.fields.Equals(fields) {
		o.text = nil
	}
	o.fields, o.apiVersion = fields, apiVersion
}

// versions are those that the owners wrote in.
func (all owners) versions() []fieldpath.APIVersion {
	var versions []fieldpath.APIVersion
	for _, o := range all {
		if v := fieldpath.APIVersion(o.apiVersion); !slices.Contains(versions, v) {
			versions = append(versions, v)
		}
	}
	return versions
}

// onlyIn says whether all owners wrote in one version.
func (all owners) onlyIn(version string) bool {
	for _, o := range all {
		if o.apiVersion != version {
			return false
		}
	}
	return true
}
