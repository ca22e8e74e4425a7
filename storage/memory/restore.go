package memory

import (
	"bytes"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Restore makes the contents those of a snapshot, of whatever backend. It does that by writes, one
// for each key that differs and all of them at one moment: versions grow, and those who follow
// the feed see what has changed. The writes are those of the versions after one and up to another.
func (b *Backend) Restore(to *Snapshot) (after, upTo object.ResourceVersion, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, 0, storage.ErrClosed
	}
	var changes []storage.Change
	before := b.current
	write := func(key string, now, then state) {
		h, _ := b.current.keys.get(key)
		changes = append(changes, b.commit(storage.Write{Key: key, Next: then.encoded, Expires: then.expires}, h, now))
	}
	before.keys.ascend("", func(key string, h history) bool {
		now, then := h.present(), to.contents.present(key)
		if now.encoded != nil && !now.equal(then) {
			write(key, now, then)
		}
		return true
	})
	to.contents.keys.ascend("", func(key string, h history) bool {
		if then := h.present(); then.encoded != nil && before.present(key).encoded == nil {
			write(key, state{}, then)
		}
		return true
	})
	if len(changes) > 0 && b.onCommit != nil {
		b.onCommit(changes)
	}
	return before.version, b.current.version, nil
}

// present is a key as it is now; the zero state if it is absent.
func (c *contents) present(key string) state {
	if h, ok := c.keys.get(key); ok {
		return h.present()
	}
	return state{}
}

func (h history) present() state {
	if s := h.newest(); s.encoded != nil {
		return *s
	}
	return state{}
}

// equal says whether two states differ in nothing but their versions.
func (s state) equal(other state) bool {
	a, b := s.encoded, other.encoded
	if a == nil || b == nil {
		return a == b
	}
	return a == b || bytes.Equal(a.Body, b.Body) && bytes.Equal(a.Head, b.Head) && s.expires.Equal(other.expires)
}
