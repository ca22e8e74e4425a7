package schema

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// nodeChecker checks every node of a schema, wherever it stands.
type nodeChecker struct {
	reporter
	relaxed Relaxed
}

// nodePlace is what the place of a node forbids.
type nodePlace struct {
	root       bool
	inMeta     bool   // in the type or metadata of a resource
	noDefaults string // why there may be none, if not empty
}

func (p nodePlace) within() nodePlace {
	p.root = false
	return p
}

func (c *nodeChecker) node(s *Schema, p nodePlace) {
	if s == nil {
		return
	}
	c.fields(s, p)
	if s.UniqueItems {
		c.forbidden("uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	c.below(s, p)
	c.extensions(s)
	if !c.relaxed.NullableListMapKeys {
		c.errs = append(c.errs, keyErrors(s, &c.trail)...)
	}
	for i := range s.Rules {
		c.rule(s, &s.Rules[i], indexed("x-kubernetes-validations", i))
	}
}

// fields checks for fields that may not be there.
func (c *nodeChecker) fields(s *Schema, p nodePlace) {
	if s.Type != "" && !isType(s.Type) && !c.relaxed.AnyType {
		c.errs = append(c.errs, object.UnsupportedField(c.path("type"), s.Type,
			"array", "boolean", "integer", "number", "object", "string"))
	}
	if s.Default != nil && p.noDefaults != "" {
		c.forbidden("default", "must not be set "+p.noDefaults)
	}
	if s.odd != nil {
		c.oddities(s.odd)
	}
	if s.Type == "null" {
		c.forbidden("type", "type cannot be set to null, use nullable as an alternative")
	}
	if s.odd != nil && len(s.odd.items) > 0 {
		c.forbidden("items", "items must be a schema object and not an array")
	}
	if p.inMeta && s.EmbeddedResource {
		c.forbidden("x-kubernetes-embedded-resource", "must not be used inside of resource meta")
	}
}

func (c *nodeChecker) oddities(o *odd) {
	for _, f := range []struct {
		set  bool
		name string
	}{
		{o.id != "", "id"},
		{o.additionalItems != nil, "additionalItems"},
		{len(o.patternProperties) > 0, "patternProperties"},
		{len(o.definitions) > 0, "definitions"},
		{o.dependencies != nil, "dependencies"},
		{o.ref != nil, "$ref"},
	} {
		if f.set {
			c.forbidden(f.name, f.name+" is not supported")
		}
	}
}

// below checks the nodes in a node, in the order of the API.
func (c *nodeChecker) below(s *Schema, p nodePlace) {
	if extra := s.AdditionalProperties; extra != nil {
		if len(s.Properties) > 0 && (!extra.Allows || extra.Schema != nil) {
			c.forbidden("additionalProperties", "additionalProperties and properties are mutual exclusive")
		}
		sub := p.within()
		if p.inMeta {
			sub.noDefaults = "inside additionalProperties applying to object metadata"
		}
		c.enter("additionalProperties")
		c.node(extra.Schema, sub)
		c.leave(1)
	}
	for _, property := range s.Properties {
		sub := p.within()
		if (p.root || s.EmbeddedResource) && isMetaField(property.Name) {
			sub.inMeta = true
			if p.root {
				sub.noDefaults = "in top-level " + property.Name
			}
		}
		c.enterKey("properties", property.Name)
		c.node(property.Schema, sub)
		c.leave(2)
	}
	c.in(s.Not, p, "not")
	c.all(s.AllOf, p, "allOf")
	c.all(s.OneOf, p, "oneOf")
	c.all(s.AnyOf, p, "anyOf")
	if s.odd != nil {
		for _, d := range s.odd.definitions {
			c.enterKey("definitions", d.Name)
			c.node(d.Schema, p.within())
			c.leave(2)
		}
	}
	c.in(s.Items, p, "items")
	if s.odd != nil {
		c.all(s.odd.items, p, "items")
		for _, d := range s.odd.dependencies {
			c.enterKey("dependencies", d.name)
			c.node(d.schema, p.within())
			c.leave(2)
		}
	}
}

func (c *nodeChecker) all(schemas []*Schema, p nodePlace, name string) {
	for i, sub := range schemas {
		c.enterIndex(name, i)
		c.node(sub, p.within())
		c.leave(2)
	}
}

func (c *nodeChecker) in(s *Schema, p nodePlace, name string) {
	c.enter(name)
	c.node(s, p.within())
	c.leave(1)
}

// extensions checks the fields of Kubernetes' own.
func (c *nodeChecker) extensions(s *Schema) {
	if s.odd != nil && s.odd.preserveUnknownFalse {
		c.invalid("x-kubernetes-preserve-unknown-fields", false, "must be true or undefined")
	}
	if s.hasMapType() {
		c.mustHaveType(s, "object", "must be object if x-kubernetes-map-type is specified")
		if s.MapType != "atomic" && s.MapType != "granular" {
			c.errs = append(c.errs, object.UnsupportedField(c.path("x-kubernetes-map-type"), s.MapType, "atomic", "granular"))
		}
	}
	if s.hasListType() {
		c.mustHaveType(s, "array", "must be array if x-kubernetes-list-type is specified")
		if s.Type == "array" && s.ListType == "set" && s.Items != nil && !c.relaxed.NonAtomicSets {
			c.atomicItems(s.Items)
		}
		if s.ListType != "atomic" && s.ListType != "set" && s.ListType != "map" {
			c.errs = append(c.errs, object.UnsupportedField(c.path("x-kubernetes-list-type"), s.ListType, "atomic", "set", "map"))
		}
	}
	c.listMap(s)
}

func (c *nodeChecker) mustHaveType(s *Schema, typeName, detail string) {
	switch s.Type {
	case typeName:
	case "":
		c.required("type", detail)
	default:
		c.invalid("type", s.Type, detail)
	}
}

// mergedList says whether the node is a list that updates merge.
func (s *Schema) mergedList() bool {
	return s.Type == "array" && s.hasListType() && s.ListType != "atomic"
}

// mergedMap says whether the node is an object that updates merge.
func (s *Schema) mergedMap() bool { return s.Type == "object" && s.MapType != "atomic" }

// atomicItems checks the items of a list of type set. The API shows the list type of
// the items in both messages.
func (c *nodeChecker) atomicItems(items *Schema) {
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	switch {
	case items.mergedList():
		c.invalid("items.x-kubernetes-list-type", pointed(items.ListType, true), detail)
	case items.mergedMap():
		c.invalid("items.x-kubernetes-map-type", pointed(items.ListType, items.hasListType()), detail)
	}
}

// listMap checks lists of type map and their keys.
func (c *nodeChecker) listMap(s *Schema) {
	const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
	if len(s.ListMapKeys) > 0 {
		switch {
		case !s.hasListType():
			c.required("x-kubernetes-list-type", detail)
		case s.ListType != "map":
			c.invalid("x-kubernetes-list-type", s.ListType, detail)
		}
	}
	if s.ListType != "map" {
		return
	}
	const keys, items = "x-kubernetes-list-map-keys", "items"
	if len(s.ListMapKeys) == 0 {
		c.required(keys, "must not be empty if x-kubernetes-list-type is map")
	}
	switch {
	case s.Items == nil && (s.odd == nil || !s.odd.itemsList):
		c.required(items, "must have a schema if x-kubernetes-list-type is map")
	case s.Items == nil:
		c.invalid(items, s.itemsInGo(), "must only have a single schema if x-kubernetes-list-type is map")
	case s.Items.Type != "object":
		c.invalid("items.type", s.Items.Type, "must be object if parent array's x-kubernetes-list-type is map")
	default:
		c.keys(s)
	}
}

func (c *nodeChecker) keys(s *Schema) {
	const field = "x-kubernetes-list-map-keys"
	seen := map[string]bool{}
	for _, key := range s.ListMapKeys {
		switch p := s.Items.Property(key); {
		case p == nil:
			c.invalid(field, s.ListMapKeys, "entries must all be names of item properties")
		case p.Type == "array" || p.Type == "object":
			c.invalid(keyed("items.properties", key)+".type", s.Items.Type, "must be a scalar type if parent array's x-kubernetes-list-type is map")
		}
		if seen[key] {
			c.invalid(field, s.ListMapKeys, "must not contain duplicate entries")
		}
		seen[key] = true
	}
}

// keyErrors checks that items of lists of type map and set, and the keys of the
// former, are always there.
func keyErrors(s *Schema, at *trail) object.FieldErrors {
	if s.Items == nil || s.ListType != "set" && s.ListType != "map" {
		return nil
	}
	var errs object.FieldErrors
	if s.Items.Nullable {
		errs = append(errs, object.ForbiddenField(at.path("items.nullable"), "cannot be nullable when x-kubernetes-list-type is "+s.ListType))
	}
	if s.ListType == "set" {
		return errs
	}
	required := map[string]bool{}
	for _, name := range s.Items.Required {
		required[name] = true
	}
	for _, key := range s.ListMapKeys {
		p := s.Items.Property(key)
		if p == nil {
			continue
		}
		property := keyed("items.properties", key)
		if !required[key] && p.Default == nil {
			errs = append(errs, object.RequiredField(at.path(property+".default"),
				"this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if p.Nullable {
			errs = append(errs, object.ForbiddenField(at.path(property+".nullable"),
				"this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return errs
}
