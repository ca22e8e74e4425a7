package object

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// maxUnknownFields limits what is reported of one document.
const maxUnknownFields = 100

// NormalizeMeta gives metadata that came as free JSON the form that the type
// [ObjectMeta] gives it, as the API does with custom resources. It replaces
// o["metadata"]; without that field it does nothing.
//
// A value of the wrong type is an error in the words of encoding/json, such as
// "json: cannot unmarshal number into Go struct field ObjectMeta.name of type
// string"; of several the first one in the order of the names counts, and
// malformed times before all others. On an error o is unchanged.
//
// Unknown fields are dropped and their paths ("metadata.colour",
// "metadata.ownerReferences[0].x") returned, at most 100. Nulls and empty values
// are dropped as well, except that a null in a map of texts or in a list counts
// as the zero value of its type. Times become RFC 3339 in UTC, to the second.
func NormalizeMeta(o Object) (unknown []string, err error) {
	value, ok := o["metadata"]
	if !ok {
		return nil, nil
	}
	meta, ok := value.(map[string]any)
	if !ok && value != nil {
		return nil, fmt.Errorf("json: cannot unmarshal %s into Go value of type v1.ObjectMeta", JSONType(value))
	}
	var n metaNormalizer
	normal := n.object(metaPlace{goType: "ObjectMeta", path: "metadata."}, meta)
	if n.timeError != nil {
		return nil, n.timeError
	}
	if n.typeError != nil {
		return nil, n.typeError
	}
	o["metadata"] = normal
	return n.unknown, nil
}

// RepairMeta is [NormalizeMeta] for metadata from a store, which may be older than the
// checks of today: fields whose values have the wrong type are dropped.
func RepairMeta(o Object) (unknown []string) {
	unknown, err := NormalizeMeta(o)
	if err == nil {
		return unknown
	}
	good := map[string]any{}
	for name, v := range o.Metadata() {
		if _, err := NormalizeMeta(Object{"metadata": map[string]any{name: v}}); err == nil {
			good[name] = v
		}
	}
	o["metadata"] = good
	unknown, _ = NormalizeMeta(o) // each of the fields is fine
	return unknown
}

type metaNormalizer struct {
	unknown   []string
	typeError error
	timeError error
}

// metaPlace is where in the metadata the normalizer is.
type metaPlace struct {
	goType string // of the struct, as messages name it
	fields string // way to the struct by fields, as messages name it: "ownerReferences."
	path   string // way to the struct with indices: "metadata.ownerReferences[0]."
	field  string // of the struct; empty for the struct itself
}

// metaKind is the type of a field, as messages name it.
type metaKind string

const (
	metaText     metaKind = "string"
	metaUID      metaKind = "types.UID"
	metaManager  metaKind = "v1.ManagedFieldsOperationType"
	metaNumber   metaKind = "int64"
	metaBool     metaKind = "bool"
	metaTime     metaKind = "time"
	metaTexts    metaKind = "[]string"
	metaTextMap  metaKind = "map[string]string"
	metaOwners   metaKind = "[]v1.OwnerReference"
	metaEntries  metaKind = "[]v1.ManagedFieldsEntry"
	metaAnything metaKind = "anything"
)

// metaKindOf gives the type of a field of the struct; "" for an unknown one.
// kept says that the field stays even if it has the zero value.
func metaKindOf(goType, field string) (kind metaKind, kept bool) {
	switch goType + "." + field {
	case "ObjectMeta.name", "ObjectMeta.generateName", "ObjectMeta.namespace", "ObjectMeta.selfLink", "ObjectMeta.resourceVersion",
		"ManagedFieldsEntry.manager", "ManagedFieldsEntry.apiVersion", "ManagedFieldsEntry.fieldsType", "ManagedFieldsEntry.subresource":
		return metaText, false
	case "OwnerReference.apiVersion", "OwnerReference.kind", "OwnerReference.name":
		return metaText, true
	case "ObjectMeta.uid":
		return metaUID, false
	case "OwnerReference.uid":
		return metaUID, true
	case "ObjectMeta.generation":
		return metaNumber, false
	case "ObjectMeta.deletionGracePeriodSeconds":
		return metaNumber, true
	case "ObjectMeta.creationTimestamp", "ObjectMeta.deletionTimestamp", "ManagedFieldsEntry.time":
		return metaTime, false
	case "ObjectMeta.labels", "ObjectMeta.annotations":
		return metaTextMap, false
	case "ObjectMeta.finalizers":
		return metaTexts, false
	case "ObjectMeta.ownerReferences":
		return metaOwners, false
	case "ObjectMeta.managedFields":
		return metaEntries, false
	case "OwnerReference.controller", "OwnerReference.blockOwnerDeletion":
		return metaBool, true
	case "ManagedFieldsEntry.operation":
		return metaManager, false
	case "ManagedFieldsEntry.fieldsV1":
		return metaAnything, true
	}
	return "", false
}

