package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// deletedAtOnce is how many objects of a definition are deleted before the others
// have their turn.
const deletedAtOnce = 2048

func hasCleanup(o object.Object) bool { return slices.Contains(o.Finalizers(), cleanup) }

// terminate takes a definition that is being deleted a step further: it closes the
// resource, deletes the objects, and lets the definition go when none is left.
func (d *definitions) terminate(ctx context.Context, live storedDefinition, o object.Object) error {
	if servable(o) {
		d.install(o)
	}
	d.note(o)
	known := d.known[o.Name()]
	if !definition.IsTrue(o, "Established") {
		return d.release(ctx, live, o, "NeverEstablished", "resource was never established")
	}
	if known.resource == nil || known.plural == "" && !hasNoVersions(known) {
		return d.release(ctx, live, o, "OverlappingBuiltInResource", "instances overlap with built-in resources in storage")
	}
	inProgress := condition("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
	if definition.SetCondition(o, inProgress, time.Now()) {
		_, err := d.write(ctx, live, o)
		return err
	}
	collection := known.resource.Resource()
	d.queue.expect(collection, o.Name())
	left, err := d.deleteObjects(ctx, known.resource)
	if err != nil {
		failed := condition("True", "InstanceDeletionFailed", fmt.Sprintf("could not issue all deletes: %v", err))
		if definition.SetCondition(o, failed, time.Now()) {
			_, _ = d.write(ctx, live, o) // the first failure is the one to tell
		}
		return err
	}
	if left > 0 {
		return nil // the last event of the collection brings the definition again
	}
	return d.release(ctx, live, o, "InstanceDeletionCompleted", "removed all instances")
}

func condition(status, reason, message string) definition.Condition {
	return definition.Condition{Type: "Terminating", Status: status, Reason: reason, Message: message}
}

// hasNoVersions says whether a definition serves nothing by its own wish.
func hasNoVersions(known *installed) bool {
	return !slices.ContainsFunc(known.resource.Versions, func(v *definition.Version) bool { return v.Served })
}

// release takes the finalizer away, which removes the definition unless others hold it.
func (d *definitions) release(ctx context.Context, live storedDefinition, o object.Object, reason, message string) error {
	definition.SetCondition(o, condition("False", reason, message), time.Now())
	o.SetFinalizers(slices.DeleteFunc(o.Finalizers(), func(name string) bool { return name == cleanup }))
	if len(o.Finalizers()) > 0 {
		_, err := d.write(ctx, live, o)
		return err
	}
	d.forget(o.Name())
	_, err := d.config.Store.Remove(ctx, object.Key{GroupResource: definitionResource, Name: o.Name()}, live.Encoded)
	if object.IsConflict(err) {
		d.queue.add(o.Name())
		return nil
	}
	return err
}

// deleteObjects deletes objects of a definition as a client does, in the version in
// which they are stored, and says how many are left. It has the definition looked at
// again if there is more to delete.
func (d *definitions) deleteObjects(ctx context.Context, c *customResource) (left int, err error) {
	keys, left, err := d.undeleted(ctx, c.Resource())
	if err != nil || len(keys) == 0 {
		return left, err
	}
	r, v := c.resource(terminating), c.version(c.storage)
	r.Collection = c.Resource()
	found := newServed(&r, &v)
	all := &call{Server: d.Server, served: found, face: found, set: d.resources.Load()}
	if err := all.deleteEach(ctx, keys, gc.DeleteOptions{}); err != nil {
		return left, err
	}
	if keys, left, err = d.undeleted(ctx, c.Resource()); len(keys) > 0 {
		d.queue.add(c.Name)
	}
	return left, err
}

// undeleted lists objects that nobody has deleted yet, and counts those of all that
// it saw on its way.
func (d *definitions) undeleted(ctx context.Context, collection object.GroupResource) (keys []object.Key, seen int, err error) {
	list, err := d.config.Store.List(ctx, object.Key{GroupResource: collection}, storage.ListOptions{})
	if err != nil {
		return nil, 0, err
	}
	for !list.Done() && len(keys) < deletedAtOnce {
		err := list.Visit(func(key object.Key, e *object.Encoded) bool {
			seen++
			if !e.Deleting() {
				keys = append(keys, key)
			}
			return len(keys) < deletedAtOnce
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return keys, seen, nil
}
