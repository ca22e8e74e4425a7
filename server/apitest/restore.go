package apitest

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Restore makes the objects what they were at a snapshot, of this server or of another one, while
// the server goes on. What differs is written, all of it at one moment: versions grow, watches see
// what changes, and nothing of the history is lost. It returns when all is served again that
// the snapshot defines.
func (s *Server) Restore(ctx context.Context, to *Snapshot) error {
	ctx, cancel := limited(ctx, limit)
	defer cancel()
	if err := s.settle(ctx); err != nil {
		return fmt.Errorf("restoring a snapshot: waiting for the controllers: %w", err)
	}
	after, upTo, err := s.backend.Restore(to.contents)
	if err != nil {
		return fmt.Errorf("restoring a snapshot: %w", err)
	}
	s.journal.restored(after, upTo)
	if err := s.Settle(ctx); err != nil {
		return fmt.Errorf("restoring a snapshot: waiting for the definitions to be served: %w", err)
	}
	return nil
}

// restored notes that writes are those of a restoration.
func (j *journal) restored(after, upTo object.ResourceVersion) {
	for version := after + 1; version <= upTo; version++ {
		if w := j.find(version); w != nil {
			w.actor.Store(&actor{verb: "restore", manager: loader})
		}
	}
}
