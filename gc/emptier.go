package gc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Emptier empties the namespaces that are being deleted and then lets them go. What
// it does depends on the state it finds alone, so that another one can go on where it
// was interrupted.
type Emptier struct {
	api       Namespaces
	logger    *slog.Logger
	queue     *queue[string]
	following chan struct{} // closed once the present namespaces are in the queue

	mu      sync.Mutex
	waiting map[string]*remainder // by namespace
}

// remainder is what a namespace waits for. It is looked at again when half of that is
// gone, so that all the looks together cost about what two do, and yet the last object
// to go is noticed at once.
type remainder struct {
	objects int // of the last look; 0 while that is under way, or if it failed
	gone    int // since it began
}

func (r *remainder) due() bool { return r.objects > 0 && 2*r.gone >= r.objects }

// atOnce is how many namespaces are worked on side by side: one with much in it must
// not keep the others waiting.
const atOnce = 10

// followAgain is how long the emptier rests when the API cannot tell it what there is to do.
const followAgain = time.Second

// NewEmptier makes an emptier. A nil logger is slog.Default.
func NewEmptier(api Namespaces, logger *slog.Logger) *Emptier {
	if logger == nil {
		logger = slog.Default()
	}
	return &Emptier{
		api: api, logger: logger, queue: newQueue[string](),
		following: make(chan struct{}), waiting: map[string]*remainder{},
	}
}

// Run empties namespaces until ctx ends, and returns when all it started has ended. It
// must be called once only.
func (e *Emptier) Run(ctx context.Context) {
	defer e.queue.close()
	stop := e.follow(ctx)
	if stop == nil {
		return
	}
	defer stop()
	close(e.following)
	e.queue.serve(ctx, atOnce, func(name string) (failed bool) { return e.work(ctx, name) })
}

// follow has the API tell what there is to do; it gives nil when ctx ends.
func (e *Emptier) follow(ctx context.Context) (stop func()) {
	for {
		stop, err := e.api.Follow(ctx, e.queue.add, e.gone)
		if err == nil {
			return stop
		}
		if ctx.Err() == nil {
			e.logger.ErrorContext(ctx, "following namespaces", "error", err)
		}
		if pause(ctx, followAgain); ctx.Err() != nil {
			return nil
		}
	}
}

// Settle waits, while Run runs, until there is nothing to do but to wait for others
// and to try again what failed. It returns early with the error of ctx.
func (e *Emptier) Settle(ctx context.Context) error {
	select {
	case <-e.following:
		return e.queue.settled(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *Emptier) work(ctx context.Context, name string) (failed bool) {
	settled, err := e.emptySafely(ctx, name)
	raced := errors.Is(err, object.ErrConflict) || errors.Is(err, object.ErrNotFound)
	if err != nil && ctx.Err() == nil && !raced {
		e.logger.ErrorContext(ctx, "emptying a namespace", "name", name, "error", err)
	}
	// One that still waits is tried again later, in case an event was missed.
	return err != nil || !settled
}

// emptySafely survives a panic: one namespace must not take the others along.
func (e *Emptier) emptySafely(ctx context.Context, name string) (settled bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return e.empty(ctx, name)
}

// empty takes a namespace a step further: it deletes what is in it, says what is left,
// and lets it go when that is nothing. settled says that nothing remains to be done.
func (e *Emptier) empty(ctx context.Context, name string) (settled bool, err error) {
	namespace, err := e.api.Get(ctx, name)
	switch {
	case errors.Is(err, object.ErrNotFound):
		e.forget(name)
		return true, nil
	case err != nil:
		return false, fmt.Errorf("reading it: %w", err)
	case !held(namespace):
		e.forget(name)
		return true, nil
	}
	e.look(name)
	found := e.emptyResources(ctx, name)
	if err := ctx.Err(); err != nil {
		return false, err // which is no news of the contents
	}
	if next, changed := found.report(namespace, time.Now()); changed {
		if namespace, err = e.api.Write(ctx, next, "status"); err != nil {
			return false, fmt.Errorf("writing its status: %w", err)
		}
	}
	if err := found.failed(); err != nil {
		return false, err
	}
	if n := found.objects(); n > 0 {
		e.await(name, n)
		return false, nil
	}
	e.forget(name)
	if next, changed := released(namespace); changed {
		if _, err := e.api.Write(ctx, next, "finalize"); err != nil {
			return false, fmt.Errorf("finalizing it: %w", err)
		}
	}
	return true, nil
}

// emptyResources deletes the contents of a namespace, resource by resource. A
// failure of one does not keep the others. Pods go alone, before everything that they
// may still use.
func (e *Emptier) emptyResources(ctx context.Context, namespace string) *findings {
	found := &findings{}
	resources, err := e.api.Resources(ctx)
	found.discover(err)
	if i := slices.Index(resources, pods); i >= 0 {
		left, err := e.api.Empty(ctx, pods, namespace)
		if found.add(pods, namespace, left, err); left.Objects > 0 {
			return found
		}
		resources = slices.Concat(resources[:i], resources[i+1:])
	}
	for _, r := range resources {
		left, err := e.api.Empty(ctx, r, namespace)
		found.add(r, namespace, left, err)
	}
	return found
}

// look begins to count what goes, before it is known how much is there, so that nothing
// that goes in between is missed.
func (e *Emptier) look(namespace string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiting[namespace] = &remainder{}
}

// await has the namespace looked at again when objects go.
func (e *Emptier) await(namespace string, objects int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.waiting[namespace]
	if r.objects = objects; r.due() {
		e.queue.add(namespace)
	}
}

// gone notes that an object of a namespace is.
func (e *Emptier) gone(namespace string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.waiting[namespace]
	if r == nil {
		return
	}
	if r.gone++; r.due() {
		e.queue.add(namespace)
	}
}

func (e *Emptier) forget(namespace string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.waiting, namespace)
}
