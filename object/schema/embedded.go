package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Coerce gives the metadata of embedded resources the form that its type gives it, in
// place, and checks that their apiVersion and kind are texts. The first problem, in
// the order of names, is the error, a [*object.FieldError]; the API answers it with
// BadRequest. Unknown fields of metadata are removed and their paths returned, sorted.
//
// With drop it makes the best of what it finds, as the API does with what it reads
// from its store: what has the wrong type is removed, and there is no error.
func (s *Schema) Coerce(value any, field string, drop bool) (unknown []string, err error) {
	if s == nil || s.below&hasEmbedded == 0 {
		return nil, nil
	}
	c := coercer{root: field, misfits: refuseMisfits}
	if drop {
		c.misfits = dropMisfits
	}
	if e := c.value(s, plain(value)); e != nil {
		return nil, e
	}
	slices.Sort(c.unknown)
	return c.unknown, nil
}

// CoerceFitting is [Schema.Coerce] for values that were merged: what has the wrong type,
// null included, stays for [Schema.Validate] and [Schema.ValidateEmbedded] to see.
func (s *Schema) CoerceFitting(value any) {
	c := coercer{misfits: keepMisfits}
	_ = c.value(s, plain(value)) // there is no error as it keeps what is wrong
}

// misfits is what becomes of values of the wrong type.
type misfits int

const (
	refuseMisfits misfits = iota
	dropMisfits
	keepMisfits
)

type coercer struct {
	root    string
	misfits misfits
	route   route
	unknown []string
}

func (c *coercer) value(s *Schema, v any) *object.FieldError {
	if s == nil || s.below&hasEmbedded == 0 {
		return nil
	}
	return c.in(s, v, s.EmbeddedResource)
}

// in coerces a value that may count as a resource.
func (c *coercer) in(s *Schema, v any, resource bool) *object.FieldError {
	switch v := v.(type) {
	case map[string]any:
		return c.object(s, v, resource)
	case []any:
		for i := range v {
			c.route.index(i)
			if err := c.value(s.Items, v[i]); err != nil {
				return err
			}
			c.route.pop()
		}
	}
	return nil
}

func (c *coercer) object(s *Schema, m map[string]any, resource bool) *object.FieldError {
	for name, v := range inOrder(m) {
		if resource && isMetaField(name) {
			if err := c.meta(m, name, v); err != nil {
				return err
			}
			v = m[name]
		}
		if err := c.value(c.route.member(s, name), v); err != nil {
			return err
		}
		c.route.pop()
	}
	return nil
}

// meta coerces a field of the type or metadata of an embedded resource.
func (c *coercer) meta(m map[string]any, name string, v any) *object.FieldError {
	if name == "metadata" {
		return c.metadata(m, v)
	}
	if _, ok := v.(string); ok {
		return nil
	}
	switch c.misfits {
	case refuseMisfits:
		return object.InvalidField(child(c.route.under(c.root), name), v, "must be a string")
	case dropMisfits:
		delete(m, name)
	}
	return nil
}

func (c *coercer) metadata(m map[string]any, v any) *object.FieldError {
	_, isObject := v.(map[string]any)
	if !isObject && c.misfits == keepMisfits {
		return nil
	}
	unknown, err := object.NormalizeMeta(m)
	switch {
	case err == nil:
	case c.misfits == keepMisfits:
		return nil
	case c.misfits == refuseMisfits:
		return object.InvalidField(child(c.route.under(c.root), "metadata"), v, err.Error())
	case !isObject:
		return nil
	default:
		unknown = object.RepairMeta(m)
	}
	for _, path := range unknown {
		c.unknown = append(c.unknown, child(c.route.under(c.root), path))
	}
	return nil
}

// ValidateEmbedded says what is wrong with the type and metadata of embedded
// resources, in the API's words. Field is the path of the value.
func (s *Schema) ValidateEmbedded(value any, field string) object.FieldErrors {
	if s == nil || s.below&hasEmbedded == 0 {
		return nil
	}
	c := embeddedChecker{root: field}
	c.value(s, plain(value))
	return c.errs
}

type embeddedChecker struct {
	root  string
	route route
	errs  object.FieldErrors
}

func (c *embeddedChecker) value(s *Schema, v any) {
	if s == nil || s.below&hasEmbedded == 0 {
		return
	}
	c.in(s, v, s.EmbeddedResource)
}

// in checks a value that may count as a resource.
func (c *embeddedChecker) in(s *Schema, v any, resource bool) {
	switch v := v.(type) {
	case map[string]any:
		if resource {
			c.resource(v)
		}
		for name, x := range inOrder(v) {
			c.value(c.route.member(s, name), x)
			c.route.pop()
		}
	case []any:
		for i := range v {
			c.route.index(i)
			c.value(s.Items, v[i])
			c.route.pop()
		}
	}
}

func (c *embeddedChecker) resource(m map[string]any) {
	at := c.route.under(c.root)
	for _, name := range []string{"apiVersion", "kind"} {
		if _, ok := m[name]; !ok {
			c.errs = append(c.errs, object.RequiredField(child(at, name), ""))
		}
	}
	if v, ok := m["apiVersion"]; ok {
		c.typeName(child(at, "apiVersion"), v, func(text string) string {
			if _, err := object.ParseGroupVersion(text); err != nil {
				return err.Error()
			}
			return ""
		})
	}
	if v, ok := m["kind"]; ok {
		c.typeName(child(at, "kind"), v, func(text string) string {
			problems := object.ValidateDNS1035Name(strings.ToLower(text), false)
			if problems == nil {
				return ""
			}
			return "may have mixed case, but should otherwise match: " + strings.Join(problems, ",")
		})
	}
	if _, ok := m["metadata"]; ok {
		c.metadata(at, m)
	}
}

func (c *embeddedChecker) typeName(field string, v any, problem func(string) string) {
	text, ok := v.(string)
	detail := ""
	switch {
	case !ok:
		detail = "must be a string"
	case text == "":
		detail = "must not be empty"
	default:
		detail = problem(text)
	}
	if detail != "" {
		c.errs = append(c.errs, object.InvalidField(field, v, detail))
	}
}

func (c *embeddedChecker) metadata(at string, m map[string]any) {
	o := object.Object{"metadata": m["metadata"]}
	if _, err := object.NormalizeMeta(o); err != nil {
		c.errs = append(c.errs, object.InvalidField(child(at, "metadata"), m["metadata"], err.Error()))
		return
	}
	if o.Name() == "" {
		meta := maps.Clone(o.Metadata())
		if meta == nil {
			meta = map[string]any{}
		}
		meta["name"] = "any" // a resource inside of another needs none
		o["metadata"] = meta
	}
	for _, e := range object.ValidateMeta(o, o.Namespace() != "", object.ValidatePathSegmentName) {
		moved := *e
		moved.Field = child(at, e.Field)
		c.errs = append(c.errs, &moved)
	}
}
