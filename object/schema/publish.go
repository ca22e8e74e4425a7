package schema

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Published says how the schema of a resource appears in the documents of the API.
// The zero value is for a schema that is none of a resource.
type Published struct {
	Kind object.GroupVersionKind
	// SelectableFields are the paths of the fields that selectors may name, such as
	// "spec.host".
	SelectableFields []string
}

// AppendOpenAPIV3 appends the schema of a custom resource as the API publishes it in
// documents of OpenAPI v3: with the type and metadata of the resource and of embedded
// ones, and with int-or-string spelled out. References lead to
// "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta". A nil
// schema, as one that is not structural counts, says of the resource only that it is
// an object.
//
// Of a schema derived from a Go type, what stands below in a type with a name becomes
// a reference to one of its [Schema.Components], and metadata is as in the type.
func (s *Schema) AppendOpenAPIV3(dst []byte, p Published) []byte {
	return writer{published: true}.resource(dst, s, p)
}

// AppendOpenAPIV2 is AppendOpenAPIV3 for OpenAPI v2, which has no junctors, no null and no defaults:
// what may be null, or keeps unknown fields, has no type there. References lead to
// "#/definitions/".
func (s *Schema) AppendOpenAPIV2(dst []byte, p Published) []byte {
	if s != nil && s.PreserveUnknownFields {
		s = nil // even the type and metadata would make readers refuse all else
	}
	return writer{published: true, v2: true}.resource(dst, s, p)
}

func (w writer) resource(dst []byte, s *Schema, p Published) []byte {
	var r *resource
	if p.Kind != (object.GroupVersionKind{}) {
		r = &resource{p.Kind, p.SelectableFields}
	}
	if s != nil {
		w.root = s
		return w.schema(dst, s, r)
	}
	return writer{}.schema(dst, &Schema{Type: "object"}, r)
}

// node is what a writer changes of a node.
type node struct {
	typeName            string
	nullable            bool
	items               *Schema
	properties          []Property
	required            []string
	allOf, anyOf, oneOf []*Schema
	not                 *Schema
	isResource          bool // has the type and metadata of a resource
}

func (w writer) node(s *Schema, r *resource) node {
	n := node{
		typeName: s.Type, nullable: s.Nullable, items: s.Items, properties: s.Properties, required: s.Required,
		allOf: s.AllOf, anyOf: s.AnyOf, oneOf: s.OneOf, not: s.Not,
	}
	if !w.published || w.inJunctor {
		return n
	}
	if w.v2 {
		n.simplify(s)
	} else if s.IntOrString {
		n.spellOut()
	}
	n.isResource = r != nil && s.component() == nil // types have the fields of a resource themselves
	if s.EmbeddedResource && !(w.v2 && s.PreserveUnknownFields) {
		n.isResource = true
		n.required = slices.Clone(n.required)
		for _, name := range []string{"kind", "apiVersion"} {
			if !slices.Contains(s.Required, name) {
				n.required = append(n.required, name)
			}
		}
	}
	return n
}

// spellOut says in other words that a value is an integer or a text.
func (n *node) spellOut() {
	either := []*Schema{{Type: "integer"}, {Type: "string"}}
	switch {
	case isIntOrString(n.anyOf), len(n.allOf) > 0 && isIntOrString(n.allOf[0].AnyOf):
	case n.anyOf == nil:
		n.anyOf = either
	default:
		n.allOf = append([]*Schema{{AnyOf: either}}, n.allOf...)
	}
}

// simplify leaves out what OpenAPI v2 doesn't know, and what its readers take amiss.
func (n *node) simplify(s *Schema) {
	n.allOf, n.anyOf, n.oneOf, n.not = nil, nil, nil, nil
	if s.Nullable {
		n.typeName, n.nullable = "", false
	}
	if s.Nullable || s.PreserveUnknownFields {
		n.items, n.properties = nil, nil
	}
	if n.items == nil && n.typeName == "array" || s.PreserveUnknownFields && n.typeName == "object" {
		n.typeName = ""
	}
	n.required = slices.DeleteFunc(slices.Clone(n.required), func(name string) bool {
		p := property(n.properties, name)
		return p != nil && p.Nullable
	})
	if a := s.Additional(); a != nil && a.Nullable {
		n.required = nil
	}
}

func byName(a, b Property) int { return strings.Compare(a.Name, b.Name) }
