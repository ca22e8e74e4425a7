package apply

import (
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// All fields of a new object belong to its writer, so their account is written in one
// walk through the object, without making a set of fields; wherever the walk is not
// sure, the library decides.

// trackNew accounts for a new object and says whether it did. It sets managedFields of
// next and nothing else.
func (m *Merger) trackNew(live, next object.Object, w Writer) bool {
	if len(live) > 0 || next.APIVersion() != m.apiVersion() || next.Metadata()["managedFields"] != nil {
		return false
	}
	blank, err := (&write{Merger: m}).versioned(nil, m.apiVersion())
	if err != nil {
		return false
	}
	p := m.Type(m.apiVersion()).parseable()
	root, ok := p.Schema.Resolve(p.TypeRef)
	if !ok || root.Map == nil {
		return false
	}
	fields, ok := additions{p.Schema}.document(root.Map, blank, next, w.Filter)
	switch {
	case !ok:
		return false
	case len(fields) == 0:
		delete(next.Metadata(), "managedFields")
		return true
	}
	own := w.owner(m.apiVersion(), operationUpdate)
	own.time, own.text = w.time(), fields
	next.EnsureMetadata()["managedFields"] = []any{own.encode()}
	return true
}

// additions walks through what was added to values, giving its fields as fieldsV1 has
// them, nil if there are none. ok is false where the walk is not sure.
type additions struct{ schema *smd.Schema }

// document gives the fields of a new document, from which a filter leaves out whole
// members at most.
func (a additions) document(t *smd.Map, before, after object.Object, filter *Filter) (fields map[string]any, ok bool) {
	fields = make(map[string]any, len(after))
	for name, value := range after {
		var below map[string]any
		switch was, had := before[name]; {
		case isIdentity("", name) || filter.excludes(name):
			continue
		case filter.excepts(name):
			return nil, false
		case name == "metadata":
			metadata, resolved := a.schema.Resolve(fieldRef(t, name))
			if !resolved || metadata.Map == nil {
				return nil, false
			}
			below, ok = a.metadata(metadata.Map, before.Metadata(), after.Metadata())
		default:
			below, ok = a.value(fieldRef(t, name), was, had, value)
		}
		if !ok {
			return nil, false
		}
		if below != nil {
			fields["f:"+name] = below
		}
	}
	return fields, hasAll(after, before)
}

// metadata gives the fields of metadata, in which nobody owns what identifies the object.
func (a additions) metadata(t *smd.Map, before, after map[string]any) (fields map[string]any, ok bool) {
	for name, value := range after {
		if isIdentity("metadata", name) {
			continue
		}
		was, had := before[name]
		below, ok := a.value(fieldRef(t, name), was, had, value)
		if !ok {
			return nil, false
		}
		if below == nil {
			continue
		}
		if fields == nil {
			fields = map[string]any{}
		}
		fields["f:"+name] = below
	}
	return fields, true
}

// value gives the fields of a value, which had another one before or none.
func (a additions) value(ref smd.TypeRef, before any, had bool, after any) (fields map[string]any, ok bool) {
	if had && equal(before, after) {
		return nil, true
	}
	atom, ok := a.schema.Resolve(ref)
	if !ok {
		return nil, false
	}
	switch after := after.(type) {
	case nil:
		return nil, false
	case map[string]any:
		switch {
		case atom.Map == nil:
			return nil, false
		case atom.Map.ElementRelationship == smd.Atomic:
			return map[string]any{}, true
		}
		return a.members(atom.Map, before, had, after)
	case []any:
		switch {
		case atom.List == nil:
			return nil, false
		case atom.List.ElementRelationship != smd.Associative:
			return map[string]any{}, true
		}
		return a.items(atom.List, before, had, after)
	}
	return map[string]any{}, fits(atom.Scalar, after)
}

func (a additions) members(t *smd.Map, before any, had bool, after map[string]any) (fields map[string]any, ok bool) {
	was, isMap := before.(map[string]any)
	if before != nil && !isMap || !hasAll(after, was) {
		return nil, false
	}
	fields = make(map[string]any, len(after)+1)
	for name, value := range after {
		old, has := was[name]
		below, ok := a.value(fieldRef(t, name), old, has, value)
		if !ok {
			return nil, false
		}
		if below != nil {
			fields["f:"+name] = below
		}
	}
	return withItself(fields, had)
}

func (a additions) items(list *smd.List, before any, had bool, after []any) (fields map[string]any, ok bool) {
	if before != nil {
		return nil, false
	}
	fields = make(map[string]any, len(after)+1)
	for _, item := range after {
		step, ok := itemStep(nil, list, item)
		if !ok || fields[string(step)] != nil {
			return nil, false
		}
		below, ok := a.value(list.ElementType, nil, false, item)
		if !ok {
			return nil, false
		}
		fields[string(step)] = below
	}
	return withItself(fields, had)
}

// withItself adds a value itself to the fields that are in it, unless it was there before.
func withItself(fields map[string]any, had bool) (map[string]any, bool) {
	switch {
	case had && len(fields) == 0:
		return nil, false // it was null, perhaps
	case !had && len(fields) > 0:
		fields["."] = map[string]any{}
	}
	return fields, true
}

// hasAll says whether a map has the members of another.
func hasAll(m, of map[string]any) bool {
	for name := range of {
		if _, ok := m[name]; !ok {
			return false
		}
	}
	return true
}
