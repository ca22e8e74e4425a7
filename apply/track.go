package apply

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Track accounts for a create, update or patch: it sets managedFields of next, the one
// thing that it edits. live is the object before, empty for a create; next must be as
// it will be stored, with all that the endpoint cannot change as it was.
//
// The account goes on from managedFields of next, so that clients can edit it: an
// empty list, or one with one empty entry, forgets all owners, which is for good unless
// it is a create. A list that is missing or malformed counts as that of live, and so
// does any list written to a subresource.
//
// Owners whose fields stay what they were are shared with live.
//
// On an error next has the owners of live: the write may go on without an account.
func (m *Merger) Track(live, next object.Object, w Writer) error {
	if m.untouched(live, next) {
		if _, ok := next.Metadata()["managedFields"]; !ok {
			keepOwners(live, next)
		}
		return nil
	}
	if m.trackNew(live, next, w) || m.trackOwn(live, next, w) {
		return nil
	}
	return m.account(live, next, w)
}

// account is Track for updates in which nothing is known beforehand.
func (m *Merger) account(live, next object.Object, w Writer) error {
	all := ownersFor(live, next, w.Subresource)
	delete(next.Metadata(), "managedFields")
	if len(all) == 0 && live.UID() != "" {
		return nil // it has been given up
	}
	if err := m.track(live, next, all, w); err != nil {
		keepOwners(live, next)
		return fmt.Errorf("accounting for the owners of fields of %s: %w", next, err)
	}
	all.cap()
	if list := all.encode(); list != nil {
		next.EnsureMetadata()["managedFields"] = list
	}
	return nil
}

// ownersFor gives the owners to go on from.
func ownersFor(live, next object.Object, subresource string) owners {
	if subresource == "" {
		list := managedFieldsOf(next)
		if list != nil && forgets(list) {
			return owners{}
		}
		if all, err := decodeOwners(list); err == nil && len(all) > 0 {
			return all
		}
	}
	all, err := decodeOwners(managedFieldsOf(live))
	if err != nil {
		return owners{}
	}
	return all
}

func forgets(list []any) bool {
	switch len(list) {
	case 0:
		return true
	case 1:
		entry, ok := list[0].(map[string]any)
		for _, v := range entry {
			if v != nil && v != "" {
				return false
			}
		}
		return ok || list[0] == nil
	}
	return false
}

func keepOwners(live, next object.Object) {
	if list, ok := live.Metadata()["managedFields"]; ok {
		next.EnsureMetadata()["managedFields"] = list
	}
}

// track gives what changed from live to next to the writer and takes it from others.
func (m *Merger) track(live, next object.Object, all owners, w Writer) error {
	op := &write{Merger: m}
	before, after, err := op.pair(live, next, all)
	if err != nil {
		return err
	}
	own := w.owner(m.apiVersion(), operationUpdate)
	id := own.id()
	// A name of its own keeps apart what the writer gets now, to see whether it is anything.
	const now = "now"
	version := fieldpath.APIVersion(m.apiVersion())
	_, sets, err := op.updater(w, all).Update(before, after, version, all.sets(), now)
	if err != nil {
		return fmt.Errorf("failed to update ManagedFields (%v): %w", op.identity(next), err)
	}
	got, changed := sets[now]
	delete(sets, now)
	if changed {
		got = m.Type(m.apiVersion()).owned(got)
		changed = !got.Set().Empty()
	}
	if changed {
		if o, ok := all[id]; ok {
			own = o
		}
		own.time = w.time()
		if previous, ok := sets[id]; ok {
			got = fieldpath.NewVersionedSet(got.Set().Union(previous.Set()), version, false)
		}
		sets[id] = got
	}
	all.take(sets, id, own)
	return nil
}

// pair gives an object before and after a write, in the version of the endpoint.
func (op *write) pair(live, next object.Object, all owners) (before, after *typed.TypedValue, err error) {
	version := op.apiVersion()
	old, err := op.versioned(live, version)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to convert live object (%v) to proper version: %w", op.identity(live), err)
	}
	now, err := op.versioned(next, version)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to convert new object (%v) to proper version (%v): %w", op.identity(next), version, err)
	}
	t := op.Type(version)
	if t == nil {
		return nil, nil, fmt.Errorf("%v: %w", op.Kind, errNoVersion)
	}
	if all.onlyIn(version) { // conversions may need all of an object
		old, now = t.reduced(old, now)
	}
	if after, err = t.read(now, typed.AllowDuplicates); err != nil {
		return nil, nil, fmt.Errorf("failed to convert new object (%v) to smd typed: %w", op.identity(next), err)
	}
	if before, err = t.read(old, typed.AllowDuplicates); err != nil {
		return nil, nil, fmt.Errorf("failed to convert live object (%v) to smd typed: %w", op.identity(live), err)
	}
	return before, after, nil
}
