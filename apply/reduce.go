package apply

import (
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Most updates change little of an object. What is the same before and after says
// nothing of who owns what, so it is taken away from both sides before the library
// compares them.

// untouched says whether an update leaves an object as it was, its owners too.
func (m *Merger) untouched(live, next object.Object) bool {
	if len(live) != len(next) || live.UID() == "" {
		return false
	}
	for name, value := range next {
		was, ok := live[name]
		if !ok || name != "metadata" && !equal(was, value) {
			return false
		}
	}
	if !sameMetadata(live.Metadata(), next.Metadata()) || !sameMetadata(next.Metadata(), live.Metadata()) {
		return false
	}
	before := managedFieldsOf(live)
	if after, ok := next.Metadata()["managedFields"]; ok && (len(before) == 0 || !equal(before, after)) {
		return false
	}
	for _, v := range before {
		entry, _ := v.(map[string]any)
		version, _ := entry["apiVersion"].(string)
		if m.Type(version) == nil {
			return false
		}
	}
	return true
}

// sameMetadata says whether b has all of a that can be owned.
func sameMetadata(a, b map[string]any) bool {
	for name, value := range a {
		if other, ok := b[name]; !isIdentity("metadata", name) && (!ok || !equal(value, other)) {
			return false
		}
	}
	return true
}

// reduced gives two documents without what is the same in both, but for their type.
func (t *Type) reduced(before, after object.Object) (x, y object.Object) {
	p := t.parseable()
	x, y = reduce(p.Schema, p.TypeRef, before, after)
	for _, name := range []string{"apiVersion", "kind"} {
		x[name], y[name] = before[name], after[name]
	}
	return x, y
}

// reduce gives shallow copies of two documents without what is the same in both.
func reduce(s *smd.Schema, ref smd.TypeRef, before, after map[string]any) (map[string]any, map[string]any) {
	atom, ok := s.Resolve(ref)
	if !ok || atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic {
		return before, after
	}
	x, y := make(map[string]any, len(before)), make(map[string]any)
	for name, value := range before {
		if _, ok := after[name]; !ok {
			x[name] = value
		}
	}
	for name, value := range after {
		was, ok := before[name]
		switch {
		case !ok:
			y[name] = value
		case !equal(was, value):
			x[name], y[name] = reduceValue(s, fieldRef(atom.Map, name), was, value)
		}
	}
	return x, y
}

func fieldRef(t *smd.Map, name string) smd.TypeRef {
	if f, ok := t.FindField(name); ok {
		return f.Type
	}
	return t.ElementType
}

func reduceValue(s *smd.Schema, ref smd.TypeRef, before, after any) (any, any) {
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok && len(was) > 0 && len(is) > 0 {
			return reduce(s, ref, was, is)
		}
	case []any:
		is, ok := after.([]any)
		atom, resolved := s.Resolve(ref)
		if ok && resolved && atom.List != nil && atom.List.ElementRelationship == smd.Associative {
			return reduceList(s, atom.List, was, is)
		}
	}
	return before, after
}

// maxReduced is how many items of a list may differ for it to be worth looking for
// equal ones.
const maxReduced = 8

// reduceList takes away the items that both lists begin and end with, unless one of
// them might be one of those that stay.
func reduceList(s *smd.Schema, list *smd.List, before, after []any) (any, any) {
	start := 0
	for start < len(before) && start < len(after) && equal(before[start], after[start]) {
		start++
	}
	x, y := before[start:], after[start:]
	end := 0
	for end < len(x) && end < len(y) && equal(x[len(x)-1-end], y[len(y)-1-end]) {
		end++
	}
	x, y = x[:len(x)-end], y[:len(y)-end]
	if len(x)+len(y) > maxReduced {
		return before, after
	}
	for i, item := range before {
		if i >= start && i < len(before)-end {
			continue
		}
		if oneOf(list, item, x) || oneOf(list, item, y) {
			return before, after
		}
	}
	return x, y
}

// oneOf says whether an item may be one of others, by its keys.
func oneOf(list *smd.List, item any, others []any) bool {
	for _, other := range others {
		if !distinct(list, item, other) {
			return true
		}
	}
	return false
}

// distinct says whether two items are surely not the same.
func distinct(list *smd.List, a, b any) bool {
	if len(list.Keys) == 0 {
		return scalars(a, b) && !equal(a, b)
	}
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	for _, name := range list.Keys {
		if scalars(x[name], y[name]) && !equal(x[name], y[name]) {
			return true
		}
	}
	return false
}

func scalars(values ...any) bool {
	for _, v := range values {
		switch v.(type) {
		case nil, map[string]any, []any:
			return false
		}
	}
	return true
}
