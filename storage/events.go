package storage

import (
	"context"
	"errors"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Bounds of what is read at once, so that no read of the backend lasts while a
// consumer is busy, and no consumer holds much more than it looks at.
const (
	historyBatch = 256     // changes
	historyBytes = 1 << 20 // of both their states
)

// History gives the events of a collection after a version, in order, up to the
// newest version. The error, if any, comes last: Expired (410) if the history is gone, or
// that of ctx. The events may be kept.
func (s *Store) History(ctx context.Context, collection object.Key, after object.ResourceVersion) iter.Seq2[object.Event, error] {
	return func(yield func(object.Event, error) bool) {
		s.history(ctx, collection, after, yield)
	}
}

// Events gives the events of a collection after a version, in order: those that
// happened, and then each as it happens, until ctx ends or the store fails. The
// error comes last, as with [Store.History].
func (s *Store) Events(ctx context.Context, collection object.Key, after object.ResourceVersion) iter.Seq2[object.Event, error] {
	return func(yield func(object.Event, error) bool) {
		wake := make(chan struct{}, 1)
		_, cancel := s.Subscribe(func([]object.Event) {
			select {
			case wake <- struct{}{}:
			default:
			}
		})
		defer cancel()
		for {
			// Read before the history is, so that none of it is taken for seen.
			seen := s.Version()
			reached, more := s.history(ctx, collection, after, yield)
			if !more {
				return
			}
			after = max(reached, seen)
			select {
			case <-wake:
			case <-s.upkeep.done:
				yield(object.Event{}, failed("watching", collection, ErrClosed))
				return
			case <-ctx.Done():
				yield(object.Event{}, ctx.Err())
				return
			}
		}
	}
}

// history yields what has happened, and says up to which event and whether the
// consumer wants more.
func (s *Store) history(ctx context.Context, collection object.Key, after object.ResourceVersion, yield func(object.Event, error) bool) (reached object.ResourceVersion, more bool) {
	collection.Name = ""
	prefix := keyText(collection)
	batch := make([]Change, 0, historyBatch)
	for {
		if err := ctx.Err(); err != nil {
			yield(object.Event{}, err)
			return after, false
		}
		batch = batch[:0]
		size, full := 0, false
		err := s.backend.Changes(prefix, after, func(c Change) bool {
			batch = append(batch, c)
			size += sizeOf(c.Prev) + sizeOf(c.Next)
			full = len(batch) == historyBatch || size >= historyBytes
			return !full
		})
		if err != nil {
			yield(object.Event{}, historyError(collection, after, s.backend.Compacted(), err))
			return after, false
		}
		for i := range batch {
			if !yield(eventOf(&batch[i]), nil) {
				return after, false
			}
			after = batch[i].Version
		}
		if !full {
			return after, true
		}
	}
}

// sizeOf is how many bytes an object takes.
func sizeOf(e *object.Encoded) int {
	if e == nil {
		return 0
	}
	return len(e.Head) + len(e.Body)
}

func historyError(collection object.Key, after, compacted object.ResourceVersion, err error) error {
	if errors.Is(err, ErrCompacted) {
		return object.Expired("too old resource version: %d (%d)", after, compacted)
	}
	return failed("watching", collection, err)
}
