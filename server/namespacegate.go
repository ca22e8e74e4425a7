package server

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// gates keep creations in a namespace and its end apart. An object is stored while the
// gate of its namespace is held open, after a last look; a namespace gets its mark while
// its gate is shut. So when the mark can be seen, all that will ever be in the namespace
// is there, for whoever empties it, wherever that runs; and nothing slips in between its last
// look and the removal of the namespace. Some namespaces have a gate in common.
type gates struct {
	seed maphash.Seed
	all  [64]gate
}

type gate struct {
	open  sync.RWMutex  // for reading while an object is stored, for writing while a namespace is marked
	marks atomic.Uint64 // how often the latter happened
}

func newGates() *gates { return &gates{seed: maphash.MakeSeed()} }

func (g *gates) of(namespace string) *gate {
	return &g.all[maphash.String(g.seed, namespace)%uint64(len(g.all))]
}

// checkNamespace refuses to create in a namespace that is not there, or is being
// deleted, on servers that have namespaces as objects.
func (c *call) checkNamespace(ctx context.Context, o object.Object) error {
	if !c.Namespaced || c.set.namespaces == nil {
		return nil
	}
	c.gate = c.gates.of(c.namespace)
	c.marks = c.gate.marks.Load()
	return c.lookAtNamespace(ctx, o)
}

// enterNamespace sees to it that the namespace stays as checkNamespace found it until
// leave is called. It reads it again only if one was marked since then: what comes in
// between may take its time. The context is for the write.
func (c *call) enterNamespace(ctx context.Context, o object.Object) (_ context.Context, leave func(), err error) {
	if c.gate == nil {
		return ctx, func() {}, nil
	}
	c.gate.open.RLock()
	if c.gate.marks.Load() != c.marks {
		if err := c.lookAtNamespace(ctx, o); err != nil {
			c.gate.open.RUnlock()
			return nil, nil, err
		}
	}
	// A write whose context ends may be committed later, which must not be after leave.
	return context.WithoutCancel(ctx), c.gate.open.RUnlock, nil
}

func (c *call) lookAtNamespace(ctx context.Context, o object.Object) error {
	namespace, err := c.config.Store.Get(ctx, object.Key{GroupResource: c.set.namespaces.collection, Name: c.namespace})
	if err != nil || !namespace.Deleting() {
		return err
	}
	name := cmp.Or(o.Name(), o.GenerateName(), "Unknown")
	refused := object.Forbidden(c.groupResource(), name,
		fmt.Errorf("unable to create new content in namespace %s because it is being terminated", c.namespace))
	refused.Status.Details.Causes = []object.Cause{{
		Reason: "NamespaceTerminating", Message: fmt.Sprintf("namespace %s is being terminated", c.namespace), Field: "metadata.namespace",
	}}
	return refused
}

// shutNamespace keeps objects from being created in the namespace of the call, if it is
// about one, until open is called. The context is for the write of that time, which must
// be over then.
func (c *call) shutNamespace(ctx context.Context) (_ context.Context, open func()) {
	if c.set.namespaces == nil || c.collection != c.set.namespaces.collection {
		return ctx, func() {}
	}
	g := c.gates.of(c.name)
	g.open.Lock()
	return context.WithoutCancel(ctx), func() {
		g.marks.Add(1) // after the write, so that nobody takes what was before it for what is
		g.open.Unlock()
	}
}
