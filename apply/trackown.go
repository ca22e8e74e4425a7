package apply

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	smd "sigs.k8s.io/structured-merge-diff/v4/schema"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Most updates give new values to fields that their writer alone owns, as a
// controller's reports do. All that moves then is the time of the writer's entry. Such
// updates are recognised in one walk through what differs, without making sets of
// fields; wherever the walk is not sure, the library decides.

// trackOwn accounts for such an update and says whether it was one. It sets
// managedFields of next and nothing else.
func (m *Merger) trackOwn(live, next object.Object, w Writer) bool {
	entries := managedFieldsOf(live)
	given, ok := next.Metadata()["managedFields"]
	if len(entries) == 0 || ok && w.Subresource == "" && !equal(given, entries) {
		return false
	}
	own := m.ownEntry(entries, w, operationUpdate)
	if own < 0 || live.APIVersion() != m.apiVersion() || next.APIVersion() != m.apiVersion() {
		return false
	}
	if !m.changesOwn(live, next, w.Filter, fieldsOf(entries[own]), fieldsOfOthers(entries, own)) {
		return false
	}
	next.EnsureMetadata()["managedFields"] = renewed(entries, own, w.time())
	return true
}

// renewed gives entries with the time of one of them changed.
func renewed(entries []any, own int, time string) []any {
	entry, _ := entries[own].(map[string]any)
	if entry["time"] == time {
		return entries
	}
	entry = maps.Clone(entry)
	entry["time"] = time
	entries = slices.Clone(entries)
	entries[own] = entry
	slices.SortStableFunc(entries, compareEntries)
	return entries
}

// ownEntry finds the entry of the writer, if all entries are of the version of the
// endpoint and none is younger than the write.
func (m *Merger) ownEntry(entries []any, w Writer, operation string) int {
	own, id, now := -1, w.owner(m.apiVersion(), operation), w.time()
	for i, entry := range entries {
		time := entryText(entry, "time")
		if entryText(entry, "apiVersion") != id.apiVersion || len(time) > len(now) || time > now || fieldsOf(entry) == nil {
			return -1
		}
		if entryText(entry, "operation") == operation && entryText(entry, "manager") == id.manager &&
			entryText(entry, "subresource") == id.subresource {
			own = i
		}
	}
	return own
}

func fieldsOf(entry any) map[string]any {
	m, _ := entry.(map[string]any)
	fields, _ := m["fieldsV1"].(map[string]any)
	return fields
}

// fieldsOfOthers gives the fields of all entries but one.
func fieldsOfOthers(entries []any, own int) []map[string]any {
	others := make([]map[string]any, 0, len(entries))
	for i, entry := range entries {
		if i != own {
			others = append(others, fieldsOf(entry))
		}
	}
	return others
}

func entryText(entry any, name string) string {
	m, _ := entry.(map[string]any)
	text, _ := m[name].(string)
	return text
}

// compareEntries puts entries in the order of [owners.encode]; their times have one form.
func compareEntries(a, b any) int {
	for _, name := range [...]string{"operation", "time", "manager", "apiVersion", "subresource"} {
		if order := cmp.Compare(entryText(a, name), entryText(b, name)); order != 0 {
			return order
		}
	}
	return 0
}

// changesOwn says whether what differs between the documents belongs to the writer alone.
func (m *Merger) changesOwn(live, next object.Object, filter *Filter, own map[string]any, others []map[string]any) bool {
	p := m.Type(m.apiVersion()).parseable()
	atom, ok := p.Schema.Resolve(p.TypeRef)
	if !ok || atom.Map == nil || len(live) != len(next) {
		return false
	}
	d := differences{schema: p.Schema}
	for name, value := range next {
		switch {
		case name == "metadata":
			below, _ := own["f:metadata"].(map[string]any)
			meta, ok := p.Schema.Resolve(fieldRef(atom.Map, name))
			if !ok || meta.Map == nil || !d.metadata(meta.Map, live.Metadata(), next.Metadata(), filter, below, beneath(others, "f:metadata")) {
				return false
			}
		case equal(value, live[name]):
		case filter.excepts(name) || !d.field(atom.Map, name, live[name], value, own, others):
			return false
		}
	}
	return true
}

type differences struct{ schema *smd.Schema }

// field says whether a field that differs does so only where the writer alone owns it.
func (d differences) field(t *smd.Map, name string, before, after any, own map[string]any, others []map[string]any) bool {
	step := "f:" + name
	below, ok := own[step].(map[string]any)
	atom, resolved := d.schema.Resolve(fieldRef(t, name))
	if !ok || !resolved || before == nil || reflect.TypeOf(before) != reflect.TypeOf(after) {
		return false
	}
	switch before := before.(type) {
	case map[string]any:
		if after := after.(map[string]any); atom.Map != nil && atom.Map.ElementRelationship != smd.Atomic {
			return d.members(atom.Map, before, after, below, beneath(others, step))
		}
	case []any:
		if atom.List == nil {
			return false
		}
		if atom.List.ElementRelationship == smd.Associative {
			return d.items(atom.List, before, after.([]any), below, beneath(others, step))
		}
	default:
		if !fits(atom.Scalar, after) {
			return false
		}
	}
	return len(below) == 0 && len(beneath(others, step)) == 0
}

// metadata is members for metadata, in which nobody owns what identifies the object.
func (d differences) metadata(t *smd.Map, before, after map[string]any, filter *Filter, own map[string]any, others []map[string]any) bool {
	if sameMetadata(before, after) && sameMetadata(after, before) {
		return true
	}
	if filter.excepts("metadata") {
		return false
	}
	for name := range before {
		if _, ok := after[name]; !ok && !isIdentity("metadata", name) {
			return false
		}
	}
	for name, value := range after {
		was, ok := before[name]
		switch {
		case isIdentity("metadata", name) || equal(was, value):
		case !ok || !d.field(t, name, was, value, own, others):
			return false
		}
	}
	return true
}

func (d differences) members(t *smd.Map, before, after, own map[string]any, others []map[string]any) bool {
	if len(before) != len(after) {
		return false
	}
	for name, value := range after {
		was, ok := before[name]
		if !ok || !equal(was, value) && !d.field(t, name, was, value, own, others) {
			return false
		}
	}
	return true
}

// items is members for the items of a list of type map. They must be the same ones, in
// the same order.
func (d differences) items(list *smd.List, before, after []any, own map[string]any, others []map[string]any) bool {
	atom, ok := d.schema.Resolve(list.ElementType)
	if !ok || len(list.Keys) == 0 || atom.Map == nil || atom.Map.ElementRelationship == smd.Atomic ||
		len(before) != len(after) || repeated(list, before) {
		return false
	}
	var room [64]byte
	for i, item := range after {
		if equal(before[i], item) {
			continue
		}
		step, ok := itemStep(room[:0], list, item)
		if !ok || !sameItem(list, before[i], item) {
			return false
		}
		below, ok := own[string(step)].(map[string]any)
		was, _ := before[i].(map[string]any)
		if !ok || !d.members(atom.Map, was, item.(map[string]any), below, beneath(others, string(step))) {
			return false
		}
	}
	return true
}

// beneath gives what others have of a field.
func beneath(others []map[string]any, step string) (below []map[string]any) {
	for _, o := range others {
		if v, ok := o[step]; ok {
			m, _ := v.(map[string]any)
			below = append(below, m)
		}
	}
	return below
}
