package schema

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// writer writes schemas as the API stores them, or as it publishes them.
type writer struct {
	published bool // in a document of OpenAPI v3, or
	v2        bool // of v2, whose readers understand less
	inJunctor bool // where nothing is changed

	root *Schema // which is written out though its type has a name
}

// resource is what a published schema says of the resource that it describes.
type resource struct {
	kind             object.GroupVersionKind
	selectableFields []string
}

// schema writes a node outside of junctors. Names are sorted.
func (w writer) schema(dst []byte, s *Schema, r *resource) []byte {
	if c := s.component(); c != nil && w.published && s != w.root {
		return w.reference(dst, s, c)
	}
	n := w.node(s, r)
	m := begin(dst)
	w.oddReference(&m, s)
	w.additional(&m, "additionalProperties", s.AdditionalProperties)
	w.schemas(&m, "allOf", n.allOf)
	w.schemas(&m, "anyOf", n.anyOf)
	if !w.v2 { // as in the API
		m.any("default", s.Default)
	}
	w.oddSchemas(&m, s)
	m.text("description", s.Description)
	m.list("enum", s.Enum)
	if !w.published || !isEmpty(s.Example) {
		m.any("example", s.Example)
	}
	m.flag("exclusiveMaximum", s.ExclusiveMaximum)
	m.flag("exclusiveMinimum", s.ExclusiveMinimum)
	m.externalDocs(s.ExternalDocs)
	m.text("format", s.Format)
	if s.odd != nil {
		m.text("id", s.odd.id)
	}
	w.items(&m, s, n.items)
	m.count("maxItems", s.MaxItems)
	m.count("maxLength", s.MaxLength)
	m.count("maxProperties", s.MaxProperties)
	m.number("maximum", s.Maximum)
	m.count("minItems", s.MinItems)
	m.count("minLength", s.MinLength)
	m.count("minProperties", s.MinProperties)
	m.number("minimum", s.Minimum)
	m.number("multipleOf", s.MultipleOf)
	if n.not != nil {
		m.name("not")
		m.dst = w.nested().schema(m.dst, n.not, nil)
	}
	m.flag("nullable", n.nullable)
	w.schemas(&m, "oneOf", n.oneOf)
	m.text("pattern", s.Pattern.String())
	if s.odd != nil {
		w.properties(&m, "patternProperties", s.odd.patternProperties, false)
	}
	w.properties(&m, "properties", n.properties, n.isResource)
	m.texts("required", n.required)
	m.text("title", s.Title)
	m.text("type", n.typeName)
	m.flag("uniqueItems", s.UniqueItems)
	w.extensions(&m, s, r)
	return m.end()
}

func (w writer) nested() writer {
	w.inJunctor = true
	return w
}

// isEmpty says of a value that documents leave it out as an example.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

func (w writer) extensions(m *members, s *Schema, r *resource) {
	m.flag("x-kubernetes-embedded-resource", s.EmbeddedResource)
	if r != nil {
		m.value("x-kubernetes-group-version-kind", []any{map[string]any{
			"group": r.kind.Group, "version": r.kind.Version, "kind": r.kind.Kind,
		}})
	}
	m.flag("x-kubernetes-int-or-string", s.IntOrString)
	m.texts("x-kubernetes-list-map-keys", s.ListMapKeys)
	if s.hasListType() {
		m.value("x-kubernetes-list-type", s.ListType)
	}
	if s.hasMapType() {
		m.value("x-kubernetes-map-type", s.MapType)
	}
	if w.published {
		strategy, key := s.PatchTags()
		m.text("x-kubernetes-patch-merge-key", key)
		m.text("x-kubernetes-patch-strategy", strategy)
	}
	m.flag("x-kubernetes-preserve-unknown-fields", s.PreserveUnknownFields)
	if s.odd != nil && s.odd.preserveUnknownFalse {
		m.value("x-kubernetes-preserve-unknown-fields", false)
	}
	if r != nil && len(r.selectableFields) > 0 {
		fields := make([]any, len(r.selectableFields))
		for i, path := range r.selectableFields {
			fields[i] = map[string]any{"fieldPath": path}
		}
		m.value("x-kubernetes-selectable-fields", fields)
	}
	if len(s.Rules) == 0 {
		return
	}
	m.name("x-kubernetes-validations")
	m.dst = append(m.dst, '[')
	for i := range s.Rules {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.dst = s.Rules[i].appendJSON(m.dst)
	}
	m.dst = append(m.dst, ']')
}

