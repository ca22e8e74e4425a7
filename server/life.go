package server

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// life is the time for which a version of a resource is served. It goes on when the
// resource is replaced by another one of the same name that has the version.
type life struct {
	ctx context.Context
	end context.CancelFunc
}

func newLife() *life {
	ctx, cancel := context.WithCancel(context.Background())
	return &life{ctx, cancel}
}

// follow puts a set in the place of the one before: versions that both have live on,
// others begin or end. The caller holds the lock of the writers of sets.
func (s *Server) follow(next *resourceSet) {
	before := s.resources.Load()
	for gvr, entry := range next.byPath {
		if old, ok := before.find(gvr); ok && old.collection == entry.collection {
			entry.life = old.life
		} else {
			entry.life = newLife()
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
