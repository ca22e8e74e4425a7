package quota

import (
	"context"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Cluster is all that an Enforcer needs. A server gives it by its method Access.
type Cluster interface {
	Store
	Objects
	Feed
}

// Store holds the quotas.
type Store interface {
	// Quotas gives the ResourceQuotas of a namespace as they are now, or those of all for "".
	// They are read-only. It is called for every request that creates or changes something.
	Quotas(ctx context.Context, namespace string) ([]object.Object, error)

	// UpdateStatus writes the status of a quota, unless it is not any more what its resource
	// version says: that fails with [object.ErrConflict], or [object.ErrNotFound] if it is gone.
	// After both the quotas are read again and the write is tried again.
	UpdateStatus(ctx context.Context, quota object.Object) error
}

// Objects are what quotas count.
type Objects interface {
	// List yields the objects of a resource in a namespace as they are at some time after
	// the call. They are read-only. A resource that nobody serves gives [object.ErrNotFound].
	List(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[object.Object, error]

	// Names yields their names, where it is enough to count them.
	Names(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[string, error]
}

// Feed tells what changes.
type Feed interface {
	// Watch yields a [object.Bookmark] once it misses nothing any more, and then every change,
	// of each object in order, until the context ends or it fails.
	Watch(ctx context.Context) iter.Seq2[Event, error]
}

// Event is a change of one object.
type Event struct {
	Type      object.EventType
	Resource  object.GroupResource
	Namespace string
	Name      string
	Version   string // of the object after the change

	// Objects gives a modified object and what it was before, both read-only. It is called at
	// most once, before the next event is asked for, and only for objects that a quota counts.
	Objects func() (now, before object.Object, err error)
}

// quotas are the resource of the quotas themselves.
var quotas = object.GroupResource{Resource: "resourcequotas"}
