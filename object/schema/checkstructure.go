package schema

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// place says what a node of the structure stands for.
type place int

const (
	atRoot place = iota
	inItems
	inField
)

// structureErrors says why a schema is not structural, in the order of the messages.
func (s *Schema) structureErrors(field string) object.FieldErrors {
	c := structureChecker{reporterAt(field)}
	c.node(s, atRoot)
	c.complete(s, s, field, field)
	slices.SortStableFunc(c.errs, func(a, b *object.FieldError) int { return cmp.Compare(a.Error(), b.Error()) })
	return c.errs
}

type structureChecker struct{ reporter }

// node checks a node outside of junctors.
func (c *structureChecker) node(s *Schema, at place) {
	if s == nil {
		return
	}
	if s.Type == "array" && s.Items == nil {
		c.required("items", "must be specified")
	}
	c.enter("items")
	c.node(s.Items, inItems)
	c.leave(1)
	for _, p := range s.Properties {
		c.enterKey("properties", p.Name)
		c.node(p.Schema, inField)
		c.leave(2)
	}
	if s.AdditionalProperties != nil {
		if at == atRoot {
			c.forbidden("additionalProperties", "must not be used at the root")
		}
		c.enter("additionalProperties")
		c.node(s.Additional(), inField)
		c.leave(1)
	}
	c.extensions(s)
	c.junctors(s, isIntOrString(s.AnyOf), len(s.AllOf) > 0 && isIntOrString(s.AllOf[0].AnyOf))
	c.typed(s, at)
	c.metaFields(s, at)
	if s.EmbeddedResource && !s.PreserveUnknownFields && len(s.Properties) == 0 {
		c.required("properties", "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
}

func (c *structureChecker) extensions(s *Schema) {
	if s.IntOrString && s.PreserveUnknownFields {
		c.invalid("x-kubernetes-preserve-unknown-fields", true, "must be false if x-kubernetes-int-or-string is true")
	}
	if s.IntOrString && s.EmbeddedResource {
		c.invalid("x-kubernetes-embedded-resource", true, "must be false if x-kubernetes-int-or-string is true")
	}
}

func (c *structureChecker) typed(s *Schema, at place) {
	const object = "must be object if x-kubernetes-embedded-resource is true"
	switch {
	case s.EmbeddedResource && s.Type == "":
		c.required("type", object)
	case s.EmbeddedResource && s.Type != "object":
		c.invalid("type", s.Type, object)
	case s.Type != "" || s.IntOrString || s.PreserveUnknownFields:
	case at == atRoot:
		c.required("type", "must not be empty at the root")
	case at == inItems:
		c.required("type", "must not be empty for specified array items")
	default:
		c.required("type", "must not be empty for specified object fields")
	}
	if s.EmbeddedResource && s.AdditionalProperties != nil {
		c.forbidden("additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
	}
	if at == atRoot && s.Type != "" && s.Type != "object" {
		c.invalid("type", s.Type, "must be object at the root")
	}
}

// metaFields checks the schemas of a resource's type and metadata.
func (c *structureChecker) metaFields(s *Schema, at place) {
	resource := at == atRoot || s.EmbeddedResource
	for _, name := range []string{"kind", "apiVersion"} {
		if p := s.Property(name); resource && p != nil && p.Type != "string" {
			c.invalid(keyed("properties", name)+".type", p.Type, "must be string")
		}
	}
	meta := s.Property("metadata")
	if meta == nil {
		return
	}
	if resource && meta.Type != "object" {
		c.invalid("properties[metadata].type", meta.Type, "must be object")
	}
	if at == atRoot && !restrictsNameOnly(meta) {
		c.forbidden("properties[metadata]", "must not specify anything other than name and generateName, but metadata is implicitly specified")
	}
}

// restrictsNameOnly says whether the schema of metadata has nothing but properties
// for name and generateName. Its default is refused elsewhere.
func restrictsNameOnly(meta *Schema) bool {
	for _, p := range meta.Properties {
		if p.Name != "name" && p.Name != "generateName" {
			return false
		}
	}
	rest := *meta
	rest.Type, rest.Properties, rest.Default = "", nil, nil
	return rest.sameNode(&Schema{})
}

// isIntOrString says whether the schemas are those that x-kubernetes-int-or-string
// allows to have types within a junctor.
func isIntOrString(anyOf []*Schema) bool {
	return len(anyOf) == 2 && anyOf[0].sameNode(&Schema{Type: "integer"}) && anyOf[1].sameNode(&Schema{Type: "string"})
}

// junctors checks the junctors of a node and its pattern.
func (c *structureChecker) junctors(s *Schema, skipAnyOf, skipFirstAllOfAnyOf bool) {
	if !skipAnyOf {
		for i, sub := range s.AnyOf {
			c.enterIndex("anyOf", i)
			c.nested(sub, false)
			c.leave(2)
		}
	}
	for i, sub := range s.AllOf {
		c.enterIndex("allOf", i)
		c.nested(sub, skipFirstAllOfAnyOf && i == 0)
		c.leave(2)
	}
	for i, sub := range s.OneOf {
		c.enterIndex("oneOf", i)
		c.nested(sub, false)
		c.leave(2)
	}
	c.enter("not")
	c.nested(s.Not, false)
	c.leave(1)
	if s.Pattern != nil {
		if _, err := regexp.Compile(s.Pattern.Source); err != nil {
			c.invalid("pattern", s.Pattern.Source, "must be a valid regular expression, but isn't: "+err.Error())
		}
	}
}

// nested checks a node within a junctor, which may restrict values but not say what
// they are.
func (c *structureChecker) nested(s *Schema, skipAnyOf bool) {
	if s == nil {
		return
	}
	c.junctors(s, skipAnyOf, false)
	c.enter("items")
	c.nested(s.Items, false)
	c.leave(1)
	for _, p := range s.Properties {
		c.enterKey("properties", p.Name)
		c.nested(p.Schema, false)
		c.leave(2)
	}
	for _, f := range []struct {
		set          bool
		name, detail string
	}{
		{s.Type != "", "type", "must be empty to be structural"},
		{s.AdditionalProperties != nil && s.AdditionalProperties.Allows, "additionalProperties", "must be undefined to be structural"},
		{s.Default != nil, "default", "must be undefined to be structural"},
		{s.Title != "", "title", "must be empty to be structural"},
		{s.Description != "", "description", "must be empty to be structural"},
		{s.Nullable, "nullable", "must be false to be structural"},
		{s.PreserveUnknownFields, "x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
		{s.EmbeddedResource, "x-kubernetes-embedded-resource", "must be false to be structural"},
		{s.IntOrString, "x-kubernetes-int-or-string", "must be false to be structural"},
		{len(s.ListMapKeys) > 0, "x-kubernetes-list-map-keys", "must be empty to be structural"},
		{s.hasListType(), "x-kubernetes-list-type", "must be undefined to be structural"},
		{s.hasMapType(), "x-kubernetes-map-type", "must be undefined to be structural"},
		{len(s.Rules) > 0, "x-kubernetes-validations", "must be empty to be structural"},
	} {
		if f.set {
			c.forbidden(f.name, f.detail)
		}
	}
	if s.Property("metadata") != nil {
		c.forbidden("properties[metadata]", "must not be specified in a nested context")
	}
}

// complete checks that what the junctors of v restrict is given by the structure s.
func (c *structureChecker) complete(v, s *Schema, sField, vField string) {
	c.completeNested(v.Not, s, sField, child(vField, "not"))
	for i, sub := range v.AllOf {
		c.completeNested(sub, s, sField, indexed(child(vField, "allOf"), i))
	}
	for i, sub := range v.AnyOf {
		c.completeNested(sub, s, sField, indexed(child(vField, "anyOf"), i))
	}
	for i, sub := range v.OneOf {
		c.completeNested(sub, s, sField, indexed(child(vField, "oneOf"), i))
	}
}

func (c *structureChecker) completeNested(v, s *Schema, sField, vField string) {
	if v == nil {
		return
	}
	if s == nil {
		c.errs = append(c.errs, object.RequiredField(sField, "because it is defined in "+vField))
		return
	}
	c.complete(v, s, sField, vField)
	c.completeNested(v.Items, s.Items, child(sField, "items"), child(vField, "items"))
	for _, p := range v.Properties {
		sProperty, vProperty := keyed(child(sField, "properties"), p.Name), keyed(child(vField, "properties"), p.Name)
		c.completeNested(p.Schema, s.Property(p.Name), sProperty, vProperty)
	}
}
