package bolt

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

const (
	// The log grows at its end, so its pages can be filled; the index is written all over.
	logFill   = 0.95
	indexFill = 0.7
)

// commit does a batch of writes and a step of a compaction in one transaction,
// publishes the writes, and only then tells their callers, the losers of a conflict included:
// what they lost against is durable by then.
func (b *Backend) commit(batch []*pending, step *compactStep) {
	changes, err := b.transact(batch, step)
	if err != nil {
		for _, p := range batch {
			p.version, p.err = 0, err
		}
	}
	if len(changes) > 0 && err == nil {
		b.version.Store(uint64(changes[len(changes)-1].Version))
		if publish := b.writer.onCommit.Load(); publish != nil {
			(*publish)(changes)
		}
	}
	for _, p := range batch {
		close(p.done)
	}
	if step != nil {
		step.err = err
		close(step.done)
	}
}

// transact is the transaction of commit. An error means that none of it counts.
func (b *Backend) transact(batch []*pending, step *compactStep) (changes []storage.Change, err error) {
	if err := b.writer.refusal(); err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			changes, err = nil, b.writer.fail(fmt.Errorf("is damaged: %v", r))
		}
	}()
	tx, err := b.db.Begin(true)
	if err != nil {
		return nil, b.writer.fail(err)
	}
	t := newTransaction(tx, b.Version(), len(batch))
	for _, p := range batch {
		if p.version, p.err = t.write(&p.Write); t.err != nil {
			break
		}
	}
	compacted := b.Compacted()
	if step != nil && t.err == nil {
		step.reached = t.compact(compacted, step.upTo, b.Version())
	}
	switch {
	case t.err != nil:
		return nil, b.writer.fail(errors.Join(t.err, tx.Rollback()))
	case len(t.changes) == 0 && (step == nil || step.reached == compacted):
		return nil, tx.Rollback()
	}
	if step != nil {
		b.compacted.Store(uint64(step.reached))
	}
	if err := tx.Commit(); err != nil {
		return nil, b.writer.fail(err)
	}
	return t.changes, nil
}

// transaction is a write transaction under way. err is a failure of the file, with which none of
// it can go on.
type transaction struct {
	index, log, expiry, meta *bbolt.Bucket
	cursor                   *bbolt.Cursor // of the index
	version                  object.ResourceVersion
	changes                  []storage.Change
	seek                     []byte
	err                      error
}

func newTransaction(tx *bbolt.Tx, version object.ResourceVersion, size int) *transaction {
	t := &transaction{
		index: tx.Bucket(indexBucket), log: tx.Bucket(logBucket),
		expiry: tx.Bucket(expiryBucket), meta: tx.Bucket(metaBucket),
		version: version, changes: make([]storage.Change, 0, size),
	}
	t.log.FillPercent, t.index.FillPercent = logFill, indexFill
	t.cursor = t.index.Cursor()
	return t
}

// write does one write, if the key is as it expects. Its error is a conflict.
func (t *transaction) write(w *storage.Write) (object.ResourceVersion, error) {
	current, was := t.current(w.Key)
	var want object.ResourceVersion
	if w.Prev != nil {
		want = w.Prev.Version
	}
	if t.err != nil || current != want {
		return 0, &storage.ConflictError{Key: w.Key, Current: current}
	}
	t.version++
	change := storage.Change{Version: t.version, Key: w.Key, Prev: w.Prev}
	entry := indexEntry{deleted: w.Next == nil}
	var body []byte
	if w.Next != nil {
		change.Next = &object.Encoded{Version: t.version, Head: w.Next.Head, Body: w.Next.Body}
		entry.head, entry.expires, body = w.Next.Head, unixNano(w.Expires), w.Next.Body
	}
	if was.expires != 0 {
		t.check(t.expiry.Delete(expiryKey(was.expires, w.Key)))
	}
	if entry.expires != 0 {
		t.check(t.expiry.Put(expiryKey(entry.expires, w.Key), versionKey(t.version)))
	}
	value := make([]byte, 0, len(entry.head)+logHeader+len(w.Key)+len(body)+16)
	value = entry.append(value)
	n := len(value)
	value = appendLogEntry(value, want, entry.deleted, w.Key, body)
	t.seek = appendIndexKey(t.seek[:0], w.Key, t.version)
	t.check(t.index.Put(t.seek, value[:n:n]))
	t.check(t.log.Put(versionKey(t.version), value[n:]))
	t.changes = append(t.changes, change)
	return t.version, nil
}

// current finds the version of a key, 0 if it is absent, and what the index says of it.
func (t *transaction) current(key string) (object.ResourceVersion, indexEntry) {
	t.seek = append(append(t.seek[:0], key...), 0)
	k, v := t.cursor.Seek(t.seek)
	found, version, entry, err := parseIndex(k, v)
	t.check(err)
	if string(found) != key || entry.deleted {
		return 0, indexEntry{}
	}
	return version, entry
}

func (t *transaction) check(err error) {
	if t.err == nil {
		t.err = err
	}
}
