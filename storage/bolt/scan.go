package bolt

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unsafe"

	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxSteps is how many versions of one key a scan steps over before it seeks.
const maxSteps = 8

// scan is one walk through the index. What it finds is gathered into batches, whose
// bodies are then read in the order in which they lie in the log.
type scan struct {
	s      *snapshot
	index  *bbolt.Cursor
	match  func(key string, e *object.Encoded) bool
	visit  func(key string, e *object.Encoded) bool
	shown  object.Encoded // one for all: it is valid during a call only
	bodies bodies
	scanRoom
}

// scanRoom is what a scan gathers in, and the next one again.
type scanRoom struct {
	seek  []byte // room for keys to seek
	batch []found
	keys  []byte // of batch, one behind the other
	order []int  // of batch, by version
}

// emptied gives the room without what was gathered.
func (r *scanRoom) emptied() scanRoom {
	clear(r.batch[:cap(r.batch)])
	return scanRoom{seek: r.seek[:0], batch: r.batch[:0], keys: r.keys[:0], order: r.order[:0]}
}

// found is an object that is to be visited.
type found struct {
	keyEnd     int // in the keys of the batch
	head, body []byte
	version    object.ResourceVersion
}

// A scan may stop early, so it begins with small batches; each is twice the one
// before. The last ones are small beside what a long list reads at a time: what is
// gathered behind its end is read in vain.
const (
	firstBatch = 16
	lastBatch  = 64
)

// Scan implements [storage.Backend].
func (b *Backend) Scan(prefix, from string, at object.ResourceVersion, match, visit func(key string, e *object.Encoded) bool) error {
	return b.view(at, func(s *snapshot) error {
		room, ok := b.rooms.Get().(*scanRoom)
		if !ok {
			room = new(scanRoom)
		}
		w := scan{s: s, index: s.index.Cursor(), bodies: bodies{cursor: s.log.Cursor()}, match: match, visit: visit, scanRoom: *room}
		err := w.run([]byte(prefix), seekKey(max(prefix, from)))
		*room = w.emptied()
		b.rooms.Put(room)
		return err
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

func (w *scan) run(prefix, from []byte) error {
	size := firstBatch
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
		if !entry.deleted && w.matches(key, version, entry.head) {
			w.keys = append(w.keys, key...)
			w.batch = append(w.batch, found{keyEnd: len(w.keys), head: entry.head, version: version})
		}
		if len(w.batch) == size {
			if more, err := w.visitBatch(); err != nil || !more {
				return err
			}
			size = min(2*size, lastBatch)
		}
		k, v = w.nextKey(key)
	}
	_, err := w.visitBatch()
	return err
}

func (w *scan) matches(key []byte, version object.ResourceVersion, head []byte) bool {
	if w.match == nil {
		return true
	}
	w.shown = object.Encoded{Version: version, Head: head}
	w.s.visiting = true
	ok := w.match(unsafe.String(&key[0], len(key)), &w.shown)
	w.s.visiting = false
	return ok
}

// visitBatch hands what was gathered to the caller, in the order of the keys.
func (w *scan) visitBatch() (more bool, err error) {
	if err := w.readBodies(); err != nil {
		return false, err
	}
	keys, begin := string(w.keys), 0 // whoever keeps a key, keeps those of the batch
	w.s.visiting = true
	more = true
	for i := 0; i < len(w.batch) && more; i++ {
		f := &w.batch[i]
		w.shown = object.Encoded{Version: f.version, Head: f.head, Body: f.body}
		more = w.visit(keys[begin:f.keyEnd], &w.shown)
		begin = f.keyEnd
	}
	w.s.visiting = false
	w.batch, w.keys = w.batch[:0], w.keys[:0]
	return more, nil
}

// readBodies reads the bodies of the batch from front to back of the log.
func (w *scan) readBodies() (err error) {
	w.order = w.order[:0]
	for i := range w.batch {
		w.order = append(w.order, i)
	}
	byVersion := func(a, b int) int { return cmp.Compare(w.batch[a].version, w.batch[b].version) }
	if !slices.IsSortedFunc(w.order, byVersion) { // written in the order of keys, as much is
		slices.SortFunc(w.order, byVersion)
	}
	for _, i := range w.order {
		if w.batch[i].body, err = w.bodies.read(w.batch[i].version); err != nil {
			return err
		}
	}
	return nil
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
