package server

import (
	"context"
	"errors"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// life is the time for which a version of a resource is served. It goes on when the
// resource is replaced by another one of the same name that has the version.
type life struct {
	ctx context.Context
	end context.CancelFunc

	// since is the version of the store when it began, for a resource that a
	// definition brought while the server ran: no watch begins before it.
	since object.ResourceVersion

	// Held for reading while an object is created, so that whoever closes the
	// resource can wait until the last one is there to be deleted.
	creates sync.RWMutex
}

func (s *Server) newLife(of *served) *life {
	l := &life{}
	l.ctx, l.end = context.WithCancel(context.Background())
	if of.isDefined() && s.definitions != nil {
		l.since = s.config.Store.Version()
	}
	return l
}

// follow puts a set in the place of the one before: versions that both have live on,
// others begin or end. The caller holds the lock of the writers of sets.
func (s *Server) follow(next *resourceSet) {
	before := s.resources.Load()
	for gvr, entry := range next.byPath {
		if old, ok := before.find(gvr); ok && old.collection == entry.collection {
			entry.life = old.life
		} else {
			entry.life = s.newLife(entry)
		}
	}
	s.resources.Store(next)
	for gvr, old := range before.byPath {
		if entry, ok := next.find(gvr); !ok || entry.life != old.life {
			old.life.end()
		}
	}
}

// again looks up what a path named before, in the set of now. A resource that was
// replaced has another description under the same name.
func (s *Server) again(set *resourceSet, gvr object.GroupVersionResource, old *served) (*resourceSet, *served) {
	now := s.resources.Load()
	if now == set {
		return set, old
	}
	if entry, ok := now.find(gvr); ok {
		return now, entry
	}
	return now, old
}

// beginCreate makes sure that an object may still be created, at the last moment
// before it is. The caller calls done when it is there. The context is for the write.
func (c *call) beginCreate(ctx context.Context, o object.Object) (_ context.Context, done func(), err error) {
	if c.version.Documents == nil {
		return ctx, func() {}, nil
	}
	c.life.creates.RLock()
	_, now := c.again(c.set, c.gvr, c.served)
	switch {
	case now.life != c.life || c.life.ctx.Err() != nil:
		err = object.PathNotFound()
	case now.Closed != "":
		err = object.Forbidden(c.groupResource(), o.Name(), errors.New(now.Closed))
	default:
		// A write whose context ends may be committed later, which must not be after done.
		return context.WithoutCancel(ctx), c.life.creates.RUnlock, nil
	}
	c.life.creates.RUnlock()
	return nil, nil, err
}

// waitForCreates returns when no object is being created any more of a resource that
// the set closes.
func (s *resourceSet) waitForCreates(gr object.GroupResource) {
	for gvr, entry := range s.byPath {
		if gvr.Group == gr.Group && gvr.Resource == gr.Resource {
			entry.life.creates.Lock()
			//lint:ignore SA2001 there is nothing to do: the lock is a barrier
			entry.life.creates.Unlock()
		}
	}
}
