package apply

import (
	"maps"
	"slices"

	smd "sigs.k8s.io/structured-merge-diff/v4/schema"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// applyOwn gives an object the values of a configuration that repeats the fields which
// its writer applied the last time, and says whether it could: nobody else has one of those
// that differ. All that moves then are these values and the time of the writer's entry.
func (m *Merger) applyOwn(live, config object.Object, w Writer) (object.Object, bool) {
	entries := managedFieldsOf(live)
	own := m.ownEntry(entries, w, operationApply)
	if own < 0 {
		return nil, false
	}
	p := m.Type(m.apiVersion()).parseable()
	atom, ok := p.Schema.Resolve(p.TypeRef)
	if !ok || atom.Map == nil {
		return nil, false
	}
	v := revaluation{p.Schema}
	next, ok := v.object(atom.Map, live, config, fieldsOfOthers(entries, own))
	if !ok {
		return nil, false
	}
	o := object.Object(next).DeepCopy()
	o.EnsureMetadata()["managedFields"] = clone(renewed(entries, own, w.time()))
	return o, true
}

// revaluation gives copies of what differs, and shares the rest.
type revaluation struct{ schema *smd.Schema }

// object leaves alone what identifies the object.
func (r revaluation) object(t *smd.Map, live, config map[string]any, others []map[string]any) (map[string]any, bool) {
	meta, ok := r.schema.Resolve(fieldRef(t, "metadata"))
	if !ok || meta.Map == nil {
		return nil, false
	}
	was, _ := live["metadata"].(map[string]any)
	is, _ := config["metadata"].(map[string]any)
	metadata, ok := r.members(meta.Map, was, is, beneath(others, "f:metadata"), "metadata")
	if !ok {
		return nil, false
	}
	delete(metadata, "managedFields")
	next, ok := r.members(t, live, config, others, "")
	if ok {
		next["metadata"] = metadata
	}
	return next, ok
}

// members gives a copy of a map with the values of another. parent is "metadata" or, for
// the object, "", whose fields that identify it stay.
func (r revaluation) members(t *smd.Map, live, config map[string]any, others []map[string]any, parent string) (map[string]any, bool) {
	next := maps.Clone(live)
	for name, value := range config {
		if isIdentity(parent, name) || parent == "" && name == "metadata" {
			continue
		}
		var ok bool
		if next[name], ok = r.value(fieldRef(t, name), live[name], value, beneath(others, "f:"+name)); !ok {
			return nil, false
		}
	}
	return next, true
}

// inner is the parent of maps in which nothing identifies the object.
const inner = "-"

func (r revaluation) value(ref smd.TypeRef, live, config any, others []map[string]any) (any, bool) {
	if equal(live, config) {
		return live, true
	}
	atom, ok := r.schema.Resolve(ref)
	if !ok {
		return nil, false
	}
	switch config := config.(type) {
	case map[string]any:
		was, ok := live.(map[string]any)
		if !ok || atom.Map == nil {
			return nil, false
		}
		return r.members(atom.Map, was, config, others, inner)
	case []any:
		was, ok := live.([]any)
		if !ok || atom.List == nil {
			return nil, false
		}
		return r.items(atom.List, was, config, others)
	}
	return config, len(others) == 0
}

// items gives a copy of a list with the values of another, whose items it has in the same
// order.
func (r revaluation) items(list *smd.List, live, config []any, others []map[string]any) (any, bool) {
	next, at := slices.Clone(live), 0
	var room [64]byte
	for _, item := range config {
		for at < len(live) && !sameItem(list, live[at], item) {
			at++
		}
		step, ok := itemStep(room[:0], list, item)
		if !ok || at == len(live) {
			return nil, false
		}
		if next[at], ok = r.value(list.ElementType, live[at], item, beneath(others, string(step))); !ok {
			return nil, false
		}
		at++
	}
	return next, true
}
