package schema

import (
	"slices"
	"strings"
)

// Parse makes a schema of the document of one, such as the value of openAPIV3Schema.
// It takes what the API can decode, structural or not; [Schema.IsStructural] tells
// which. Fields that are unknown to the API are ignored. A value of the wrong type
// gives a [*TypeError]. The document is not kept.
func Parse(doc map[string]any) (*Schema, error) {
	s, _, err := new(Pool).Parse(doc)
	return s, err
}

// parser reads one document.
type parser struct {
	pool    *Pool
	where   route
	within  string // the Go structure around the fields that are read; empty for a schema
	nested  int    // how many decoders of their own the API is inside of
	unknown []string
	wrong   *TypeError
}

// schema reads a node. What is no object gives an empty one, and an error.
func (p *parser) schema(v any) *Schema {
	doc, ok := v.(map[string]any)
	if !ok && v != nil {
		p.mistyped(v, "v1.JSONSchemaProps")
	}
	s := &Schema{}
	for name, v := range doc {
		known := v != nil && p.field(s, name, v) || v == nil && isField(name)
		if !known && p.nested == 0 {
			p.unknown = append(p.unknown, child(p.where.dotted(), name))
		}
	}
	return p.pool.share(s)
}

// field reads one field; ok is false if the API knows none of that name.
func (p *parser) field(s *Schema, name string, v any) (ok bool) {
	p.where.field(name)
	defer p.where.pop()
	switch name {
	case "type":
		s.Type = p.text(v)
	case "format":
		s.Format = p.text(v)
	case "title":
		s.Title = p.text(v)
	case "description":
		s.Description = p.text(v)
	case "default":
		s.Default = p.pool.value(v)
	case "example":
		s.Example = p.pool.value(v)
	case "externalDocs":
		s.ExternalDocs = p.externalDocs(v)
	case "items":
		p.items(s, v)
	case "properties":
		s.Properties = p.properties(v, "map[string]v1.JSONSchemaProps")
	case "additionalProperties":
		s.AdditionalProperties = p.schemaOrBool(v)
	case "required":
		s.Required = p.texts(v)
	case "enum":
		s.Enum = p.values(v)
	case "allOf":
		s.AllOf = p.schemas(v)
	case "anyOf":
		s.AnyOf = p.schemas(v)
	case "oneOf":
		s.OneOf = p.schemas(v)
	case "not":
		s.Not = p.schema(v)
	case "nullable":
		s.Nullable = p.flag(v)
	default:
		return p.limit(s, name, v) || p.extension(s, name, v) || p.odd(s, name, v)
	}
	return true
}

// isField says whether the API knows the field of a schema.
func isField(name string) bool {
	p := parser{pool: &Pool{}}
	p.pool.begin()
	return p.field(&Schema{}, name, nil)
}

// limit reads a field that limits a value.
func (p *parser) limit(s *Schema, name string, v any) (ok bool) {
	switch name {
	case "maximum":
		s.Maximum = p.number(v)
	case "exclusiveMaximum":
		s.ExclusiveMaximum = p.flag(v)
	case "minimum":
		s.Minimum = p.number(v)
	case "exclusiveMinimum":
		s.ExclusiveMinimum = p.flag(v)
	case "multipleOf":
		s.MultipleOf = p.number(v)
	case "maxLength":
		s.MaxLength = p.count(v)
	case "minLength":
		s.MinLength = p.count(v)
	case "maxItems":
		s.MaxItems = p.count(v)
	case "minItems":
		s.MinItems = p.count(v)
	case "uniqueItems":
		s.UniqueItems = p.flag(v)
	case "maxProperties":
		s.MaxProperties = p.count(v)
	case "minProperties":
		s.MinProperties = p.count(v)
	case "pattern":
		s.Pattern = p.pool.pattern(p.text(v))
	default:
		return false
	}
	return true
}

// extension reads a field of Kubernetes' own.
func (p *parser) extension(s *Schema, name string, v any) (ok bool) {
	switch name {
	case "x-kubernetes-preserve-unknown-fields":
		if s.PreserveUnknownFields = p.flag(v); !s.PreserveUnknownFields {
			s.oddity().preserveUnknownFalse = true
		}
	case "x-kubernetes-embedded-resource":
		s.EmbeddedResource = p.flag(v)
	case "x-kubernetes-int-or-string":
		s.IntOrString = p.flag(v)
	case "x-kubernetes-list-type":
		if s.ListType = p.text(v); s.ListType == "" {
			s.oddity().emptyListType = true
		}
	case "x-kubernetes-list-map-keys":
		s.ListMapKeys = p.texts(v)
	case "x-kubernetes-map-type":
		if s.MapType = p.text(v); s.MapType == "" {
			s.oddity().emptyMapType = true
		}
	case "x-kubernetes-validations":
		s.Rules = p.rules(v)
	default:
		return false
	}
	return true
}

// odd reads a field that no structural schema may have.
func (p *parser) odd(s *Schema, name string, v any) (ok bool) {
	switch name {
	case "id":
		s.oddity().id = p.text(v)
	case "$schema":
		s.oddity().schema = p.text(v)
	case "$ref":
		ref := p.text(v)
		s.oddity().ref = &ref
	case "patternProperties":
		s.oddity().patternProperties = p.properties(v, "map[string]v1.JSONSchemaProps")
	case "dependencies":
		s.oddity().dependencies = p.dependencies(v)
	case "additionalItems":
		s.oddity().additionalItems = p.schemaOrBool(v)
	case "definitions":
		s.oddity().definitions = p.properties(v, "v1.JSONSchemaDefinitions")
	default:
		return false
	}
	return true
}

func (s *Schema) oddity() *odd {
	if s.odd == nil {
		s.odd = &odd{}
	}
	return s.odd
}

