package schema

import (
	"encoding/json"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// statusErrors finds what may not stand at the root of a schema if its status is a
// subresource, since the API checks the status by the schema of that property alone.
// Only the first is named, in the order in which the API has the fields.
func (s *Schema) statusErrors(field string) object.FieldErrors {
	const detail = "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern" +
		" MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]" +
		" fields are allowed at the root of the schema if the status subresource is enabled"
	var o odd
	if s.odd != nil {
		o = *s.odd
	}
	first := o.id != "" || o.schema != "" || o.ref != nil
	if !first && s.Type != "" && s.Type != "object" {
		return object.FieldErrors{object.InvalidField(child(field, "type"), s.Type,
			`only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)}
	}
	if first || s.Nullable || s.Default != nil || s.Enum != nil || s.MaxProperties != nil || s.MinProperties != nil ||
		s.AllOf != nil || s.OneOf != nil || s.AnyOf != nil || s.Not != nil || s.AdditionalProperties != nil ||
		o.patternProperties != nil || o.dependencies != nil || o.additionalItems != nil || o.definitions != nil ||
		s.EmbeddedResource || s.IntOrString || s.ListMapKeys != nil || s.hasListType() || s.hasMapType() {
		return object.FieldErrors{object.InvalidField(field, s.inGo(), detail)}
	}
	return nil
}

func (s *Schema) hasListType() bool { return s.ListType != "" || s.odd != nil && s.odd.emptyListType }

func (s *Schema) hasMapType() bool { return s.MapType != "" || s.odd != nil && s.odd.emptyMapType }

// goSchema is a schema as messages show it: the JSON of the Go type that the API
// uses within, whose fields have no tags.
type goSchema struct {
	ID, Schema                      string
	Ref                             *string
	Description, Type               string
	Nullable                        bool
	Format, Title                   string
	Default                         any
	Maximum                         *float64
	ExclusiveMaximum                bool
	Minimum                         *float64
	ExclusiveMinimum                bool
	MaxLength, MinLength            *int64
	Pattern                         string
	MaxItems, MinItems              *int64
	UniqueItems                     bool
	MultipleOf                      *float64
	Enum                            []any
	MaxProperties, MinProperties    *int64
	Required                        []string
	Items                           *goItems
	AllOf, OneOf, AnyOf             []*goSchema
	Not                             *goSchema
	Properties                      map[string]*goSchema
	AdditionalProperties            *goSchemaOrBool
	PatternProperties               map[string]*goSchema
	Dependencies                    map[string]goDependency
	AdditionalItems                 *goSchemaOrBool
	Definitions                     map[string]*goSchema
	ExternalDocs                    *ExternalDocs
	Example                         any
	XPreserveUnknownFields          *bool
	XEmbeddedResource, XIntOrString bool
	XListMapKeys                    []string
	XListType, XMapType             *string
	XValidations                    []goRule
}

type goItems struct {
	Schema      *goSchema
	JSONSchemas []*goSchema
}

type goSchemaOrBool struct {
	Allows bool
	Schema *goSchema
}

type goDependency struct {
	Schema   *goSchema
	Property []string
}

type goRule struct {
	Rule, Message, MessageExpression string
	Reason                           *string
	FieldPath                        string
	OptionalOldSelf                  *bool
}

func (s *Schema) inGo() *goSchema {
	if s == nil {
		return nil
	}
	o := s.odd
	if o == nil {
		o = &odd{}
	}
	g := &goSchema{
		ID: o.id, Schema: o.schema, Ref: o.ref, Description: s.Description, Type: s.Type, Nullable: s.Nullable,
		Format: s.Format, Title: s.Title, Default: inJSON(s.Default), Example: inJSON(s.Example),
		Maximum: s.Maximum, ExclusiveMaximum: s.ExclusiveMaximum, Minimum: s.Minimum, ExclusiveMinimum: s.ExclusiveMinimum,
		MaxLength: s.MaxLength, MinLength: s.MinLength, Pattern: s.Pattern.String(), MaxItems: s.MaxItems, MinItems: s.MinItems,
		UniqueItems: s.UniqueItems, MultipleOf: s.MultipleOf, Enum: s.Enum, MaxProperties: s.MaxProperties, MinProperties: s.MinProperties,
		Required: s.Required, Items: s.itemsInGo(), AllOf: allInGo(s.AllOf), OneOf: allInGo(s.OneOf), AnyOf: allInGo(s.AnyOf), Not: s.Not.inGo(),
		Properties: propertiesInGo(s.Properties), AdditionalProperties: s.AdditionalProperties.inGo(),
		PatternProperties: propertiesInGo(o.patternProperties), AdditionalItems: o.additionalItems.inGo(), Definitions: propertiesInGo(o.definitions),
		ExternalDocs: s.ExternalDocs, XEmbeddedResource: s.EmbeddedResource, XIntOrString: s.IntOrString, XListMapKeys: s.ListMapKeys,
		XListType: pointed(s.ListType, s.hasListType()), XMapType: pointed(s.MapType, s.hasMapType()),
		XPreserveUnknownFields: pointed(s.PreserveUnknownFields, s.PreserveUnknownFields || o.preserveUnknownFalse),
	}
	if o.dependencies != nil {
		g.Dependencies = map[string]goDependency{}
		for _, d := range o.dependencies {
			g.Dependencies[d.name] = goDependency{d.schema.inGo(), d.fields}
		}
	}
	for _, r := range s.Rules {
		g.XValidations = append(g.XValidations, goRule{
			r.Rule, r.Message, r.MessageExpression, pointed(r.Reason, r.Reason != "" || r.emptyReason), r.FieldPath, r.OptionalOldSelf,
		})
	}
	return g
}

func (s *Schema) itemsInGo() *goItems {
	switch {
	case s.Items != nil:
		return &goItems{Schema: s.Items.inGo()}
	case s.odd != nil && s.odd.itemsList:
		return &goItems{JSONSchemas: allInGo(s.odd.items)}
	}
	return nil
}

func (s *SchemaOrBool) inGo() *goSchemaOrBool {
	if s == nil {
		return nil
	}
	return &goSchemaOrBool{s.Allows, s.Schema.inGo()}
}

func allInGo(schemas []*Schema) []*goSchema {
	if schemas == nil {
		return nil
	}
	all := make([]*goSchema, len(schemas))
	for i, s := range schemas {
		all[i] = s.inGo()
	}
	return all
}

func propertiesInGo(properties []Property) map[string]*goSchema {
	if properties == nil {
		return nil
	}
	all := make(map[string]*goSchema, len(properties))
	for _, p := range properties {
		all[p.Name] = p.Schema.inGo()
	}
	return all
}

func pointed[T any](v T, present bool) *T {
	if !present {
		return nil
	}
	return &v
}

// inJSON keeps a value as the document has it.
func inJSON(v any) any {
	if v == nil {
		return nil
	}
	return json.RawMessage(object.AppendJSON(nil, v))
}
