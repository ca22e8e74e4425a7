package gc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Collector deletes what nobody owns any more, as the owner references of objects and the
// policies of their deletions say. Make one with [NewCollector].
type Collector struct {
	cluster Cluster
	logger  *slog.Logger

	mu       sync.Mutex
	graph    *graph
	queue    *queue[string]         // uids to look at
	observed object.ResourceVersion // the version of the last bookmark; 0 until all that there is was seen
	later    []string               // uids to look at then: nobody knows all dependents of anything before
	progress sync.Cond              // observed has grown
}

// workers is how many objects are looked at side by side: enough to fill the commits of a store.
const workers = 64

// NewCollector makes a collector of a cluster. It does nothing until [Collector.Run]. A nil
// logger is slog.Default.
func NewCollector(cluster Cluster, logger *slog.Logger) *Collector {
	if logger == nil {
		logger = slog.Default()
	}
	c := &Collector{cluster: cluster, logger: logger, queue: newQueue[string]()}
	c.progress.L = &c.mu
	c.reset()
	return c
}

// reset forgets all that was seen.
func (c *Collector) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.graph = newGraph(c.due)
	c.observed, c.later = 0, nil
}

// due has an object looked at, as soon as that can be done.
func (c *Collector) due(uid string) {
	if c.observed == 0 {
		c.later = append(c.later, uid)
		return
	}
	c.queue.add(uid)
}

// Run collects until ctx ends. Failures are logged and tried again, each later than the
// one before; none of them stops the rest. It is called once.
func (c *Collector) Run(ctx context.Context) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { c.work(ctx) })
	}
	for ctx.Err() == nil {
		if err := c.watch(ctx); ctx.Err() == nil {
			c.logger.WarnContext(ctx, "collecting garbage: starting anew", "error", err)
			c.reset()
			pause(ctx, time.Second)
		}
	}
	c.queue.close()
	wg.Wait()
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// watch keeps the graph up to date. It ends with an error.
func (c *Collector) watch(ctx context.Context) error {
	for e, err := range c.cluster.Watch(ctx) {
		if err != nil {
			return err
		}
		c.observe(e)
	}
	return errors.New("the watch ended")
}

func (c *Collector) observe(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.Type != object.Bookmark {
		c.graph.observe(e)
		return
	}
	c.observed = max(c.observed, e.Version)
	for _, uid := range c.later {
		c.queue.add(uid)
	}
	c.later = nil
	c.progress.Broadcast()
}

// Settle waits until there is nothing left to do: all changes so far were seen, and what
// they led to is done. What has failed and waits to be tried again doesn't count. Run must be
// under way. The error is that of ctx.
func (c *Collector) Settle(ctx context.Context) error {
	for {
		version := c.cluster.Version()
		if err := c.waitFor(ctx, version); err != nil {
			return err
		}
		if err := c.queue.settled(ctx); err != nil {
			return err
		}
		if c.cluster.Version() == version {
			return nil
		}
	}
}

func (c *Collector) waitFor(ctx context.Context, version object.ResourceVersion) error {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.progress.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.observed < version && ctx.Err() == nil {
		c.progress.Wait()
	}
	return ctx.Err()
}

// Collect does all that there is to do now and returns: a Run that ends when it has settled.
func (c *Collector) Collect(ctx context.Context) error {
	running, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { c.Run(running) })
	err := c.Settle(ctx)
	stop()
	wg.Wait()
	return err
}

func (c *Collector) work(ctx context.Context) {
	for {
		uid, ok := c.queue.next(ctx)
		if !ok {
			return
		}
		err := c.lookSafely(ctx, uid)
		if err != nil && ctx.Err() == nil {
			c.logger.DebugContext(ctx, "collecting garbage", "uid", uid, "error", err)
		}
		c.queue.done(uid, err != nil)
	}
}

// lookSafely survives a panic: one object must not take the others along.
func (c *Collector) lookSafely(ctx context.Context, uid string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.logger.ErrorContext(ctx, "collecting garbage: panic", "uid", uid, "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return c.look(ctx, uid)
}

// glance is what the graph knows of an object at a moment.
type glance struct {
	key                object.Key
	claim              *claim
	state              state
	waiting, orphaning bool
}

func (c *Collector) glance(uid string) (g glance, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.graph.nodes[uid]
	if n == nil {
		return g, false
	}
	if c.observed == 0 {
		c.due(uid)
		return g, false
	}
	return glance{key: n.key(), claim: n.claim, state: n.state, waiting: n.waiting, orphaning: n.orphaning}, true
}

// look does what there is to do for one object.
func (c *Collector) look(ctx context.Context, uid string) error {
	g, ok := c.glance(uid)
	switch {
	case !ok || g.state == gone:
		return nil
	case g.state == unseen:
		return c.verify(ctx, uid, g.claim)
	}
	o, err := c.live(ctx, g.key, uid)
	if err != nil || o == nil {
		return err
	}
	switch {
	case g.orphaning:
		return c.orphan(ctx, g.key, o)
	case g.waiting:
		return c.finishForeground(ctx, g.key, o)
	case !o.DeletionTimestamp().IsZero():
		return nil // its finalizers are the business of others
	}
	return c.collect(ctx, g.key, o)
}

// live reads an object that was seen. If it is gone, that is noted and the result is nil.
func (c *Collector) live(ctx context.Context, key object.Key, uid string) (object.Object, error) {
	o, err := c.cluster.Get(ctx, key)
	switch {
	case object.IsNotFound(err), err == nil && o.UID() != uid:
		c.lost(uid)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", key, err)
	}
	return o, nil
}

func (c *Collector) lost(uid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.graph.lost(uid)
}

// verify finds out whether an owner exists that only its dependents have told of.
func (c *Collector) verify(ctx context.Context, uid string, at *claim) error {
	key, err := c.resolve(at)
	if errors.Is(err, errNoOwnerThere) {
		c.dependentsOf(uid) // each is told for itself
		return nil
	}
	if err != nil {
		return err
	}
	o, err := c.cluster.Get(ctx, key)
	switch {
	case object.IsNotFound(err), err == nil && o.UID() != uid:
		return c.elsewhere(ctx, uid, key, at.kind.Kind)
	case err != nil:
		return fmt.Errorf("looking for the owner %s: %w", key, err)
	}
	c.found(uid, key, at.kind.Kind)
	return nil
}

// elsewhere looks for an owner that is not where its dependents say, in other namespaces.
func (c *Collector) elsewhere(ctx context.Context, uid string, key object.Key, kind string) error {
	if key.Namespace == "" {
		c.lost(uid)
		return nil
	}
	same, err := c.cluster.Named(ctx, key.GroupResource, key.Name)
	if err != nil {
		return fmt.Errorf("looking for the owner %s: %w", key, err)
	}
	for _, o := range same {
		if o.UID() == uid {
			key.Namespace = o.Namespace()
			c.found(uid, key, kind)
			c.dependentsOf(uid)
			return nil
		}
	}
	c.lost(uid)
	return nil
}

// found takes note of where an owner is.
func (c *Collector) found(uid string, key object.Key, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.graph.nodes[uid]; n != nil && n.state == unseen {
		c.graph.seen(n, key, kind)
	}
}

// dependentsOf has all dependents looked at.
func (c *Collector) dependentsOf(uid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.graph.nodes[uid]; n != nil {
		for d := range n.dependents {
			c.graph.due(d.uid)
		}
	}
}