func (p *parser) items(s *Schema, v any) {
	p.nested++
	defer func() { p.nested-- }()
	switch v := v.(type) {
	case map[string]any:
		s.Items = p.schema(v)
	case []any:
		s.oddity().itemsList = true
		s.odd.items = p.schemas(v)
	default: // the API takes it for a list of none
		s.oddity().itemsList = true
	}
}

func (p *parser) schemaOrBool(v any) *SchemaOrBool {
	p.nested++
	defer func() { p.nested-- }()
	switch v := v.(type) {
	case map[string]any:
		return &SchemaOrBool{Schema: p.schema(v), Allows: true}
	case bool:
		if v {
			return allowed
		}
		return refused
	}
	p.fail(&TypeError{text: "boolean or JSON schema expected"})
	return nil
}

var allowed, refused = &SchemaOrBool{Allows: true}, &SchemaOrBool{}

func (p *parser) properties(v any, goType string) []Property {
	doc, ok := v.(map[string]any)
	if !ok {
		p.mistyped(v, goType)
		return nil
	}
	properties := make([]Property, 0, len(doc))
	for name, v := range doc {
		p.where.key(name)
		properties = append(properties, Property{p.pool.text(name), p.schema(v)})
		p.where.pop()
	}
	slices.SortFunc(properties, byName)
	return properties
}

func (p *parser) schemas(v any) []*Schema {
	list, ok := v.([]any)
	if !ok {
		p.mistyped(v, "[]v1.JSONSchemaProps")
		return nil
	}
	schemas := make([]*Schema, len(list))
	for i, v := range list {
		p.where.index(i)
		schemas[i] = p.schema(v)
		p.where.pop()
	}
	return schemas
}

func (p *parser) dependencies(v any) []dependency {
	doc, ok := v.(map[string]any)
	if !ok {
		p.mistyped(v, "v1.JSONSchemaDependencies")
		return nil
	}
	p.nested++
	defer func() { p.nested-- }()
	dependencies := make([]dependency, 0, len(doc))
	for name, v := range doc {
		d := dependency{name: name}
		switch v := v.(type) {
		case map[string]any:
			d.schema = p.schema(v)
		case []any:
			d.fields = p.texts(v)
		}
		dependencies = append(dependencies, d)
	}
	slices.SortFunc(dependencies, func(a, b dependency) int { return strings.Compare(a.name, b.name) })
	return dependencies
}

func (p *parser) externalDocs(v any) *ExternalDocs {
	docs := &ExternalDocs{}
	p.members(v, "v1.ExternalDocumentation", func(name string, v any) bool {
		switch name {
		case "description":
			docs.Description = p.text(v)
		case "url":
			docs.URL = p.text(v)
		default:
			return false
		}
		return true
	})
	return docs
}

func (p *parser) rules(v any) []Rule {
	list, ok := v.([]any)
	if !ok {
		p.mistyped(v, "v1.ValidationRules")
		return nil
	}
	rules := make([]Rule, len(list))
	for i, v := range list {
		p.where.index(i)
		p.rule(&rules[i], v)
		p.where.pop()
	}
	return rules
}

func (p *parser) rule(r *Rule, v any) {
	p.members(v, "v1.ValidationRule", func(name string, v any) bool {
		switch name {
		case "rule":
			r.Rule = p.text(v)
		case "message":
			r.Message = p.text(v)
		case "messageExpression":
			r.MessageExpression = p.text(v)
		case "reason":
			r.Reason = p.textOf(v, "v1.FieldValueErrorReason")
			r.emptyReason = r.Reason == ""
		case "fieldPath":
			r.FieldPath = p.text(v)
		case "optionalOldSelf":
			optional := p.flag(v)
			r.OptionalOldSelf = &optional
		default:
			return false
		}
		return true
	})
}

// members reads the fields of a structure without fields of its own kind.
func (p *parser) members(v any, goType string, field func(name string, v any) (known bool)) {
	doc, ok := v.(map[string]any)
	if !ok && v != nil {
		p.mistyped(v, goType)
	}
	p.within = strings.TrimPrefix(goType, "v1.")
	defer func() { p.within = "" }()
	for name, v := range doc {
		if v == nil {
			continue
		}
		p.where.field(name)
		known := field(name, v)
		p.where.pop()
		if !known && p.nested == 0 {
			p.unknown = append(p.unknown, child(p.where.dotted(), name))
		}
	}
}

func (p *parser) text(v any) string { return p.textOf(v, "string") }

func (p *parser) textOf(v any, goType string) string {
	s, ok := v.(string)
	if !ok {
		p.mistyped(v, goType)
	}
	return p.pool.text(s)
}

func (p *parser) texts(v any) []string {
	list, ok := v.([]any)
	if !ok {
		p.mistyped(v, "[]string")
		return nil
	}
	texts := make([]string, len(list))
	for i, v := range list {
		if v != nil {
			texts[i] = p.text(v)
		}
	}
	return texts
}

func (p *parser) flag(v any) bool {
	b, ok := v.(bool)
	if !ok {
		p.mistyped(v, "bool")
	}
	return b
}

func (p *parser) number(v any) *float64 {
	var f float64
	switch v := v.(type) {
	case float64:
		f = v
	case int64:
		f = float64(v)
	default:
		p.mistyped(v, "float64")
		return nil
	}
	return &f
}

func (p *parser) count(v any) *int64 {
	n, ok := v.(int64)
	if !ok {
		p.mistyped(v, "int64")
		return nil
	}
	return &n
}

func (p *parser) values(v any) []any {
	list, ok := v.([]any)
	if !ok {
		p.mistyped(v, "[]v1.JSON")
		return nil
	}
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = p.pool.value(v)
	}
	return values
}
