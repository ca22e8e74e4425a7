package apply

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v4/merge"
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// beforeFirst is who gets the fields of an object that nobody accounted for when it is
// applied to for the first time.
const beforeFirst = "before-first-apply"

// Apply merges a configuration into an object, as server-side apply does: the writer
// owns what config says, together with those who say the same, and what it said the last time
// but says no more is removed unless somebody else owns it. live is the object before, empty to
// create it; config is of the version of m.Kind.
//
// If the writer would take a field from another, the failure is of reason Conflict and
// names each such field; with force it takes them. A config of another kind or version,
// or with managedFields, is BadRequest; one that does not fit the type of the kind is a
// failure without a reason.
//
// If nothing changes, neither fields nor owners, the result is live itself and changed
// is false. Otherwise it is a new object of the version of m.Kind, with its owners. Defaults are not
// set in it.
func (m *Merger) Apply(live, config object.Object, w Writer, force bool) (next object.Object, changed bool, err error) {
	if config.GroupVersionKind() == m.Kind {
		repeats, differs := m.repeats(live, config, w)
		if repeats && !differs {
			return live, false, nil
		}
		if repeats {
			if next, ok := m.applyOwn(live, config, w); ok {
				return next, true, nil
			}
		}
	}
	return m.merge(live, config, w, force)
}

// merge is Apply for configurations of which nothing is known beforehand.
func (m *Merger) merge(live, config object.Object, w Writer, force bool) (next object.Object, changed bool, err error) {
	all, err := decodeOwners(managedFieldsOf(live))
	if err != nil {
		return nil, false, fmt.Errorf("failed to decode managed fields: %w", err)
	}
	if kind := config.GroupVersionKind(); kind != m.Kind {
		return nil, false, object.BadRequest("invalid object type: %v", kind)
	}
	a := &application{write: write{Merger: m}, live: live, config: config, writer: w, all: all}
	if next, changed, err = a.run(force); err != nil {
		return nil, false, err
	}
	list := a.all.encode()
	if !changed && equal(managedFieldsOf(live), list) {
		return live, false, nil
	}
	next = next.DeepCopy()
	if list != nil {
		next.EnsureMetadata()["managedFields"] = clone(list)
	}
	return next, true, nil
}

// application is one apply.
type application struct {
	write
	live, config object.Object
	writer       Writer
	all          owners

	before              object.Object // live in the version of the endpoint
	typedLive, typedNew *typed.TypedValue
}

// run gives the new object without owners, and whether it differs from the one before. The
// new owners are in a.all.
func (a *application) run(force bool) (next object.Object, changed bool, err error) {
	if err := a.read(); err != nil {
		return nil, false, err
	}
	next, changed, err = a.merge(force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) {
		if conflicts = a.withoutHandedOver(conflicts); len(conflicts) > 0 {
			return nil, false, a.all.conflictError(conflicts)
		}
		next, changed, err = a.merge(true)
	}
	if err != nil {
		return nil, false, err
	}
	next, annotated := a.withLastApplied(next)
	return next, changed || annotated, nil
}

func (a *application) read() (err error) {
	version := a.apiVersion()
	if a.before, err = a.versioned(a.live, version); err != nil {
		return fmt.Errorf("failed to convert live object (%v) to proper version: %w", a.identity(a.live), err)
	}
	if len(a.all) == 0 && len(a.live) > 0 {
		if err := a.startAccount(); err != nil {
			return fmt.Errorf("failed to create manager for existing fields: %w", err)
		}
	}
	if managedFieldsOf(a.config) != nil {
		return object.BadRequest("metadata.managedFields must be nil")
	}
	if a.typedNew, err = a.write.read(a.config, version); err != nil {
		return fmt.Errorf("failed to create typed patch object (%v): %w", a.identity(a.config), err)
	}
	if a.typedLive, err = a.write.read(a.before, version, typed.AllowDuplicates); err != nil {
		return fmt.Errorf("failed to create typed live object (%v): %w", a.identity(a.before), err)
	}
	return nil
}

// startAccount makes an owner of all that an object has that nobody accounted for.
func (a *application) startAccount() error {
	w := a.writer
	w.Manager = beforeFirst
	return a.track(nil, a.before, a.all, w)
}

// merge gives the new object, whether it differs from the one before, and settles the
// owners. Nothing is settled if it fails.
func (a *application) merge(force bool) (next object.Object, changed bool, err error) {
	own := a.writer.owner(a.apiVersion(), operationApply)
	id := own.id()
	version := fieldpath.APIVersion(a.apiVersion())
	sets := a.all.sets()
	if last := sets[id]; last != nil && last.APIVersion() == version && a.claims(last.Set()) {
		delete(sets, id) // it spares the search for fields that are given up
	}
	v, sets, err := a.updater(a.writer, a.all).Apply(a.typedLive, a.typedNew, version, sets, id, force)
	if err != nil {
		return nil, false, err
	}
	if set, ok := sets[id]; ok {
		if sets[id] = a.Type(a.apiVersion()).owned(set); sets[id].Set().Empty() {
			delete(sets, id)
		}
	}
	a.all.take(sets, id, own)
	if v == nil {
		return a.before, false, nil
	}
	if o := a.all[id]; o != nil {
		o.time = a.writer.time()
	}
	return untyped(v), true, nil
}

// claims says whether the configuration has all of the fields.
func (a *application) claims(fields *fieldpath.Set) bool {
	set, err := a.typedNew.ToFieldSet()
	if err != nil {
		return false
	}
	if a.writer.Filter != nil {
		set = a.writer.Filter.fields.Filter(set)
	}
	return fields.Difference(set).Empty()
}

// identity names an object, in the version of the endpoint, in messages.
func (m *Merger) identity(o object.Object) string {
	return fmt.Sprintf("%v/%v; %v", o.Namespace(), o.Name(), m.Kind)
}
