package bolt

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Backend is a [storage.Backend] in a file. Use [Open].
type Backend struct {
	path   string
	db     *bbolt.DB
	writer *writer

	// version is the newest durable one. The mapped file may show more: a commit
	// that is under way, or one that failed.
	version atomic.Uint64

	// compacted is set before the commit that compacts, so that a transaction that
	// sees the commit is never taken for one that doesn't.
	compacted atomic.Uint64

	rooms sync.Pool // of *scanRoom
}

var _ storage.Backend = (*Backend)(nil)

func newBackend(path string, db *bbolt.DB) *Backend {
	b := &Backend{path: path, db: db}
	b.writer = newWriter(b)
	return b
}

// Version implements [storage.Backend].
func (b *Backend) Version() object.ResourceVersion { return object.ResourceVersion(b.version.Load()) }

// Compacted implements [storage.Backend].
func (b *Backend) Compacted() object.ResourceVersion {
	return object.ResourceVersion(b.compacted.Load())
}

// OnCommit implements [storage.Backend].
func (b *Backend) OnCommit(f func([]storage.Change)) { b.writer.onCommit.Store(&f) }

// Close implements [storage.Backend].
func (b *Backend) Close() error {
	b.writer.stop()
	if err := b.db.Close(); err != nil {
		return fmt.Errorf("closing %s: %w", b.path, err)
	}
	return nil
}

// snapshot is a read transaction with the buckets that it read, and the version up to which it may
// be seen.
type snapshot struct {
	tx    *bbolt.Tx
	index *bbolt.Bucket
	log   *bbolt.Bucket
	at    object.ResourceVersion

	// visiting is set while a function of the caller runs, whose panics are its own.
	visiting bool
}

// view runs fn on the state at a version; 0 is the newest durable one.
func (b *Backend) view(at object.ResourceVersion, fn func(s *snapshot) error) (err error) {
	durable := b.Version()
	if at > durable {
		return fmt.Errorf("storage: version %d is not reached; the newest is %d", at, durable)
	}
	if at == 0 {
		at = durable
	}
	tx, err := b.db.Begin(false)
	if err != nil {
		return b.failed("reading", err)
	}
	defer tx.Rollback()
	if at < b.Compacted() {
		return storage.ErrCompacted
	}
	s := &snapshot{tx: tx, index: tx.Bucket(indexBucket), log: tx.Bucket(logBucket), at: at}
	defer func() {
		if s.visiting {
			return
		}
		if r := recover(); r != nil {
			err = fmt.Errorf("storage: %s is damaged: %v", b.path, r)
		}
	}()
	if err := fn(s); err != nil {
		return b.failed("reading", err)
	}
	return nil
}

// failed names the file in an error.
func (b *Backend) failed(doing string, err error) error {
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return storage.ErrClosed
	}
	return fmt.Errorf("storage: %s %s: %w", doing, b.path, err)
}
