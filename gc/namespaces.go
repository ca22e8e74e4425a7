package gc

import (
	"context"
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Namespaces is what an [Emptier] needs of an API.
type Namespaces interface {
	// Follow calls marked with every namespace that is being deleted, at first and
	// whenever it changes, and gone when an object in a namespace is, until stop is
	// called. The namespaces that are there already are told before it returns. Both
	// functions return at once and may be called by several goroutines; gone may be called
	// too often.
	Follow(ctx context.Context, marked, gone func(namespace string)) (stop func(), err error)

	// Get reads a namespace. It fails with NotFound.
	Get(ctx context.Context, name string) (object.Object, error)

	// Write changes the subresource of a namespace that is named, "status" or "finalize",
	// and gives the namespace as it is then. It fails with Conflict if the
	// namespace changed since it was read.
	Write(ctx context.Context, namespace object.Object, subresource string) (object.Object, error)

	// Resources are those with objects in namespaces that can be listed and
	// deleted, each in one version. What was found may come beside an error.
	Resources(ctx context.Context) ([]object.GroupVersionResource, error)

	// Empty deletes the objects of a resource in a namespace, with the policy
	// Background, and says what is left then.
	Empty(ctx context.Context, resource object.GroupVersionResource, namespace string) (Remaining, error)
}

// Remaining is what is left of a resource in a namespace that was emptied.
type Remaining struct {
	Objects    int
	Graceful   int            // of those: within a grace period
	Finalizers map[string]int // how many objects each of them holds
}

// Add counts an object that is left.
func (r *Remaining) Add(o object.Object) {
	r.Objects++
	if grace, _ := o.DeletionGracePeriodSeconds(); grace > 0 {
		r.Graceful++
	}
	for _, name := range o.Finalizers() {
		if r.Finalizers == nil {
			r.Finalizers = map[string]int{}
		}
		r.Finalizers[name]++
	}
}

// ErrGroupVersions is the error of [Namespaces].Resources, or in its chain, if names
// of versions could not be read; any other one means that resources were not found out.
var ErrGroupVersions = errors.New("reading group versions")
