package definition

import (
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// DocumentSchema is the schema of definitions themselves: how they merge, and what is
// published of them. The schemas in them are objects of any fields there.
func DocumentSchema() *schema.Schema { return documentSchema() }

var documentSchema = sync.OnceValue(func() *schema.Schema {
	s, err := schema.Parse(schemaOf("CustomResourceDefinition"))
	if err != nil {
		panic(err) // it is written in this package
	}
	return s
})

// schemaOf writes the schema of a type in apiextensions.k8s.io/v1.
func schemaOf(goType string) object.Object {
	properties := map[string]any{}
	for name, f := range fieldsOf(goType) {
		properties[name] = f.schema()
	}
	return object.Object{"type": "object", "properties": properties}
}

func (f field) schema() map[string]any {
	if f.of == "" {
		return f.kind.schema()
	}
	of := map[string]any(schemaOf(f.of))
	if !f.list {
		return of
	}
	list := map[string]any{"type": "array", "items": of}
	if f.of == "CustomResourceDefinitionCondition" {
		of["required"] = []any{"type"}
		list["x-kubernetes-list-type"], list["x-kubernetes-list-map-keys"] = "map", []any{"type"}
	}
	return list
}

func (k goKind) schema() map[string]any {
	switch k {
	case goStrings:
		return map[string]any{"type": "array", "items": goString.schema()}
	case goBool:
		return map[string]any{"type": "boolean"}
	case goInt32, goInt64:
		return map[string]any{"type": "integer", "format": string(k)}
	case goTime:
		return map[string]any{"type": "string", "format": "date-time"}
	case goBytes:
		return map[string]any{"type": "string", "format": "byte"}
	case goMeta:
		return map[string]any{"type": "object"}
	case goSchema:
		return map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	}
	return map[string]any{"type": "string"}
}
