package watch

import "github.com/seed-6c0fa0ad/plinth/object"

// cursor is a position in a topic: everything up to version is done with, and
// next is the number of the first entry that may come after it, 0 before that is known.
type cursor struct {
	version object.ResourceVersion
	next    uint64
}

// sight is what a cursor finds in front of it.
type sight int

const (
	found  sight = iota // an entry
	end                 // nothing yet
	more                // nothing in the stretch looked at, but there is more
	behind              // the window has moved on
)

// stretch bounds how many entries one look passes over, and so how long it
// keeps the lock.
const stretch = 512

// look moves the cursor past the next entry of the scope.
func (c *cursor) look(w *window, t *topic, s scope) (*entry, sight) {
	if !c.place(t) {
		return nil, behind
	}
	for range stretch {
		if c.next == t.end() {
			c.version = max(c.version, w.version)
			return nil, end
		}
		e := t.entries.at(int(c.next - t.first))
		c.next++
		if e.event.Version <= c.version { // a version that was still to come
			continue
		}
		c.version = e.event.Version
		if s.holds(&e.event.Key) {
			return e, found
		}
	}
	return nil, more
}

// place finds where a cursor stands that has no place in the topic yet, or whose
// place was dropped; false if the window has left it behind.
func (c *cursor) place(t *topic) bool {
	if c.next >= t.first {
		return true
	}
	if c.version < t.floor {
		return false
	}
	c.next = t.find(c.version)
	return true
}

// jump moves the cursor right before an entry, when it is known that there is
// nothing for it in between.
func (c *cursor) jump(e *entry) {
	c.version = max(c.version, e.event.Version-1)
	c.next = max(c.next, e.number)
}

// drain moves the cursor to the end, when it is known that there is nothing for it in between.
func (c *cursor) drain(w *window, t *topic) {
	c.version = max(c.version, w.version)
	c.next = t.end()
}
