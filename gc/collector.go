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

	mu        sync.Mutex
	queue     *queue[string] // uids to look at
	graph     *graph
	beginning int                    // how often the graph began anew
	observed  object.ResourceVersion // the version of the last bookmark; 0 until all that there is was seen
	later     []string               // uids to look at then: nobody knows all dependents of anything before
	progress  sync.Cond              // observed has grown
}

// collectors is how many objects are looked at side by side: enough to fill the commits of a store.
const collectors = 64

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
	c.beginning++
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
// one before; none of them stops the rest. It runs once at a time.
func (c *Collector) Run(ctx context.Context) {
	queue := c.begin()
	var wg sync.WaitGroup
	wg.Go(func() {
		queue.serve(ctx, collectors, func(uid string) (failed bool) { return c.work(ctx, uid) })
	})
	for ctx.Err() == nil {
		if err := c.watch(ctx); ctx.Err() == nil {
			c.logger.WarnContext(ctx, "collecting garbage: starting anew", "error", err)
			c.reset()
			pause(ctx, time.Second)
		}
	}
	queue.close()
	wg.Wait()
	c.reset() // what is seen is for the next run to see
}

// begin gives the run a queue of its own.
func (c *Collector) begin() *queue[string] {
	c.reset()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = newQueue[string]()
	return c.queue
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
		if err := c.currentQueue().settled(ctx); err != nil {
			return err
		}
		if c.cluster.Version() == version {
			return nil
		}
	}
}

func (c *Collector) currentQueue() *queue[string] {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue
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

func (c *Collector) work(ctx context.Context, uid string) (failed bool) {
	err := c.safely(ctx, func() error { return c.lookAgain(ctx, uid) })
	if err != nil && ctx.Err() == nil {
		c.logger.DebugContext(ctx, "collecting garbage", "uid", uid, "error", err)
	}
	return err != nil
}

// safely survives a panic: one object must not take the others along.
func (c *Collector) safely(ctx context.Context, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.logger.ErrorContext(ctx, "collecting garbage: panic", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return do()
}

// glance is what the graph knows of an object at a moment.
type glance struct {
	uid                string
	beginning          int // of the graph
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
	return glance{uid, c.beginning, n.key(), n.claim, n.state, n.waiting, n.orphaning}, true
}

// errAnew says that the graph of a glance is no more.
var errAnew = errors.New("collecting begins anew")

// node gives the node of an object at which somebody glanced; nil if it has gone. The caller
// holds the lock. What a graph that began anew doesn't have says nothing.
func (c *Collector) node(g glance) (*node, error) {
	if g.beginning != c.beginning {
		return nil, errAnew
	}
	return c.graph.nodes[g.uid], nil
}

// races is how often an object is looked at again at once because it changed meanwhile.
const races = 10

// lookAgain looks at an object until it was not changed meanwhile.
func (c *Collector) lookAgain(ctx context.Context, uid string) (err error) {
	for range races {
		if err = c.look(ctx, uid); !object.IsConflict(err) {
			break
		}
	}
	return err
}

// look does what there is to do for one object.
func (c *Collector) look(ctx context.Context, uid string) error {
	g, ok := c.glance(uid)
	switch {
	case !ok || g.state == gone || g.state == missed:
		return nil
	case g.state == unseen:
		return c.verify(ctx, g)
	}
	o, err := c.live(ctx, g)
	if err != nil || o == nil {
		return err
	}
	switch {
	case g.orphaning:
		return c.orphan(ctx, g, o)
	case g.waiting:
		return c.finishForeground(ctx, g, o)
	case !o.DeletionTimestamp().IsZero():
		return nil // its finalizers are the business of others
	}
	return c.collect(ctx, g, o)
}

// live reads an object that was seen. If it is gone, that is noted and the result is nil.
func (c *Collector) live(ctx context.Context, g glance) (object.Object, error) {
	o, err := c.cluster.Get(ctx, g.key)
	switch {
	case object.IsNotFound(err), err == nil && o.UID() != g.uid:
		c.note(func(graph *graph) { graph.lost(g.uid) })
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", g.key, err)
	}
	return o, nil
}

// note tells the graph what was found out.
func (c *Collector) note(of func(graph *graph)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	of(c.graph)
}

// verify finds out whether an owner exists that only its dependents have told of.
func (c *Collector) verify(ctx context.Context, g glance) error {
	key, err := c.find(ctx, g)
	if err != nil {
		return err
	}
	c.note(func(graph *graph) {
		if key.Name == "" {
			graph.missing(g.uid)
		} else if n := graph.nodes[g.uid]; n != nil && n.state == unseen {
			graph.seen(n, key, g.claim.kind.Kind)
		}
	})
	return nil
}

// find looks for an owner where the first dependent says that it is, and then in other
// namespaces: others may say otherwise, and be right. The key is empty if it is nowhere.
func (c *Collector) find(ctx context.Context, g glance) (object.Key, error) {
	key, err := c.resolve(g.claim)
	if errors.Is(err, errNoOwnerThere) {
		return c.named(ctx, g.uid, key)
	}
	if err != nil {
		return object.Key{}, err
	}
	o, err := c.cluster.Get(ctx, key)
	switch {
	case err == nil && o.UID() == g.uid:
		return key, nil
	case err == nil || object.IsNotFound(err):
		return c.elsewhere(ctx, g.uid, key)
	}
	return object.Key{}, fmt.Errorf("looking for the owner %s: %w", key, err)
}

// elsewhere looks for an object that is not where it is said to be in other namespaces. The key
// is empty if it is in none.
func (c *Collector) elsewhere(ctx context.Context, uid string, key object.Key) (object.Key, error) {
	if key.Namespace == "" {
		return object.Key{}, nil
	}
	return c.named(ctx, uid, key)
}

// named looks for an object of a name in all namespaces.
func (c *Collector) named(ctx context.Context, uid string, key object.Key) (object.Key, error) {
	same, err := c.cluster.Named(ctx, key.GroupResource, key.Name)
	if err != nil {
		return object.Key{}, fmt.Errorf("looking for the owner %s: %w", key, err)
	}
	for _, o := range same {
		if o.UID() == uid && o.Name() == key.Name {
			key.Namespace = o.Namespace()
			return key, nil
		}
	}
	return object.Key{}, nil
}
