package bolt

import (
	"bytes"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Get implements [storage.Backend].
func (b *Backend) Get(key string, at object.ResourceVersion) (e *object.Encoded, err error) {
	err = b.view(at, func(s *snapshot) error {
		e, err = s.get(key, s.at)
		return err
	})
	return e, err
}

// get reads a key as it was at a version, copied; nil if it was absent.
func (s *snapshot) get(key string, at object.ResourceVersion) (*object.Encoded, error) {
	var room [256]byte
	k, v := s.index.Cursor().Seek(appendIndexKey(room[:0], key, at))
	found, version, entry, err := parseIndex(k, v)
	if err != nil || string(found) != key || entry.deleted {
		return nil, err
	}
	body, err := s.body(version)
	if err != nil {
		return nil, err
	}
	return copied(version, entry.head, body), nil
}

// parseIndex reads an entry of the index; the key is empty behind the last one.
func parseIndex(k, v []byte) (key []byte, version object.ResourceVersion, e indexEntry, err error) {
	if k == nil {
		return nil, 0, e, nil
	}
	if key, version, err = cutIndexKey(k); err != nil {
		return nil, 0, e, err
	}
	e, err = parseIndexEntry(v)
	return key, version, e, err
}

// body reads the body that a version wrote; it is valid during the transaction.
func (s *snapshot) body(version object.ResourceVersion) ([]byte, error) {
	v := s.log.Get(versionKey(version))
	if v == nil {
		return nil, errDamaged
	}
	e, err := parseLogEntry(v)
	return e.body, err
}

func copied(version object.ResourceVersion, head, body []byte) *object.Encoded {
	data := make([]byte, 0, len(head)+len(body))
	data = append(append(data, head...), body...)
	n := len(head)
	return &object.Encoded{Version: version, Head: data[:n:n], Body: data[n:]}
}

// Changes implements [storage.Backend].
func (b *Backend) Changes(prefix string, after object.ResourceVersion, visit func(storage.Change) bool) error {
	return b.view(0, func(s *snapshot) error {
		// Looked at inside the transaction, which then has all that comes after.
		if after < b.Compacted() {
			return storage.ErrCompacted
		}
		c := s.log.Cursor()
		for k, v := c.Seek(versionKey(after + 1)); k != nil; k, v = c.Next() {
			version, err := parseVersion(k)
			if err != nil || version > s.at {
				return err
			}
			e, err := parseLogEntry(v)
			if err != nil {
				return err
			}
			if !bytes.HasPrefix(e.key, []byte(prefix)) {
				continue
			}
			change, err := s.change(version, e)
			if err != nil {
				return err
			}
			s.visiting = true
			more := visit(change)
			s.visiting = false
			if !more {
				return nil
			}
		}
		return nil
	})
}

// change reads what goes with an entry of the log.
func (s *snapshot) change(version object.ResourceVersion, e logEntry) (c storage.Change, err error) {
	c = storage.Change{Version: version, Key: string(e.key)}
	if e.prev > 0 {
		if c.Prev, err = s.get(c.Key, e.prev); err != nil {
			return c, err
		}
	}
	if !e.deleted {
		var room [256]byte
		v := s.index.Get(appendIndexKey(room[:0], c.Key, version))
		entry, err := parseIndexEntry(v)
		if err != nil {
			return c, err
		}
		c.Next = copied(version, entry.head, e.body)
	}
	if (c.Prev == nil) != (e.prev == 0) {
		return c, errDamaged
	}
	return c, nil
}

// Expired implements [storage.Backend].
func (b *Backend) Expired(now time.Time, limit int) (due []storage.Due, next time.Time, err error) {
	err = b.view(0, func(s *snapshot) error {
		c := s.tx.Bucket(expiryBucket).Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			expires, key, err := cutExpiryKey(k)
			if err != nil {
				return err
			}
			if expires > now.UnixNano() || len(due) == limit {
				next = time.Unix(0, expires)
				return nil
			}
			version, err := parseVersion(v)
			if err != nil {
				return err
			}
			due = append(due, storage.Due{Key: string(key), Version: version})
		}
		return nil
	})
	return due, next, err
}
