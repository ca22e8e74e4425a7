package schema

import (
	"iter"
	"slices"
)

// origin is what a node that was derived from a Go type knows of it.
type origin struct {
	component     *component // of a named type
	patchStrategy string
	patchMergeKey string
}

// component is the schema of a type that documents of OpenAPI refer to by name.
type component struct {
	name   string
	schema *Schema
}

// PatchTags gives the tags patchStrategy and patchMergeKey of the field of a Go type
// that the node was derived from. A strategy may consist of several, with commas between.
func (s *Schema) PatchTags() (strategy, mergeKey string) {
	if s == nil || s.origin == nil {
		return "", ""
	}
	return s.origin.patchStrategy, s.origin.patchMergeKey
}

// Zero gives what a field has when nothing is set in the Go type that the node was
// derived from. It is nil for fields that may be missing and for those with parts.
func (s *Schema) Zero(name string) any {
	if s == nil || s.origin == nil || !slices.Contains(s.Required, name) {
		return nil
	}
	switch s.Property(name).Type {
	case "string":
		return ""
	case "integer", "number":
		return int64(0)
	case "boolean":
		return false
	}
	return nil
}

// component gives that of a node of a named type, or nil.
func (s *Schema) component() *component {
	if s.origin == nil {
		return nil
	}
	return s.origin.component
}

// Components gives the schemas of named types that occur in the schema, its own
// among them, each once.
func (s *Schema) Components() iter.Seq2[string, *Schema] {
	return func(yield func(string, *Schema) bool) {
		components(s, map[*Schema]bool{}, yield)
	}
}

func components(s *Schema, seen map[*Schema]bool, yield func(string, *Schema) bool) (more bool) {
	if s == nil || seen[s] {
		return true
	}
	seen[s] = true
	if c := s.component(); c != nil && s != c.schema {
		return components(c.schema, seen, yield)
	} else if c != nil && !yield(c.name, s) {
		return false
	}
	for _, p := range s.Properties {
		if !components(p.Schema, seen, yield) {
			return false
		}
	}
	return components(s.Items, seen, yield) && components(s.Additional(), seen, yield)
}

// reference writes what a document says of a node of a named type: where its schema
// is, and what the field adds to it.
func (w writer) reference(dst []byte, s *Schema, to *component) []byte {
	m := begin(dst)
	description := s.Description
	if description == to.schema.Description {
		description = ""
	}
	strategy, key := s.PatchTags()
	bare := description == "" && s.Default == nil && strategy == "" && s.MapType == to.schema.MapType
	switch {
	case w.v2:
		m.text("$ref", "#/definitions/"+to.name)
	case bare:
		m.text("$ref", "#/components/schemas/"+to.name)
	default:
		m.value("allOf", []any{map[string]any{"$ref": "#/components/schemas/" + to.name}})
		m.any("default", s.Default)
	}
	m.text("description", description)
	if s.MapType != to.schema.MapType {
		m.text("x-kubernetes-map-type", s.MapType)
	}
	m.text("x-kubernetes-patch-merge-key", key)
	m.text("x-kubernetes-patch-strategy", strategy)
	return m.end()
}
