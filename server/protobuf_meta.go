package server

import (
	"maps"
	"slices"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// appendPartialMessage appends the message of a PartialObjectMetadata from the
// metadata of a document. Members of the wrong type count as absent.
func appendPartialMessage(dst []byte, metadata map[string]any) []byte {
	return appendMessage(dst, 1, func(dst []byte) []byte { return appendObjectMeta(dst, metadata) })
}

func appendObjectMeta(dst []byte, m map[string]any) []byte {
	dst = appendStringField(dst, 1, textAt(m, "name"))
	dst = appendStringField(dst, 2, textAt(m, "generateName"))
	dst = appendStringField(dst, 3, textAt(m, "namespace"))
	dst = appendStringField(dst, 4, textAt(m, "selfLink"))
	dst = appendStringField(dst, 5, textAt(m, "uid"))
	dst = appendStringField(dst, 6, textAt(m, "resourceVersion"))
	generation, _ := m["generation"].(int64)
	dst = appendIntField(dst, 7, generation)
	dst = appendTimeField(dst, 8, textAt(m, "creationTimestamp"))
	if s := textAt(m, "deletionTimestamp"); s != "" {
		dst = appendTimeField(dst, 9, s)
	}
	if n, ok := m["deletionGracePeriodSeconds"].(int64); ok {
		dst = appendIntField(dst, 10, n)
	}
	dst = appendMapField(dst, 11, m["labels"])
	dst = appendMapField(dst, 12, m["annotations"])
	for _, ref := range objectsOf(m["ownerReferences"]) {
		dst = appendMessage(dst, 13, func(dst []byte) []byte { return appendOwnerReference(dst, ref) })
	}
	for _, name := range listOf(m["finalizers"]) {
		if s, ok := name.(string); ok {
			dst = appendStringField(dst, 14, s)
		}
	}
	for _, entry := range objectsOf(m["managedFields"]) {
		dst = appendMessage(dst, 17, func(dst []byte) []byte { return appendManagedFields(dst, entry) })
	}
	return dst
}

func appendOwnerReference(dst []byte, ref map[string]any) []byte {
	dst = appendStringField(dst, 1, textAt(ref, "kind"))
	dst = appendStringField(dst, 3, textAt(ref, "name"))
	dst = appendStringField(dst, 4, textAt(ref, "uid"))
	dst = appendStringField(dst, 5, textAt(ref, "apiVersion"))
	if b, ok := ref["controller"].(bool); ok {
		dst = appendBoolField(dst, 6, b)
	}
	if b, ok := ref["blockOwnerDeletion"].(bool); ok {
		dst = appendBoolField(dst, 7, b)
	}
	return dst
}

func appendManagedFields(dst []byte, entry map[string]any) []byte {
	dst = appendStringField(dst, 1, textAt(entry, "manager"))
	dst = appendStringField(dst, 2, textAt(entry, "operation"))
	dst = appendStringField(dst, 3, textAt(entry, "apiVersion"))
	if s := textAt(entry, "time"); s != "" {
		dst = appendTimeField(dst, 4, s)
	}
	dst = appendStringField(dst, 6, textAt(entry, "fieldsType"))
	if fields, ok := entry["fieldsV1"]; ok && fields != nil {
		dst = appendMessage(dst, 7, func(dst []byte) []byte {
			return protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), object.AppendJSON(nil, fields))
		})
	}
	return appendStringField(dst, 8, textAt(entry, "subresource"))
}

// appendTimeField appends a time as the API has it in protobuf: whole seconds, or an
// empty message if there is none.
func appendTimeField(dst []byte, field protowire.Number, s string) []byte {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil || t.IsZero() {
		return appendMessageHead(dst, field, 0)
	}
	seconds := uint64(t.Unix())
	dst = appendMessageHead(dst, field, 1+protowire.SizeVarint(seconds)+2)
	dst = appendIntField(dst, 1, int64(seconds))
	return appendIntField(dst, 2, 0)
}

func appendMapField(dst []byte, field protowire.Number, v any) []byte {
	m, _ := v.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value := textAt(m, name)
		dst = appendMessageHead(dst, field, sizeString(name)+sizeString(value))
		dst = appendStringField(dst, 1, name)
		dst = appendStringField(dst, 2, value)
	}
	return dst
}

func textAt(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return s
}

func listOf(v any) []any {
	list, _ := v.([]any)
	return list
}

// objectsOf gives those elements of a list that are objects.
func objectsOf(v any) []map[string]any {
	var out []map[string]any
	for _, e := range listOf(v) {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}
