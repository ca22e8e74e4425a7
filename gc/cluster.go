package gc

import (
	"context"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Cluster is what a [Collector] needs of the objects that it looks after. Objects that
// it gives have their type and their metadata; the rest may be missing.
type Cluster interface {
	// Watch gives the objects that are of interest, as [Concerns] says, then a bookmark, and
	// then each change of such objects, before or after which they are, and each deletion, in the
	// order in which they happened, until ctx ends. Further bookmarks say up to which version
	// there is nothing more to come; none is of version 0. An error comes last; the collector
	// then starts anew.
	Watch(ctx context.Context) iter.Seq2[Event, error]

	// Version is the newest one there is, or 1. A bookmark of that version or a later one will come.
	// A cluster far away, which doesn't know, says 1, and then [Collector.Settle] and
	// [Collector.Collect] wait for no more than what there was at the beginning.
	Version() object.ResourceVersion

	// Resource finds what is served of a kind; NotFound if nothing is.
	Resource(kind object.GroupVersionKind) (Resource, error)

	// Get reads an object as it is now.
	Get(ctx context.Context, key object.Key) (object.Object, error)

	// Named reads the objects of a resource that have a name, in whatever namespace.
	Named(ctx context.Context, resource object.GroupResource, name string) ([]object.Object, error)

	// Delete is the verb.
	Delete(ctx context.Context, key object.Key, opts DeleteOptions) error

	// Patch changes an object by a merge patch.
	Patch(ctx context.Context, key object.Key, patch []byte) error

	// Report records an event of type Warning about an object.
	Report(ctx context.Context, about object.Object, reason, message string) error
}

// Unordered is a [Cluster] whose changes are in order for each resource only: a dependent of one
// may be seen long after its owner of another was deleted. Before an owner goes that waits for its
// dependents, they are then read once more. Whether these own others in turn is known from the watch alone.
type Unordered interface {
	Cluster

	// Dependents reads the objects that name an owner, as they are now. In the watch
	// they come sooner or later.
	Dependents(ctx context.Context, owner object.Key, uid string) (map[object.Key]object.Object, error)
}

// Resource is where the objects of a kind are.
type Resource struct {
	object.GroupResource
	Namespaced bool
}

// Event is a change of an object, or a bookmark, which has nothing but a version. Object
// is the state after the change, and the last one of a deleted object.
type Event struct {
	Type    object.EventType
	Version object.ResourceVersion
	Key     object.Key
	Object  object.Object
}

// Concerns says whether a collector has to know of an object: it has owners, or it is
// being deleted and waits for the collector.
func Concerns(o object.Object) bool {
	if len(o.OwnerReferences()) > 0 {
		return true
	}
	return !o.DeletionTimestamp().IsZero() && (hasFinalizer(o, object.FinalizerForeground) || hasFinalizer(o, object.FinalizerOrphan))
}
