package apply

import (
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Most applies repeat what was applied before, or give other values to the same
// fields. They are recognised in one walk through the configuration, the object, the fields
// of the writer and the type, without making sets of fields. Wherever the walk is not
// sure it says that something else may have changed, and the library decides.

// repeats says whether config has the fields that the writer applied the last time, and
// the object has them; and whether some have other values there.
func (m *Merger) repeats(live, config object.Object, w Writer) (repeats, differs bool) {
	version := m.apiVersion()
	if live.APIVersion() != version || w.Manager == lastAppliedManager && annotationsOf(live)[lastAppliedAnnotation] != nil {
		return false, false
	}
	fields, ok := m.lastFields(live, w)
	if !ok || !w.Filter.passes(config) {
		return false, false
	}
	if _, ok := config.Metadata()["managedFields"]; ok {
		return false, false
	}
	p := m.Type(version).parseable()
	s := repetition{schema: p.Schema}
	atom, ok := s.schema.Resolve(p.TypeRef)
	return ok && atom.Map != nil && s.fields(atom.Map, live, config, fields), s.differs
}

// lastFields gives the fields that the writer applied the last time, if all owners
// wrote in versions that there are.
func (m *Merger) lastFields(live object.Object, w Writer) (fields map[string]any, found bool) {
	own := w.owner(m.apiVersion(), operationApply)
	for _, v := range managedFieldsOf(live) {
		entry, _ := v.(map[string]any)
		text := func(name string) string {
			s, _ := entry[name].(string)
			return s
		}
		version := text("apiVersion")
		if m.Type(version) == nil {
			return nil, false
		}
		if text("operation") == operationApply && text("manager") == own.manager && text("subresource") == own.subresource {
			fields, found = entry["fieldsV1"].(map[string]any)
			if version != own.apiVersion || text("fieldsType") != "FieldsV1" || !found {
				return nil, false
			}
		}
	}
	return fields, found
}

type repetition struct {
	schema  *smd.Schema
	differs bool // some scalar has another value in the object
}

// part is what the walk found of a value: whether its own path is one of the fields of
// the writer, and how many steps go on from it.
type part struct {
	member bool
	steps  int
}

// fields compares the fields of an object.
func (r *repetition) fields(t *smd.Map, live, config, owned map[string]any) bool {
	steps, ok := r.members(t, live, config, owned, "", true)
	return ok && steps == len(owned)
}

// members counts the fields of a map that the writer owns, or something below them.
// identifies says that some may identify the object: that the map is the object itself, or
// the parent of that name.
func (r *repetition) members(t *smd.Map, live, config, owned map[string]any, parent string, identifies bool) (steps int, ok bool) {
	for name, value := range config {
		was, ok := live[name]
		if !ok {
			return 0, false
		}
		if identifies && isIdentity(parent, name) {
			if !equal(value, was) {
				return 0, false
			}
			continue
		}
		ref, declared := t.ElementType, false
		if f, ok := t.FindField(name); ok {
			ref, declared = f.Type, true
		}
		text, owns := owned["f:"+name]
		below, _ := text.(map[string]any)
		var found part
		if identifies && parent == "" && name == "metadata" {
			found, ok = r.metadata(ref, was, value, below)
		} else {
			found, ok = r.value(ref, was, value, below)
			found.member = found.member || !declared
		}
		if !ok || !found.agrees(below, owns) {
			return 0, false
		}
		if owns {
			steps++
		}
	}
	return steps, true
}

// agrees says whether the fields of the writer have a value as it was found.
func (p part) agrees(below map[string]any, owns bool) bool {
	if !p.member && p.steps == 0 {
		return !owns
	}
	size := p.steps
	_, ends := below["."]
	if p.member && p.steps > 0 {
		size++
		if !ends {
			return false
		}
	} else if ends {
		return false
	}
	return owns && below != nil && len(below) == size
}

func (r *repetition) metadata(ref smd.TypeRef, live, config any, owned map[string]any) (part, bool) {
	atom, ok := r.schema.Resolve(ref)
	was, okLive := live.(map[string]any)
	is, okConfig := config.(map[string]any)
	if !ok || !okLive || !okConfig || atom.Map == nil {
		return part{}, false
	}
	steps, ok := r.members(atom.Map, was, is, owned, "metadata", true)
	return part{steps: steps}, ok
}

func (r *repetition) value(ref smd.TypeRef, live, config any, owned map[string]any) (part, bool) {
	atom, ok := r.schema.Resolve(ref)
	if !ok {
		return part{}, false
	}
	switch config := config.(type) {
	case map[string]any:
		if atom.Map == nil {
			return part{}, false
		}
		if atom.Map.ElementRelationship == smd.Atomic {
			return part{member: true}, equal(live, config)
		}
		was, ok := live.(map[string]any)
		if !ok {
			return part{}, false
		}
		steps, ok := r.members(atom.Map, was, config, owned, "", false)
		return part{member: len(config) == 0, steps: steps}, ok
	case []any:
		if atom.List == nil {
			return part{}, false
		}
		if atom.List.ElementRelationship == smd.Atomic {
			return part{member: true}, equal(live, config)
		}
		was, ok := live.([]any)
		if !ok {
			return part{}, false
		}
		return r.items(atom.List, was, config, owned)
	}
	if config == nil || !fits(atom.Scalar, config) || !scalars(live) {
		return part{}, false
	}
	r.differs = r.differs || !equal(live, config)
	return part{member: true}, true
}

func fits(s *smd.Scalar, v any) bool {
	if s == nil {
		return false
	}
	switch v.(type) {
	case string:
		return *s == smd.String || *s == smd.Untyped
	case bool:
		return *s == smd.Boolean || *s == smd.Untyped
	}
	return *s == smd.Numeric || *s == smd.Untyped
}

// items compares the items of a set or a list of type map. Those of the configuration
// must be in the object in the same order.
func (r *repetition) items(list *smd.List, live, config []any, owned map[string]any) (part, bool) {
	seen := 0 // items of live
	var room [64]byte
	for _, item := range config {
		step, ok := itemStep(room[:0], list, item)
		if !ok {
			return part{}, false
		}
		for seen < len(live) && !sameItem(list, live[seen], item) {
			seen++
		}
		text, owns := owned[string(step)]
		if seen == len(live) || !owns {
			return part{}, false
		}
		below, _ := text.(map[string]any)
		found := part{}
		if len(list.Keys) > 0 {
			if found, ok = r.value(list.ElementType, live[seen], item, below); !ok {
				return part{}, false
			}
		}
		found.member = true
		if !found.agrees(below, true) {
			return part{}, false
		}
		seen++
	}
	return part{steps: len(config)}, !repeated(list, live)
}

// repeated says whether two items of a list may be the same.
func repeated(list *smd.List, items []any) bool {
	seen := make(map[any]bool, len(items))
	var room [64]byte
	for _, item := range items {
		var key any = item
		if len(list.Keys) == 1 {
			m, _ := item.(map[string]any)
			key = m[list.Keys[0]]
		} else if len(list.Keys) > 1 {
			step, ok := itemStep(room[:0], list, item)
			if !ok {
				return true
			}
			key = string(step)
		}
		switch key.(type) {
		case string, int64, bool:
		default:
			return true
		}
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// itemStep appends the step of a path to an item, if all of its keys are there.
func itemStep(dst []byte, list *smd.List, item any) ([]byte, bool) {
	if len(list.Keys) == 0 {
		switch item.(type) {
		case string, int64, bool:
			return object.AppendJSON(append(dst, "v:"...), item), true
		}
		return nil, false
	}
	m, ok := item.(map[string]any)
	dst = append(dst, "k:{"...)
	for i, name := range list.Keys {
		if i > 0 && name < list.Keys[i-1] {
			return nil, false // the keys of a step are sorted
		}
		value := m[name]
		switch value.(type) {
		case string, int64, bool:
		default:
			return nil, false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(object.AppendJSON(dst, name), ':')
		dst = appendEscaped(dst, value)
	}
	return append(dst, '}'), ok
}

// sameItem says whether two items have the same keys.
func sameItem(list *smd.List, a, b any) bool {
	if len(list.Keys) == 0 {
		return a == b
	}
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	for _, name := range list.Keys {
		if x[name] != y[name] {
			return false
		}
	}
	return true
}
