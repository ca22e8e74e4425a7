package memory

import (
	"fmt"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Backend is a [storage.Backend] in memory. Use [New] or [Snapshot.Fork].
type Backend struct {
	mu       sync.Mutex
	current  contents
	owner    *owner
	onCommit func([]storage.Change)
	closed   bool
}

var _ storage.Backend = (*Backend)(nil)

// New gives an empty backend.
func New() *Backend { return newBackend(contents{version: 1}) }

func newBackend(c contents) *Backend { return &Backend{current: c, owner: new(owner)} }

// Snapshot is the contents of a [Backend] at one moment, frozen.
type Snapshot struct{ contents contents }

// Snapshot freezes the contents. It costs the same whatever their size.
func (b *Backend) Snapshot() *Snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.owner = new(owner)
	return &Snapshot{b.current}
}

// Version is the newest version at that moment.
func (s *Snapshot) Version() object.ResourceVersion { return s.contents.version }

// Fork gives a backend of its own that starts with the contents of the snapshot,
// history included. It costs the same whatever their size.
func (s *Snapshot) Fork() *Backend { return newBackend(s.contents) }

// Fork gives a backend that starts with the contents of this one.
func (b *Backend) Fork() *Backend { return b.Snapshot().Fork() }

// Version implements [storage.Backend].
func (b *Backend) Version() object.ResourceVersion {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.version
}

// Compacted implements [storage.Backend].
func (b *Backend) Compacted() object.ResourceVersion {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current.compacted
}

// OnCommit implements [storage.Backend].
func (b *Backend) OnCommit(f func([]storage.Change)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.onCommit = f
}

// Close implements [storage.Backend].
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

// view gives the contents for a read at a version, and that version made explicit.
func (b *Backend) view(at object.ResourceVersion) (contents, object.ResourceVersion, error) {
	b.mu.Lock()
	c, closed := b.current, b.closed
	b.mu.Unlock()
	if at == 0 {
		at = c.version
	}
	switch {
	case closed:
		return c, at, storage.ErrClosed
	case at > c.version:
		return c, at, fmt.Errorf("storage: version %d is not reached; the newest is %d", at, c.version)
	case at < c.compacted:
		return c, at, storage.ErrCompacted
	}
	return c, at, nil
}
