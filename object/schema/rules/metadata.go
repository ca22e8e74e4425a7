package rules

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// What rules may always know of a resource: its type and its name.
var (
	textSchema     = &schema.Schema{Type: "string"}
	metadataSchema = &schema.Schema{Type: "object", Properties: []schema.Property{
		{Name: "generateName", Schema: textSchema}, {Name: "name", Schema: textSchema},
	}}
)

const maxNameLength = 253

// knowsMetadata says whether the schema itself declares the type and the name.
func knowsMetadata(s *schema.Schema) bool {
	isText := func(p *schema.Schema) bool { return p != nil && p.Type == "string" }
	metadata := s.Property("metadata")
	return isText(s.Property("kind")) && isText(s.Property("apiVersion")) &&
		metadata != nil && metadata.Type == "object" && isText(metadata.Property("name")) && isText(metadata.Property("generateName"))
}

// metadataField gives the schema through which rules see kind, apiVersion and
// metadata of a resource, or nil for other fields and where the schema's own counts.
func metadataField(s *schema.Schema, name string) *schema.Schema {
	switch name {
	case "kind", "apiVersion":
		if !knowsMetadata(s) {
			return textSchema
		}
	case "metadata":
		if !knowsMetadata(s) {
			return metadataSchema
		}
	}
	return nil
}

// withMetadata gives the schema of a resource as rules know it.
func withMetadata(s *schema.Schema) *schema.Schema {
	if knowsMetadata(s) {
		return s
	}
	metadata := s.Property("metadata")
	named := &schema.Schema{Type: "object", Properties: []schema.Property{
		{Name: "generateName", Schema: bounded(metadata.Property("generateName"), maxNameLength-1)},
		{Name: "name", Schema: bounded(metadata.Property("name"), maxNameLength)},
	}}
	return withProperties(s, schema.Property{Name: "apiVersion", Schema: textSchema}, schema.Property{Name: "kind", Schema: textSchema},
		schema.Property{Name: "metadata", Schema: named})
}

// withAllMetadata gives the schema of a resource with the metadata that all of them have.
func withAllMetadata(s *schema.Schema) *schema.Schema {
	return withProperties(s, schema.Property{Name: "apiVersion", Schema: textSchema}, schema.Property{Name: "kind", Schema: textSchema},
		schema.Property{Name: "metadata", Schema: allMetadata()})
}

// allMetadata is never changed.
var allMetadata = sync.OnceValue(func() *schema.Schema {
	s, err := schema.FromGo(reflect.TypeFor[object.ObjectMeta](), schema.GoOptions{
		Types: map[reflect.Type]*schema.Schema{reflect.TypeFor[object.Time](): {Type: "string", Format: "date-time"}},
	})
	if err != nil { // never: the type is one of JSON
		return metadataSchema
	}
	return s
})

// withProperties gives a schema with some properties in place of its own of that name.
func withProperties(s *schema.Schema, properties ...schema.Property) *schema.Schema {
	extended := *s
	extended.Properties = slices.Clone(s.Properties)
	for _, p := range properties {
		i, found := slices.BinarySearchFunc(extended.Properties, p.Name, func(q schema.Property, name string) int {
			return strings.Compare(q.Name, name)
		})
		if !found {
			extended.Properties = slices.Insert(extended.Properties, i, p)
		}
		extended.Properties[i] = p
	}
	return &extended
}

// bounded is a text that is no longer than the limit, nor than the schema allows.
func bounded(s *schema.Schema, limit int64) *schema.Schema {
	if s != nil && s.MaxLength != nil {
		limit = min(limit, *s.MaxLength)
	}
	return &schema.Schema{Type: "string", MaxLength: &limit}
}