func (r *Rule) appendJSON(dst []byte) []byte {
	m := begin(dst)
	m.text("fieldPath", r.FieldPath)
	m.text("message", r.Message)
	m.text("messageExpression", r.MessageExpression)
	if r.OptionalOldSelf != nil {
		m.value("optionalOldSelf", *r.OptionalOldSelf)
	}
	if r.Reason != "" || r.emptyReason {
		m.value("reason", r.Reason)
	}
	m.value("rule", r.Rule)
	return m.end()
}

func (w writer) schemas(m *members, name string, schemas []*Schema) {
	if len(schemas) == 0 {
		return
	}
	m.name(name)
	m.dst = append(m.dst, '[')
	for i, s := range schemas {
		if i > 0 {
			m.dst = append(m.dst, ',')
		}
		m.dst = w.nested().schema(m.dst, s, nil)
	}
	m.dst = append(m.dst, ']')
}

func (w writer) additional(m *members, name string, s *SchemaOrBool) {
	switch {
	case s == nil:
	case s.Schema == nil:
		m.value(name, s.Allows)
	default:
		m.name(name)
		m.dst = w.schema(m.dst, s.Schema, nil)
	}
}

func (w writer) items(m *members, s, items *Schema) {
	switch {
	case items != nil:
		m.name("items")
		m.dst = w.schema(m.dst, items, nil)
	case s.odd != nil && len(s.odd.items) > 0:
		w.schemas(m, "items", s.odd.items)
	case s.odd != nil && s.odd.itemsList && !w.published:
		m.value("items", nil)
	}
}

// properties writes properties; of a resource, its type and metadata are those that
// the API knows.
func (w writer) properties(m *members, name string, properties []Property, ofResource bool) {
	if len(properties) == 0 && !ofResource {
		return
	}
	if ofResource {
		properties = slices.DeleteFunc(slices.Clone(properties), func(p Property) bool { return isMetaField(p.Name) })
		for _, name := range []string{"apiVersion", "kind", "metadata"} {
			properties = append(properties, Property{Name: name})
		}
		slices.SortFunc(properties, byName)
	}
	m.name(name)
	sub := begin(m.dst)
	for _, p := range properties {
		sub.name(p.Name)
		if p.Schema == nil {
			sub.dst = w.metaField(sub.dst, p.Name)
			continue
		}
		sub.dst = w.schema(sub.dst, p.Schema, nil)
	}
	m.dst = sub.end()
}

// metaField writes the schema of a field of a resource's type, or that of its metadata.
func (w writer) metaField(dst []byte, name string) []byte {
	m := begin(dst)
	switch name {
	case "apiVersion":
		m.text("description", "The group and version of the schema that the object is written in.")
		m.text("type", "string")
	case "kind":
		m.text("description", "The kind of the object, in CamelCase.")
		m.text("type", "string")
	default:
		const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
		const description = "Name, labels and other metadata that all objects have."
		if w.v2 {
			m.text("$ref", "#/definitions/"+meta)
			m.text("description", description)
			break
		}
		m.value("allOf", []any{map[string]any{"$ref": "#/components/schemas/" + meta}})
		m.text("description", description)
	}
	return m.end()
}

// oddReference writes the fields of no structural schema whose names sort first.
func (w writer) oddReference(m *members, s *Schema) {
	if s.odd == nil {
		return
	}
	if s.odd.ref != nil {
		m.value("$ref", *s.odd.ref)
	}
	m.text("$schema", s.odd.schema)
	w.additional(m, "additionalItems", s.odd.additionalItems)
}

// oddSchemas writes definitions and dependencies.
func (w writer) oddSchemas(m *members, s *Schema) {
	if s.odd == nil {
		return
	}
	w.properties(m, "definitions", s.odd.definitions, false)
	if len(s.odd.dependencies) == 0 {
		return
	}
	m.name("dependencies")
	sub := begin(m.dst)
	for _, d := range s.odd.dependencies {
		switch {
		case len(d.fields) > 0:
			sub.texts(d.name, d.fields)
		case d.schema != nil:
			sub.name(d.name)
			sub.dst = w.schema(sub.dst, d.schema, nil)
		default:
			sub.value(d.name, nil)
		}
	}
	m.dst = sub.end()
}
