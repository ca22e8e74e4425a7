package storage

import (
	"bytes"
	"context"
	"math/rand/v2"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	// nameAttempts is how many generated names are tried, as the API does.
	nameAttempts = 8

	// modifyAttempts is how often a change is tried on an object that others change
	// all the time; the pauses between grow to maxPause.
	modifyAttempts = 100
	maxPause       = 20 * time.Millisecond
)

// documents are the objects of one kind in a store, with the rules of the API for
// what their metadata says.
type documents struct {
	store *Store
	kind  Kind
}

func (d *documents) create(ctx context.Context, o object.Object) (object.Object, error) {
	if o.Name() != "" {
		return d.createOnce(ctx, o)
	}
	for attempt := 1; ; attempt++ {
		created, err := d.createOnce(ctx, o.DeepCopy())
		if err == nil || attempt == nameAttempts || !object.IsAlreadyExists(err) {
			return created, err
		}
	}
}

func (d *documents) createOnce(ctx context.Context, o object.Object) (object.Object, error) {
	PrepareCreate(o, time.Now())
	PrepareGeneration(o, nil)
	if errs := object.ValidateMeta(o, d.kind.Namespaced, object.ValidateSubdomainName); len(errs) > 0 {
		return nil, object.Invalid(d.kind.GroupKind(), o.Name(), errs)
	}
	return d.put(ctx, nil, o)
}

func (d *documents) get(ctx context.Context, namespace, name string) (*object.Encoded, object.Object, error) {
	e, err := d.store.Get(ctx, d.kind.key(namespace, name))
	if err != nil {
		return nil, nil, err
	}
	o, err := e.Object(d.kind.TypeMeta())
	return e, o, err
}

// update replaces an object, which must still be at the version that o names.
func (d *documents) update(ctx context.Context, o object.Object) (object.Object, error) {
	live, old, err := d.get(ctx, o.Namespace(), o.Name())
	if err != nil {
		return nil, err
	}
	return d.replace(ctx, live, old, o)
}

// modify applies a change to an object as it is, and again if another write came
// in between. An error of change ends it.
func (d *documents) modify(ctx context.Context, namespace, name string, change func(object.Object) (object.Object, error)) (object.Object, error) {
	for attempt := 1; ; attempt++ {
		live, old, err := d.get(ctx, namespace, name)
		if err != nil {
			return nil, err
		}
		next, err := change(old.DeepCopy())
		if err != nil {
			return nil, err
		}
		next.SetResourceVersion(old.ResourceVersion())
		changed, err := d.replace(ctx, live, old, next)
		if !object.IsConflict(err) || attempt == modifyAttempts {
			return changed, err
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, failed("modifying", d.kind.key(namespace, name), err)
		}
	}
}

// pause waits a random time that grows with the attempts.
func pause(ctx context.Context, attempt int) error {
	limit := min(time.Duration(attempt)*time.Millisecond, maxPause)
	select {
	case <-time.After(rand.N(limit)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// replace writes the successor of a state. One that differs in nothing is not written.
func (d *documents) replace(ctx context.Context, live *object.Encoded, old, next object.Object) (object.Object, error) {
	if version := next.ResourceVersion(); version != "" && version != old.ResourceVersion() {
		return nil, object.Conflict(d.kind.groupResource(), old.Name(), errModified)
	}
	PrepareUpdate(next, old)
	PrepareGeneration(next, old)
	if errs := object.ValidateMetaUpdate(next, old); len(errs) > 0 {
		return nil, object.Invalid(d.kind.GroupKind(), old.Name(), errs)
	}
	return d.put(ctx, live, next)
}

func (d *documents) put(ctx context.Context, live *object.Encoded, o object.Object) (object.Object, error) {
	next, err := d.kind.encode(o)
	if err != nil {
		return nil, err
	}
	stored := live
	if live == nil || !bytes.Equal(live.Body, next.Body) {
		if stored, err = d.store.Put(ctx, d.kind.key(o.Namespace(), o.Name()), live, next, 0); err != nil {
			return nil, err
		}
	}
	o.SetType(d.kind.TypeMeta())
	o.SetResourceVersion(stored.Version.String())
	return o, nil
}

// remove deletes an object at once, whatever version it has got to as long as the
// preconditions hold, and returns its last state.
func (d *documents) remove(ctx context.Context, namespace, name string, pre Preconditions) (object.Object, error) {
	for attempt := 1; ; attempt++ {
		live, o, err := d.get(ctx, namespace, name)
		if err != nil {
			return nil, err
		}
		if err := pre.Check(d.kind.groupResource(), o); err != nil {
			return nil, err
		}
		gone, err := d.store.Remove(ctx, d.kind.key(namespace, name), live)
		if err == nil {
			o.SetResourceVersion(gone.Version.String())
			return o, nil
		}
		if !object.IsConflict(err) || attempt == modifyAttempts {
			return nil, err
		}
		if err := pause(ctx, attempt); err != nil {
			return nil, failed("deleting", d.kind.key(namespace, name), err)
		}
	}
}
