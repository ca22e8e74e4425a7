package memory

import (
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// contents is all that a backend holds at one moment. It is a value: whoever
// copied it keeps a consistent view while the backend goes on.
type contents struct {
	version   object.ResourceVersion
	compacted object.ResourceVersion
	keys      tree[history]
	expiry    tree[storage.Due] // by time and key
	log       changeLog
}

// state is a key as one write left it. Deleted ones have a nil encoded.
type state struct {
	version object.ResourceVersion
	encoded *object.Encoded
	expires time.Time
}

// history is the states of one key, oldest first. It may be extended in place
// (behind what any copy of it shows) only by its owner; others copy it first.
type history struct {
	owner  *owner
	states []state
}

// owner tells apart those who may extend a shared array: each backend has one,
// and gets a new one when its contents are given away. It has a size so that no
// two share an address.
type owner struct{ _ byte }

func (h history) newest() *state { return &h.states[len(h.states)-1] }

// at is the state that a read at a version sees; nil if the key was absent then.
func (h history) at(version object.ResourceVersion) *state {
	s := h.newest()
	if s.version > version {
		i := sort.Search(len(h.states), func(i int) bool { return h.states[i].version > version })
		if i == 0 {
			return nil
		}
		s = &h.states[i-1]
	}
	if s.encoded == nil {
		return nil
	}
	return s
}

func (h history) with(o *owner, s state) history {
	if h.owner != o {
		h = history{owner: o, states: slices.Clip(h.states)}
	}
	h.states = append(h.states, s)
	return h
}

// compact drops the states that no read at the version or later sees.
func (h history) compact(o *owner, version object.ResourceVersion) history {
	i := sort.Search(len(h.states), func(i int) bool { return h.states[i].version > version })
	if i > 0 && h.states[i-1].encoded != nil {
		i--
	}
	if i == 0 {
		return h
	}
	return history{owner: o, states: slices.Clone(h.states[i:])}
}

// changeLog is the changes after a version, one for each version. The rule of ownership
// is that of history.
type changeLog struct {
	owner   *owner
	changes []storage.Change
}

func (l changeLog) with(o *owner, c storage.Change) changeLog {
	if l.owner != o {
		l = changeLog{owner: o, changes: slices.Clip(l.changes)}
	}
	l.changes = append(l.changes, c)
	return l
}

// after is the changes after a version, which must not be compacted.
func (l changeLog) after(version object.ResourceVersion) []storage.Change {
	i := sort.Search(len(l.changes), func(i int) bool { return l.changes[i].Version > version })
	return l.changes[i:]
}

// compact drops the changes up to a version. Their memory is free after a trim.
func (l changeLog) compact(version object.ResourceVersion) changeLog {
	return changeLog{owner: l.owner, changes: l.after(version)}
}

func (l changeLog) trim(o *owner) changeLog {
	return changeLog{owner: o, changes: slices.Clone(l.changes)}
}

func expiryKey(t time.Time, key string) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(t.UnixNano()))) + key
}

func expiryTime(key string) time.Time {
	return time.Unix(0, int64(binary.BigEndian.Uint64([]byte(key[:8]))))
}
