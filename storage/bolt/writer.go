package bolt

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

const (
	// maxBatch and maxBatchBytes bound one transaction.
	maxBatch      = 1024
	maxBatchBytes = 16 << 20

	// maxYields is how often the writer lets others run before it begins a transaction.
	maxYields = 3

	// maxKey is the longest key, which is more than the API's names need; maxValue
	// is more than any server should let pass.
	maxKey   = 4096
	maxValue = 64 << 20
)

// writer is the goroutine that writes.
type writer struct {
	backend  *Backend
	writes   chan *pending
	steps    chan *compactStep
	onCommit atomic.Pointer[func([]storage.Change)]

	// broken is why a commit failed; nothing is written after it.
	broken atomic.Pointer[error]

	stopping chan struct{}
	stopped  chan struct{}
	once     sync.Once
}

// pending is a write that waits for its result.
type pending struct {
	storage.Write
	done    chan struct{} // closed when the rest is set
	version object.ResourceVersion
	err     error
}

func newWriter(b *Backend) *writer {
	return &writer{
		backend: b,
		writes:  make(chan *pending, maxBatch), steps: make(chan *compactStep),
		stopping: make(chan struct{}), stopped: make(chan struct{}),
	}
}

func (w *writer) start() { go w.run() }

// stop lets the writes that wait go through, and waits for the goroutine.
func (w *writer) stop() {
	w.once.Do(func() { close(w.stopping) })
	<-w.stopped
}

// Write implements [storage.Backend].
func (b *Backend) Write(ctx context.Context, write storage.Write) (object.ResourceVersion, error) {
	if err := checkWrite(&write); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	p := &pending{Write: write, done: make(chan struct{})}
	select {
	case b.writer.writes <- p:
	case <-b.writer.stopping:
		return 0, storage.ErrClosed
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	select {
	case <-p.done:
		return p.version, p.err
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-b.writer.stopped:
	}
	// The goroutine is gone; it has dealt with the write, or never saw it.
	select {
	case <-p.done:
		return p.version, p.err
	default:
		return 0, storage.ErrClosed
	}
}

func checkWrite(w *storage.Write) error {
	switch {
	case w.Key == "" || len(w.Key) > maxKey:
		return fmt.Errorf("storage: a key of %d bytes is not allowed", len(w.Key))
	case w.Next != nil && len(w.Next.Head)+len(w.Next.Body) > maxValue:
		return fmt.Errorf("storage: %s is too large: %d bytes", w.Key, len(w.Next.Head)+len(w.Next.Body))
	case w.Next == nil && w.Prev == nil:
		return &storage.ConflictError{Key: w.Key}
	}
	return nil
}

func (w *writer) run() {
	defer close(w.stopped)
	for {
		batch, step, ok := w.take()
		if !ok {
			return
		}
		w.backend.commit(batch, step)
	}
}

// take waits for something to do, and takes all that is there; when the backend
// closes and nothing is left, ok is false.
func (w *writer) take() (batch []*pending, step *compactStep, ok bool) {
	select {
	case p := <-w.writes:
		batch = append(batch, p)
	case step = <-w.steps:
	case <-w.stopping:
		select {
		case p := <-w.writes:
			batch = append(batch, p)
		default:
			return nil, nil, false
		}
	}
	batch = w.gather(batch)
	if step == nil {
		select {
		case step = <-w.steps:
		default:
		}
	}
	return batch, step, true
}

// gather takes the other writes that wait. Those who were told of the commit
// before have often not come to their next write yet, so they are let run first.
func (w *writer) gather(batch []*pending) []*pending {
	size, yields := 0, 0
	for len(batch) < maxBatch && size < maxBatchBytes {
		select {
		case p := <-w.writes:
			batch = append(batch, p)
			if p.Next != nil {
				size += len(p.Next.Body)
			}
		default:
			if yields == maxYields {
				return batch
			}
			yields++
			runtime.Gosched()
		}
	}
	return batch
}

// refusal is the error for those who write after a commit has failed; nil if none has.
func (w *writer) refusal() error {
	if cause := w.broken.Load(); cause != nil {
		return fmt.Errorf("%w: %s must be opened again, because a commit failed: %w", storage.ErrReadOnly, w.backend.path, *cause)
	}
	return nil
}

// fail ends all writing.
func (w *writer) fail(err error) error {
	w.broken.Store(&err)
	return fmt.Errorf("%w: committing to %s failed, and it must be opened again: %w", storage.ErrReadOnly, w.backend.path, err)
}
