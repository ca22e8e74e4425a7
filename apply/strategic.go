package apply

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Strategic is a strategic merge patch that has been read. It is immutable and may be
// shared.
//
// It is a merge patch, but for the lists whose fields have the patch strategy merge
// in Go: their items are merged, objects by their merge key, others as a set. In such
// an item, and in objects, some fields are directives:
//
//	$patch: replace or delete             takes the object for what it is, or away
//	$retainKeys: [a, b]                   takes away fields of other names
//	$setElementOrder/LIST: [...]          says in which order the items stand
//	$deleteFromPrimitiveList/LIST: [...]  takes away items that are no objects
type Strategic struct {
	patch  map[string]any
	schema *schema.Schema
	strict []string
}

// ParseStrategic reads a patch, in JSON, for documents of a schema that was derived
// from Go types. It fails with BadRequest for what is no patch.
func ParseStrategic(data []byte, s *schema.Schema) (*Strategic, error) {
	value, duplicates, err := object.DecodeValueStrict(data)
	if err != nil {
		return nil, undecodable(err)
	}
	patch, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, object.BadRequest("json: cannot unmarshal %s into Go value of type map[string]interface {}", object.JSONType(value))
	}
	return &Strategic{patch, s, findings("duplicate field", duplicates)}, nil
}

// Strict says what a strict reader refuses in the patch itself, in the API's words.
// The result is read-only.
func (p *Strategic) Strict() []string { return p.strict }

// String is the patch as messages of the API show it.
func (p *Strategic) String() string { return fmt.Sprintf("%+v", p.patch) }

// Apply makes the changed document. It fails with BadRequest for directives of the
// wrong form, with Invalid for lists that cannot be merged or are merged too often, and
// with a failure without a reason if the patch does not fit the schema or the document.
// What the patch adds is not held to the schema.
func (p *Strategic) Apply(doc object.Object) (object.Object, error) {
	patch, _ := clone(p.patch).(map[string]any)
	return new(strategicMerge).object(doc.DeepCopy(), patch, p.schema)
}

// maxMerged is how many items there may be in all the lists that a strategic merge
// patch merges. Each item of a patch can stand for the same item of the document, with
// lists of its own.
const maxMerged = 1_000_000

// strategicMerge is a strategic merge patch under way.
type strategicMerge struct{ merged int }

// count accounts for lists that are to be merged.
func (m *strategicMerge) count(lists ...[]any) error {
	for _, list := range lists {
		m.merged += len(list)
	}
	if m.merged > maxMerged {
		return rejected(fmt.Errorf("more than %d items of lists merged", maxMerged))
	}
	return nil
}

// Directives: fields of a patch, or what they begin with.
const (
	directive    = "$patch"
	retainKeys   = "$retainKeys"
	deleteFrom   = "$deleteFromPrimitiveList"
	elementOrder = "$setElementOrder"
)

// What the directive $patch may say.
const (
	directiveReplace = "replace"
	directiveDelete  = "delete"
	directiveMerge   = "merge"
)

// Strategies: what tags of Go types say.
const (
	strategyMerge   = "merge"
	strategyReplace = "replace"
	strategyRetain  = "retainKeys"
)

// The API's words for what a patch does wrong.
const (
	errBadRetainKeys  = "invalid patch format of retainKeys"
	errBadOrder       = "invalid patch format of setElementOrder list"
	errBadDeleteFrom  = "invalid patch format of primitive list"
	errListsOfLists   = "lists of lists are not supported"
	errNoElements     = "no elements in any of the given slices"
	errMergeDirective = "merging lists cannot yet be specified in the patch"
)