func (n *metaNormalizer) object(at metaPlace, in map[string]any) map[string]any {
	out := make(map[string]any, len(in))
	for _, field := range slices.Sorted(maps.Keys(in)) {
		at.field = field
		kind, kept := metaKindOf(at.goType, field)
		switch value := in[field]; {
		case kind == "":
			if len(n.unknown) < maxUnknownFields {
				n.unknown = append(n.unknown, at.path+field)
			}
		case value != nil:
			if v := n.value(at, kind, value); v != nil && (kept || !isZeroMeta(v)) {
				out[field] = v
			}
		}
	}
	return out
}

// value gives the normal form of a value that is not null, or nil if there is none.
func (n *metaNormalizer) value(at metaPlace, kind metaKind, value any) any {
	switch kind {
	case metaAnything:
		return value
	case metaText, metaUID, metaManager:
		if _, ok := value.(string); ok {
			return value
		}
	case metaBool:
		if _, ok := value.(bool); ok {
			return value
		}
	case metaNumber:
		return n.number(at, value)
	case metaTime:
		return n.time(at, value)
	case metaTextMap:
		if m, ok := value.(map[string]any); ok {
			return n.textMap(at, m)
		}
	default:
		if list, ok := value.([]any); ok {
			return n.list(at, kind, list)
		}
	}
	n.wrongType(at, JSONType(value), string(kind))
	return nil
}

func (n *metaNormalizer) wrongType(at metaPlace, value, goType string) {
	if n.typeError == nil {
		n.typeError = typeError(at, value, goType)
	}
}

func typeError(at metaPlace, value, goType string) error {
	return fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s%s of type %s", value, at.goType, at.fields, at.field, goType)
}

// number takes a whole number, even one that was written with a fraction.
func (n *metaNormalizer) number(at metaPlace, value any) any {
	switch v := value.(type) {
	case int64:
		return v
	case float64:
		text := string(AppendJSON(nil, v))
		if whole, err := strconv.ParseInt(text, 10, 64); err == nil {
			return whole
		}
		n.wrongType(at, "number "+text, string(metaNumber))
	default:
		n.wrongType(at, JSONType(value), string(metaNumber))
	}
	return nil
}

func (n *metaNormalizer) time(at metaPlace, value any) any {
	text, ok := value.(string)
	t, err := time.Parse(timeLayout, text)
	if !ok {
		err = typeError(at, JSONType(value), string(metaText))
	}
	if err != nil {
		if n.timeError == nil {
			n.timeError = err
		}
		return nil
	}
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(timeLayout)
}

func (n *metaNormalizer) textMap(at metaPlace, in map[string]any) any {
	out := make(map[string]any, len(in))
	for _, name := range slices.Sorted(maps.Keys(in)) {
		out[name] = n.element(at, in[name])
	}
	return out
}

func (n *metaNormalizer) list(at metaPlace, kind metaKind, in []any) any {
	out := make([]any, len(in))
	for i, value := range in {
		switch kind {
		case metaOwners:
			out[i] = n.owner(n.structElement(at, "OwnerReference", i, value))
		case metaEntries:
			out[i] = n.object(n.structElement(at, "ManagedFieldsEntry", i, value))
		default:
			out[i] = n.element(at, value)
		}
	}
	return out
}

// element gives a text in a map or list, where null is the empty text.
func (n *metaNormalizer) element(at metaPlace, value any) any {
	switch value.(type) {
	case string:
		return value
	case nil:
	default:
		n.wrongType(at, JSONType(value), string(metaText))
	}
	return ""
}

// structElement gives the place inside an element of a list of structs, and its fields.
func (n *metaNormalizer) structElement(at metaPlace, goType string, i int, value any) (metaPlace, map[string]any) {
	m, ok := value.(map[string]any)
	if !ok && value != nil {
		n.wrongType(at, JSONType(value), "v1."+goType)
	}
	return metaPlace{
		goType: goType,
		fields: at.field + ".",
		path:   fmt.Sprintf("%s%s[%d].", at.path, at.field, i),
	}, m
}

// owner gives an owner reference, which has its four texts even where they are empty.
func (n *metaNormalizer) owner(at metaPlace, in map[string]any) map[string]any {
	out := n.object(at, in)
	for _, field := range []string{"apiVersion", "kind", "name", "uid"} {
		if _, ok := out[field]; !ok {
			out[field] = ""
		}
	}
	return out
}

func isZeroMeta(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case int64:
		return v == 0
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
