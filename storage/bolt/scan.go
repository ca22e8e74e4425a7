package bolt

import (
	"bytes"
	"strings"
	"unsafe"

	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxSteps is how many versions of one key a scan steps over before it seeks.
const maxSteps = 8

// scan is one walk through the index.
type scan struct {
	s      *snapshot
	index  *bbolt.Cursor
	log    *bbolt.Cursor
	logKey []byte // where log stands
	seek   []byte // room for keys to seek
}

// Scan implements [storage.Backend].
func (b *Backend) Scan(prefix, from string, at object.ResourceVersion, match, visit func(key string, e *object.Encoded) bool) error {
	return b.view(at, func(s *snapshot) error {
		w := scan{s: s, index: s.index.Cursor(), log: s.log.Cursor()}
		return w.run([]byte(prefix), seekKey(max(prefix, from)), match, visit)
	})
}

// seekKey is where the keys from the given one on begin in the index. As keys
// have no zero byte, those from "a\x00" on are those behind "a" and all its versions.
func seekKey(from string) []byte {
	if i := strings.IndexByte(from, 0); i >= 0 {
		return append([]byte(from[:i]), 1)
	}
	return []byte(from)
}

func (w *scan) run(prefix, from []byte, match, visit func(key string, e *object.Encoded) bool) error {
	// One for all: it is valid during a call only.
	shown := new(object.Encoded)
	k, v := w.index.Seek(from)
	for k != nil && bytes.HasPrefix(k, prefix) {
		key, version, err := cutIndexKey(k)
		if err != nil {
			return err
		}
		if version > w.s.at {
			k, v = w.older(key)
			continue
		}
		entry, err := parseIndexEntry(v)
		if err != nil {
			return err
		}
		if !entry.deleted {
			more, err := w.show(shown, key, version, entry.head, match, visit)
			if err != nil || !more {
				return err
			}
		}
		k, v = w.nextKey(key)
	}
	return nil
}

// show hands one object to the functions of the caller.
func (w *scan) show(e *object.Encoded, key []byte, version object.ResourceVersion, head []byte, match, visit func(key string, e *object.Encoded) bool) (more bool, err error) {
	*e = object.Encoded{Version: version, Head: head}
	w.s.visiting = true
	if match != nil && !match(unsafe.String(&key[0], len(key)), e) {
		w.s.visiting = false
		return true, nil
	}
	w.s.visiting = false
	if e.Body, err = w.body(version); err != nil {
		return false, err
	}
	w.s.visiting = true
	more = visit(string(key), e)
	w.s.visiting = false
	return more, nil
}

// older goes to the version of a key that is to be seen, past newer ones.
func (w *scan) older(key []byte) (k, v []byte) {
	for range maxSteps {
		if k, v = w.index.Next(); !isVersionOf(k, key) {
			return k, v
		}
		if _, version, err := cutIndexKey(k); err != nil || version <= w.s.at {
			return k, v
		}
	}
	w.seek = appendIndexKey(w.seek[:0], unsafe.String(&key[0], len(key)), w.s.at)
	return w.index.Seek(w.seek)
}

// nextKey goes to the next key, past older versions of this one.
func (w *scan) nextKey(key []byte) (k, v []byte) {
	for range maxSteps {
		if k, v = w.index.Next(); !isVersionOf(k, key) {
			return k, v
		}
	}
	w.seek = append(append(w.seek[:0], key...), 1)
	return w.index.Seek(w.seek)
}

// isVersionOf says whether an index key is one of this key.
func isVersionOf(k, key []byte) bool {
	return len(k) == len(key)+indexSuffix && k[len(key)] == 0 && bytes.HasPrefix(k, key)
}

// body finds a body in the log. Neighbours in the index were often written one
// after the other, so the next entry is tried before the cursor seeks.
func (w *scan) body(version object.ResourceVersion) ([]byte, error) {
	want := versionKey(version)
	var v []byte
	if w.logKey != nil {
		w.logKey, v = w.log.Next()
	}
	if !bytes.Equal(w.logKey, want) {
		w.logKey, v = w.log.Seek(want)
	}
	if !bytes.Equal(w.logKey, want) {
		return nil, errDamaged
	}
	e, err := parseLogEntry(v)
	return e.body, err
}