// object changes a document by a patch and keeps parts of both.
func (m *strategicMerge) object(doc, patch map[string]any, s *schema.Schema) (map[string]any, error) {
	if v, ok := patch[directive]; ok {
		switch v {
		case directiveReplace:
			delete(patch, directive)
			return patch, nil
		case directiveDelete:
			return map[string]any{}, nil
		}
		return nil, unknownDirective(v, patch)
	}
	doc, err := retained(doc, patch)
	if err != nil {
		return nil, err
	}
	if err := m.order(doc, patch, s); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		if err := m.field(doc, name, patch[name], s); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

func unknownDirective(v any, patch map[string]any) error {
	return fmt.Errorf("unknown patch type: %s in map: %v", v, patch)
}

// retained carries out $retainKeys and takes it out of the patch.
func retained(doc, patch map[string]any) (map[string]any, error) {
	v, ok := patch[retainKeys]
	if !ok {
		return doc, nil
	}
	delete(patch, retainKeys)
	list, ok := v.([]any)
	if !ok {
		return nil, object.BadRequest(errBadRetainKeys)
	}
	names := make(map[string]bool, len(list))
	kept := map[string]any{}
	for _, v := range list {
		name, ok := v.(string)
		if !ok {
			continue
		}
		names[name] = true
		if value, ok := doc[name]; ok {
			kept[name] = value
		}
	}
	for name, v := range patch {
		if v != nil && !strings.HasPrefix(name, deleteFrom) && !strings.HasPrefix(name, elementOrder) && !names[name] {
			return nil, object.BadRequest(errBadRetainKeys)
		}
	}
	return kept, nil
}

// field changes one field of a document.
func (m *strategicMerge) field(doc map[string]any, name string, value any, s *schema.Schema) error {
	deletes := strings.HasPrefix(name, deleteFrom)
	if deletes {
		var ok bool
		if name, ok = strings.CutPrefix(name, deleteFrom+"/"); !ok {
			return object.BadRequest(errBadDeleteFrom)
		}
	}
	if value == nil {
		delete(doc, name)
		return nil
	}
	was, ok := doc[name]
	if !ok || !sameType(was, value) {
		if !deletes {
			set(doc, name, value)
		}
		return nil
	}
	var err error
	switch value := value.(type) {
	case map[string]any:
		doc[name], err = m.objectField(was.(map[string]any), name, value, s)
	case []any:
		doc[name], err = m.listField(was.([]any), name, value, s, deletes)
	default:
		doc[name] = value
	}
	return err
}

func (m *strategicMerge) objectField(was map[string]any, name string, patch map[string]any, s *schema.Schema) (any, error) {
	field, err := patchField(s, name)
	if err != nil {
		return nil, err
	}
	if strategy, _, err := patchStrategy(field); err != nil || strategy == strategyReplace {
		return patch, err
	}
	return m.object(was, patch, field)
}

// set puts what a patch has where nothing was: without nulls and what is marked by
// directives.
func set(doc map[string]any, name string, value any) {
	value, keep := undirected(withoutAllNulls(value))
	if keep {
		doc[name] = value
	} else {
		delete(doc, name)
	}
}

func withoutAllNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if value == nil {
				delete(v, name)
			} else {
				withoutAllNulls(value)
			}
		}
	case []any:
		for _, value := range v {
			withoutAllNulls(value)
		}
	}
	return v
}

// undirected takes away objects with a directive, wherever they are.
func undirected(v any) (_ any, keep bool) {
	switch v := v.(type) {
	case map[string]any:
		if _, ok := v[directive]; ok {
			return nil, false
		}
		for name, value := range v {
			if value, keep := undirected(value); keep {
				v[name] = value
			} else {
				delete(v, name)
			}
		}
		return v, true
	case []any:
		list := make([]any, 0, len(v))
		for _, value := range v {
			if value, keep := undirected(value); keep {
				list = append(list, value)
			}
		}
		return list, true
	}
	return v, true
}

// patchField gives the schema of a field of a struct.
func patchField(s *schema.Schema, name string) (*schema.Schema, error) {
	if s != nil && s.Type == "object" && s.Additional() != nil {
		return nil, errors.New("merging an object in json but data type is not struct, instead is: map")
	}
	field := s.Property(name)
	if field == nil {
		return nil, fmt.Errorf("unable to find api field in struct for the json field %q", name)
	}
	return field, nil
}

// patchStrategy says how a field is patched, retainKeys aside, and by which key its
// items are merged.
func patchStrategy(field *schema.Schema) (strategy, key string, err error) {
	tag, key := field.PatchTags()
	strategies := strings.Split(tag, ",")
	left := slices.DeleteFunc(slices.Clone(strategies), func(s string) bool { return s == strategyRetain })
	switch len(left) {
	case 0:
		return "", key, nil
	case 1:
		return left[0], key, nil
	}
	return "", "", fmt.Errorf("unexpected patch strategy: %v", strategies)
}

// sameType says whether two values are of one type in Go.
func sameType(a, b any) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }

// same compares values that are no objects or lists.
func same(a, b any) bool {
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}
