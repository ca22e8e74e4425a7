package server

import (
	"maps"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Messages show documents of Go types with the members of metadata as the type has
// them, where they are sorted everywhere else.
var (
	metadataOrder = []string{
		"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
		"deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers", "managedFields",
	}
	memberOrder = map[string][]string{
		"ownerReferences": {"apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"},
		"managedFields":   {"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"},
	}
)

// inTypeOrder writes a document anew for a message.
func inTypeOrder(data []byte) string {
	o, err := object.Decode(data)
	if err != nil {
		return string(data)
	}
	return string(appendOrdered(nil, o, nil, func(dst []byte, name string, v any) []byte {
		if m, ok := v.(map[string]any); ok && name == "metadata" {
			return appendOrdered(dst, m, metadataOrder, appendMetaMember)
		}
		return object.AppendJSON(dst, v)
	}))
}

func appendMetaMember(dst []byte, name string, v any) []byte {
	list, ok := v.([]any)
	if !ok || memberOrder[name] == nil {
		return object.AppendJSON(dst, v)
	}
	dst = append(dst, '[')
	for i, item := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		m, ok := item.(map[string]any)
		if !ok {
			dst = object.AppendJSON(dst, item)
			continue
		}
		dst = appendOrdered(dst, m, memberOrder[name], func(dst []byte, _ string, v any) []byte { return object.AppendJSON(dst, v) })
	}
	return append(dst, ']')
}

// appendOrdered appends a map, members that order names first and the others sorted.
func appendOrdered(dst []byte, m map[string]any, order []string, value func(dst []byte, name string, v any) []byte) []byte {
	names := slices.DeleteFunc(slices.Clone(order), func(name string) bool { _, ok := m[name]; return !ok })
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(order, name) {
			names = append(names, name)
		}
	}
	dst = append(dst, '{')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(object.AppendJSON(dst, name), ':')
		dst = value(dst, name, m[name])
	}
	return append(dst, '}')
}
