package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// deletion is the outcome of a DELETE: the object as it was removed, or as it
// stands, marked and waiting.
type deletion struct {
	object  *object.Encoded
	uid     string
	removed bool
}

// delete does what a DELETE of one object means. Preconditions are checked against
// the live object at every attempt, so that a race never deletes another one.
func (c *call) delete(ctx context.Context, opts gc.DeleteOptions) (deletion, error) {
	defer c.turns.take(ctx, c.key()).leave()
	defer c.audit(ctx, "delete")
	for {
		live, err := c.live(ctx)
		if err != nil {
			return deletion{}, err
		}
		if opts.Unsafe() {
			return deletion{}, c.errStore("unsafe deletion is not allowed because the object is decodable from storage")
		}
		d, err := c.deleteOnce(ctx, live, opts)
		if !errors.Is(err, errRaced) {
			return d, err
		}
		if ctx.Err() != nil {
			return deletion{}, c.errModified()
		}
	}
}

func (c *call) deleteOnce(ctx context.Context, live *object.Encoded, opts gc.DeleteOptions) (deletion, error) {
	o, err := c.ruled(live)
	if err != nil {
		return deletion{}, err
	}
	if err := c.checkHeldConditions(opts.Preconditions, o); err != nil {
		return deletion{}, err
	}
	next, outcome, err := gc.BeginDelete(o, c.withPolicy(opts, o), c.Grace, time.Now())
	if err != nil {
		return deletion{}, err
	}
	if slices.Contains(c.Protected, o.Name()) {
		return deletion{}, object.Forbidden(c.groupResource(), o.Name(), fmt.Errorf("this %s may not be deleted", c.Singular))
	}
	if c.Held != nil {
		opts = onlyOf(opts, o)
		if c.Held(o) {
			next, outcome = c.beginHeld(o, next)
		}
	}
	d := deletion{uid: o.UID(), removed: outcome == gc.Remove || outcome == gc.Finish}
	if c.waitsOnly(o, outcome) {
		d.object = live
		return d, nil
	}
	d.object, err = c.settle(func() (*object.Encoded, error) {
		if err := c.reviewDelete(ctx, o, opts); err != nil {
			return nil, err
		}
		return c.carryOut(ctx, outcome, live, next)
	})
	return d, err
}

// withPolicy completes options by the policy of the kind, for an object that is not
// deleted by another one already.
func (c *call) withPolicy(opts gc.DeleteOptions, o object.Object) gc.DeleteOptions {
	if c.NoDependents {
		opts.PropagationPolicy, opts.OrphanDependents = new(gc.Background), nil
		return opts
	}
	isPolicy := func(name string) bool { return name == object.FinalizerOrphan || name == object.FinalizerForeground }
	if c.Orphans && !opts.NamesPolicy() && !slices.ContainsFunc(o.Finalizers(), isPolicy) {
		opts.PropagationPolicy = new(gc.Orphan)
	}
	return opts
}

// carryOut does to an object what its deletion comes down to, and gives its last state.
func (c *call) carryOut(ctx context.Context, outcome gc.Outcome, live *object.Encoded, next object.Object) (*object.Encoded, error) {
	switch outcome {
	case gc.Remove:
		return c.remove(ctx, live)
	case gc.Mark:
		return c.mark(ctx, live, next)
	case gc.Finish:
		return c.finish(ctx, live, next)
	}
	return live, nil
}

// waitsOnly says whether a deletion does nothing but wait, for the end of a time that was
// granted or for what the kind wants, and so is nothing that can be refused.
func (c *call) waitsOnly(o object.Object, outcome gc.Outcome) bool {
	return outcome == gc.Unchanged && (len(o.Finalizers()) == 0 || c.Held != nil)
}

// finish marks an object and removes it. Of the two writes the client gets both or none:
// what was marked and left there would wait for nobody.
func (c *call) finish(ctx context.Context, live *object.Encoded, next object.Object) (*object.Encoded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx)
	marked, err := c.mark(ctx, live, next)
	if err == nil {
		_, err = c.remove(ctx, marked)
	}
	return marked, err
}

func (c *call) remove(ctx context.Context, live *object.Encoded) (*object.Encoded, error) {
	if c.opts.dryRun() {
		return live, nil
	}
	ctx, open := c.shutNamespace(ctx)
	defer open()
	removed, err := c.config.Store.Remove(ctx, c.key(), live)
	if object.IsConflict(err) {
		return nil, errRaced
	}
	if err != nil {
		return nil, err
	}
	c.wrote("delete", removed.Version)
	return removed, nil
}

func (c *call) mark(ctx context.Context, live *object.Encoded, next object.Object) (*object.Encoded, error) {
	encoded, err := c.encode(next)
	if err != nil {
		return nil, err
	}
	encoded.Version = live.Version
	if c.opts.dryRun() {
		return &encoded, nil
	}
	ctx, open := c.shutNamespace(ctx)
	defer open()
	return c.put(ctx, "delete", live, encoded)
}

// deleters is how many objects of a collection are deleted side by side: enough to fill
// the store's commits. Each has a few to delete, so that those of a small collection go in order.
const (
	deleters   = 128
	perDeleter = 4
)

// deleteEach deletes the named objects of the collection. It goes on after a
// failure and returns that of the first object in their order.
func (c *call) deleteEach(ctx context.Context, keys []object.Key, opts gc.DeleteOptions) error {
	var wg sync.WaitGroup
	work, failures := make(chan int), make([]error, len(keys))
	parts := make([]asides, len(keys))
	for range min(deleters, (len(keys)+perDeleter-1)/perDeleter) {
		wg.Go(func() {
			for i := range work {
				parts[i] = c.apart()
				if err := c.deleteOneOf(ctx, keys[i], opts, &parts[i]); !object.IsNotFound(err) {
					failures[i] = err
				}
			}
		})
	}
	for i := range keys {
		work <- i
	}
	close(work)
	wg.Wait()
	for i := range parts {
		c.join(&parts[i])
	}
	return cmp.Or(failures...)
}

// deleteOneOf deletes one object of the collection. It runs in a goroutine of its
// own, where a panic of the kind's functions would end the program; here it is an error.
func (c *call) deleteOneOf(ctx context.Context, key object.Key, opts gc.DeleteOptions, beside *asides) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.config.Logger.ErrorContext(ctx, "panic", "deleting", key.String(), "panic", p, "stack", string(debug.Stack()))
			err = object.InternalError(fmt.Errorf("panic while serving: %v", p))
		}
	}()
	one := *c
	one.namespace, one.name, one.ofMany, one.asides = key.Namespace, key.Name, true, *beside
	_, err = one.delete(ctx, opts)
	*beside = one.asides
	return err
}
