package schema

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// defaultErrors says what is wrong with the defaults of a schema. Those of additional
// properties are not looked at, as in the API.
func (s *Schema) defaultErrors(field string, o CheckOptions) object.FieldErrors {
	if !s.HasDefaults() {
		return nil
	}
	c := defaultChecker{options: o}
	c.node(s, field, defaultPlace{resource: s, isResource: true})
	return c.errs
}

type defaultChecker struct {
	options CheckOptions
	errs    object.FieldErrors
	stopped bool
}

// defaultPlace is where a default stands within the resource around it.
type defaultPlace struct {
	resource   *Schema
	isResource bool  // the node is that of the resource
	route      route // from the resource
	inMeta     bool  // in its type or metadata
}

func (p defaultPlace) field(name string) defaultPlace {
	p.inMeta = p.inMeta || p.isResource && isMetaField(name)
	p.isResource = false
	p.route = append(slices.Clip(p.route), step{name: name, index: -1})
	return p
}

func (p defaultPlace) item() defaultPlace {
	p.isResource = false
	p.route = append(slices.Clip(p.route), step{})
	return p
}

// around gives an object that has the value in this place and nothing else.
func (p defaultPlace) around(v any) any {
	for i := len(p.route) - 1; i >= 0; i-- {
		if p.route[i].name == "" && p.route[i].index == 0 {
			v = []any{v}
		} else {
			v = map[string]any{p.route[i].name: v}
		}
	}
	return v
}

func (c *defaultChecker) node(s *Schema, field string, p defaultPlace) {
	if !s.HasDefaults() || c.stopped {
		return
	}
	if s.EmbeddedResource {
		p = defaultPlace{resource: s, isResource: true}
	}
	if s.Default != nil {
		c.value(s, child(field, "default"), p)
	}
	c.node(s.Items, child(field, "items"), p.item())
	for _, property := range s.Properties {
		c.node(property.Schema, keyed(child(field, "properties"), property.Name), p.field(property.Name))
	}
}

func (c *defaultChecker) value(s *Schema, field string, p defaultPlace) {
	var errs object.FieldErrors
	value := clone(s.Default)
	if p.inMeta {
		errs = metaDefaultErrors(s, field, p)
	} else {
		c.pruned(s, value, field, p)
		errs = resourceErrors(s, value, field, p)
	}
	if len(errs) == 0 {
		errs = s.validateDefault(value, field)
	}
	if len(errs) == 0 && c.options.DefaultRules != nil && s.HasRules() {
		errs, c.stopped = c.options.DefaultRules(field, s, len(p.route) == 0 && p.isResource)
	}
	c.errs = append(c.errs, errs...)
}

// pruned checks that a default has no unknown fields. The message shows the value,
// which is yet to get its metadata in order.
func (c *defaultChecker) pruned(s *Schema, shown any, field string, p defaultPlace) {
	if c.options.UnprunedDefaults {
		return
	}
	value := clone(s.Default)
	if m, ok := value.(map[string]any); ok && p.isResource {
		s.Prune(m, false)
	} else {
		s.pruneValue(value)
	}
	if !sameValue(value, s.Default) {
		c.errs = append(c.errs, object.InvalidField(field, shown, "must not have unknown fields"))
	}
}

// resourceErrors checks the type and metadata of resources in a default, and gives
// the latter their proper form.
func resourceErrors(s *Schema, value any, field string, p defaultPlace) object.FieldErrors {
	co := coercer{root: field}
	if e := co.in(s, value, p.isResource); e != nil {
		return object.FieldErrors{e}
	}
	ch := embeddedChecker{root: field}
	ch.in(s, value, p.isResource)
	return ch.errs
}

// metaDefaultErrors checks that a default in a resource's metadata makes a good one.
func metaDefaultErrors(s *Schema, field string, p defaultPlace) object.FieldErrors {
	o, _ := p.around(clone(s.Default)).(map[string]any)
	for name, v := range map[string]string{"apiVersion": "validation/v1", "kind": "Validation"} {
		if _, ok := o[name]; !ok {
			o[name] = v
		}
	}
	errs := resourceErrors(p.resource, o, "", defaultPlace{isResource: true})
	if len(errs) == 0 {
		return nil
	}
	return object.FieldErrors{object.InvalidField(field, s.Default, "must result in valid metadata: "+errs.Error())}
}

// hasUnprunedDefaults says whether a default has unknown fields.
func (s *Schema) hasUnprunedDefaults() bool {
	return s.HasDefaults() && s.IsStructural() && s.WithPrunedDefaults() != s
}

// WithPrunedDefaults gives a schema that sets no unknown fields: those in defaults,
// which new definitions can't have, are removed. It is s itself if there are none.
func (s *Schema) WithPrunedDefaults() *Schema {
	return s.prunedDefaults(defaultPlace{resource: s, isResource: true})
}

func (s *Schema) prunedDefaults(p defaultPlace) *Schema {
	if !s.HasDefaults() {
		return s
	}
	t := *s
	changed := false
	if s.Default != nil {
		t.Default = p.prune(s.Default)
		changed = !sameValue(s.Default, t.Default)
	}
	if extra := s.Additional(); extra != nil {
		if pruned := extra.prunedDefaults(p.field("*")); pruned != extra {
			t.AdditionalProperties, changed = &SchemaOrBool{Schema: pruned, Allows: true}, true
		}
	}
	if t.Items = s.Items.prunedDefaults(p.item()); t.Items != s.Items {
		changed = true
	}
	t.Properties = slices.Clone(s.Properties)
	for i, property := range s.Properties {
		if pruned := property.Schema.prunedDefaults(p.field(property.Name)); pruned != property.Schema {
			t.Properties[i].Schema, changed = pruned, true
		}
	}
	if !changed {
		return s
	}
	t.below = 0
	t.derive()
	return &t
}

// prune gives a default without the fields that the resource around it doesn't know;
// nil if that leaves nothing.
func (p defaultPlace) prune(value any) any {
	o, ok := p.around(clone(value)).(map[string]any)
	if !ok {
		return value
	}
	c := coercer{misfits: dropMisfits}
	c.in(p.resource, o, true)
	p.resource.Prune(o, false)
	var v any = o
	for _, s := range p.route {
		switch x := v.(type) {
		case map[string]any:
			v = x[s.name]
		case []any:
			v = x[0]
		default:
			return nil
		}
	}
	return v
}
