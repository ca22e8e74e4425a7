package apitest

import (
	"testing"

	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// Snapshot is a server at one moment: its objects, their history, and how it is set up. It is
// data only, without goroutines, channels or timers, and does not change; any number of
// tests may fork it at once, inside a bubble or outside.
type Snapshot struct {
	setup    *setup
	contents *memory.Snapshot
	journal  *journal
}

// Snapshot freezes what is there. It costs the same whatever the number of objects.
func (s *Server) Snapshot() *Snapshot {
	contents := s.backend.Snapshot()
	return &Snapshot{s.setup, contents, s.journal.upTo(contents.Version())}
}

// Fork starts a server of its own for a test, which begins with what the snapshot has: a prepared
// world for each case of a table test.
func (s *Snapshot) Fork(t testing.TB) *Server {
	t.Helper()
	g := beginGuard(t, s.setup.ignored)
	backend := s.contents.Fork()
	srv, err := start(t, s.setup, backend, s.journal.upTo(backend.Version()))
	if err != nil {
		t.Fatalf("forking an API server: %v", err)
	}
	g.server = srv
	return srv
}

// Fork starts a server of its own for a test, which begins with what this one has now.
func (s *Server) Fork(t testing.TB) *Server {
	t.Helper()
	return s.Snapshot().Fork(t)
}
