package builtin

import (
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// text reads a text; "" if it is missing or null.
func text(o object.Object, path ...string) string {
	v, _ := o.Field(path...)
	s, _ := v.(string)
	return s
}

// number reads an integer; 0 if it is missing or null.
func number(o object.Object, path ...string) int64 {
	v, _ := o.Field(path...)
	n, _ := v.(int64)
	return n
}

// mapping reads a map; nil if it is missing or null.
func mapping(o object.Object, path ...string) map[string]any {
	v, _ := o.Field(path...)
	m, _ := v.(map[string]any)
	return m
}

// ensure reads a map of the first level, made and attached first if it is missing.
func ensure(o object.Object, name string) map[string]any {
	m := mapping(o, name)
	if m == nil {
		m = map[string]any{}
		o[name] = m
	}
	return m
}

// list reads a list; nil if it is missing or null.
func list(o object.Object, path ...string) []any {
	v, _ := o.Field(path...)
	l, _ := v.([]any)
	return l
}

// texts gives the texts of a list.
func texts(v any) (out []string) {
	values, _ := v.([]any)
	for _, v := range values {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// has says whether a map has a member, be it null.
func has(m map[string]any, key string) bool {
	_, ok := m[key]
	return ok
}

// keep makes one field of next what it is in old.
func keep(next, old object.Object, name string) {
	v, ok := old[name]
	if !ok {
		delete(next, name)
		return
	}
	next[name] = object.Object{name: v}.DeepCopy()[name]
}

// keepMissing makes those fields of next what they are in old that are missing or null.
func keepMissing(next, old map[string]any, names ...string) {
	for _, name := range names {
		if next[name] == nil && old[name] != nil {
			keep(next, old, name)
		}
	}
}

// now is the time as documents write it.
func now() string { return time.Now().UTC().Format(time.RFC3339) }

// textField gives the reader of a selectable field.
func textField(path ...string) func(object.Object) string {
	return func(o object.Object) string { return text(o, path...) }
}

// unchanged says that a field may not differ from that of old.
func unchanged(next, old object.Object, name, field string) object.FieldErrors {
	value, was := next[name], old[name]
	if object.EqualValues(value, was) {
		return nil
	}
	return object.FieldErrors{object.InvalidField(field, value, "field is immutable")}
}
