package bolt

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// stepEntries is how many entries of the log one step of a compaction deals with:
// few enough that a write which comes with it hardly notices.
const stepEntries = 200

// compactStep asks the writer for one step.
type compactStep struct {
	upTo    object.ResourceVersion
	done    chan struct{} // closed when the rest is set
	reached object.ResourceVersion
	err     error
}

// Compact implements [storage.Backend].
func (b *Backend) Compact(ctx context.Context, upTo object.ResourceVersion) error {
	upTo = min(upTo, b.Version())
	for b.Compacted() < upTo {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := &compactStep{upTo: upTo, done: make(chan struct{})}
		select {
		case b.writer.steps <- step:
		case <-b.writer.stopping:
			return storage.ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
		<-step.done
		if step.err != nil {
			return step.err
		}
	}
	return nil
}

// compact goes through the log behind what is compacted. With every write, the
// version before it is forgotten, since nobody at the write or later reads it; with a
// deletion, the deletion too. It returns how far it got.
func (t *transaction) compact(compacted, upTo, durable object.ResourceVersion) (reached object.ResourceVersion) {
	upTo, reached = min(upTo, durable), compacted
	type write struct {
		version, prev object.ResourceVersion
		deleted       bool
		key           string
	}
	writes := make([]write, 0, stepEntries)
	c := t.log.Cursor()
	for k, v := c.Seek(versionKey(compacted + 1)); k != nil && len(writes) < stepEntries; k, v = c.Next() {
		version, err := parseVersion(k)
		if t.check(err); version > upTo || err != nil {
			break
		}
		e, err := parseLogEntry(v)
		t.check(err)
		writes = append(writes, write{version, e.prev, e.deleted, string(e.key)})
		reached = version
	}
	if len(writes) < stepEntries {
		reached = max(reached, upTo)
	}
	// Deleting moves entries, so it comes after the walk.
	for _, w := range writes {
		if w.prev != 0 {
			t.forget(w.key, w.prev)
		}
		if w.deleted {
			t.forget(w.key, w.version)
		}
	}
	t.check(t.meta.Put(compactedKey, versionKey(reached)))
	return reached
}

func (t *transaction) forget(key string, version object.ResourceVersion) {
	t.seek = appendIndexKey(t.seek[:0], key, version)
	t.check(t.index.Delete(t.seek))
	t.check(t.log.Delete(versionKey(version)))
}
