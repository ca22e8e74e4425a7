package memory

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// compactStep is how many changes one step of a compaction deals with, while
// writers wait.
const compactStep = 1000

// Write implements [storage.Backend].
func (b *Backend) Write(ctx context.Context, w storage.Write) (object.ResourceVersion, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, storage.ErrClosed
	}
	h, ok := b.current.keys.get(w.Key)
	var prev state
	if ok {
		prev = h.present()
	}
	var want object.ResourceVersion
	if w.Prev != nil {
		want = w.Prev.Version
	}
	if want != prev.version {
		return 0, &storage.ConflictError{Key: w.Key, Current: prev.version}
	}
	if w.Next == nil && w.Prev == nil {
		return 0, &storage.ConflictError{Key: w.Key}
	}
	change := b.commit(w, h, prev)
	if b.onCommit != nil {
		b.onCommit([]storage.Change{change})
	}
	return change.Version, nil
}

// commit makes the write part of the contents; the caller holds the lock.
func (b *Backend) commit(w storage.Write, h history, prev state) storage.Change {
	c := b.current
	c.version++
	s := state{version: c.version}
	if w.Next != nil {
		s.encoded = &object.Encoded{Version: c.version, Head: w.Next.Head, Body: w.Next.Body}
		s.expires = w.Expires
	}
	c.keys = c.keys.set(w.Key, h.with(b.owner, s))
	if !prev.expires.IsZero() {
		c.expiry = c.expiry.remove(expiryKey(prev.expires, w.Key))
	}
	if !s.expires.IsZero() {
		c.expiry = c.expiry.set(expiryKey(s.expires, w.Key), storage.Due{Key: w.Key, Version: s.version})
	}
	change := storage.Change{Version: c.version, Key: w.Key, Prev: prev.encoded, Next: s.encoded}
	c.log = c.log.with(b.owner, change)
	b.current = c
	return change
}

// Compact implements [storage.Backend].
func (b *Backend) Compact(ctx context.Context, upTo object.ResourceVersion) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		done, err := b.compactSome(upTo)
		if done || err != nil {
			return err
		}
	}
}

func (b *Backend) compactSome(upTo object.ResourceVersion) (done bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return true, storage.ErrClosed
	}
	c := b.current
	upTo = min(upTo, c.version)
	if upTo <= c.compacted {
		return true, nil
	}
	target := upTo
	seen := make(map[string]bool)
	for i, change := range c.log.after(c.compacted) {
		if change.Version > upTo {
			break
		}
		if i == compactStep {
			target = change.Version - 1
			break
		}
		seen[change.Key] = true
	}
	for key := range seen {
		h, _ := c.keys.get(key)
		if h = h.compact(b.owner, target); len(h.states) > 0 {
			c.keys = c.keys.set(key, h)
		} else {
			c.keys = c.keys.remove(key)
		}
	}
	c.log, c.compacted = c.log.compact(target), target
	if target == upTo {
		c.log = c.log.trim(b.owner)
	}
	b.current = c
	return target == upTo, nil
}
