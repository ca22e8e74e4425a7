package memory

import (
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Get implements [storage.Backend].
func (b *Backend) Get(key string, at object.ResourceVersion) (*object.Encoded, error) {
	c, at, err := b.view(at)
	if err != nil {
		return nil, err
	}
	h, ok := c.keys.get(key)
	if !ok {
		return nil, nil
	}
	if s := h.at(at); s != nil {
		return s.encoded, nil
	}
	return nil, nil
}

// Scan implements [storage.Backend].
func (b *Backend) Scan(prefix, from string, at object.ResourceVersion, match, visit func(key string, e *object.Encoded) bool) error {
	c, at, err := b.view(at)
	if err != nil {
		return err
	}
	c.keys.ascend(max(prefix, from), func(key string, h history) bool {
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		s := h.at(at)
		if s == nil || match != nil && !match(key, s.encoded) {
			return true
		}
		return visit(key, s.encoded)
	})
	return nil
}

// Changes implements [storage.Backend].
func (b *Backend) Changes(prefix string, after object.ResourceVersion, visit func(storage.Change) bool) error {
	c, _, err := b.view(0)
	if err != nil {
		return err
	}
	if after < c.compacted {
		return storage.ErrCompacted
	}
	for _, change := range c.log.after(after) {
		if strings.HasPrefix(change.Key, prefix) && !visit(change) {
			return nil
		}
	}
	return nil
}

// Expired implements [storage.Backend].
func (b *Backend) Expired(now time.Time, limit int) (due []storage.Due, next time.Time, err error) {
	c, _, err := b.view(0)
	if err != nil {
		return nil, time.Time{}, err
	}
	c.expiry.ascend("", func(key string, d storage.Due) bool {
		if t := expiryTime(key); t.After(now) || len(due) == limit {
			next = t
			return false
		}
		due = append(due, d)
		return true
	})
	return due, next, nil
}
