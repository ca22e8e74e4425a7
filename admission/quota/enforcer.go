package quota

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Enforcer refuses what a quota has no room for and charges the rest. It is for any number
// of goroutines. [New] makes one.
type Enforcer struct {
	// Failed, if set, is told what [Enforcer.Run] could not do and does again later.
	Failed func(error)

	cluster Cluster

	mu      sync.Mutex
	spaces  map[string]*space
	running bool          // whether changes are followed
	wake    chan struct{} // that something is due
}

// New makes an Enforcer of the quotas of a cluster.
func New(cluster Cluster) *Enforcer {
	return &Enforcer{cluster: cluster, spaces: map[string]*space{}, wake: make(chan struct{}, 1)}
}

// Name is that of the stage in traces.
func (e *Enforcer) Name() string { return "ResourceQuota" }

// Validate implements [admission.Validator]. It has to be the last one, since what it
// charges for should come to pass.
func (e *Enforcer) Validate(ctx context.Context, req *admission.Request) error {
	resource := req.Resource.GroupResource()
	if req.Namespace == "" || req.IsNamespace() || isIgnored(resource) {
		return nil
	}
	m := measureOf(resource)
	if !m.concerns(req) {
		return nil
	}
	found, err := e.cluster.Quotas(ctx, req.Namespace)
	if err != nil {
		return unreadable(req.Namespace, err)
	}
	if !slices.ContainsFunc(found, func(o object.Object) bool { return limits(o, m) }) {
		return nil
	}
	return e.take(ctx, &waiter{req: req, measure: m, done: make(chan struct{})})
}

// limits says whether a quota limits anything that a measure counts.
func limits(o object.Object, m *measure) bool {
	v, _ := o.Field("spec", "hard")
	hard, _ := v.(map[string]any)
	for name := range hard {
		if m.counts(name) {
			return true
		}
	}
	return false
}

func unreadable(namespace string, err error) error {
	return object.InternalError(fmt.Errorf("error resolving quota of namespace %s: %w", namespace, err))
}

// waiter is a request that waits for its charge.
type waiter struct {
	req     *admission.Request
	measure *measure

	decided bool
	err     error
	charged bool // in a quota that has been written
	ticket  *ticket
	done    chan struct{} // closed once it is decided
}

func (w *waiter) decide(err error) { w.decided, w.err = true, err }

// take waits until a request is charged. Whoever gets the turn of a namespace charges
// everybody who waits by then.
func (e *Enforcer) take(ctx context.Context, w *waiter) error {
	s := e.enter(w.req.Namespace, w)
	defer e.leave(s)
	select {
	case <-w.done:
	case s.turn <- struct{}{}:
		batch := e.batch(s)
		// Others than this request depend on it now.
		e.charge(context.WithoutCancel(ctx), s, batch)
		<-s.turn
		for _, w := range batch {
			close(w.done)
		}
	case <-ctx.Done():
		if e.withdraw(s, w) {
			return ctx.Err()
		}
	}
	<-w.done
	if w.charged && w.err == nil {
		w.req.Finally(func(happened bool) { e.finish(s.name, w.ticket, happened) })
	}
	return w.err
}
