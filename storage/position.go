package storage

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Position is where a list stands. Lists that stand at equal positions visit the same objects
// next, so what one of them made of these is good for the other. Positions can be
// compared and are of use within one [Store] only.
type Position struct {
	prefix, from string
	left         int64 // objects up to the end of the page; 0 without limit
	done         bool
	since        object.ResourceVersion // the last write to the collection
}

// Position says where the list stands. ok is false if that can't be said in a way that other
// lists understand: if it selects, or if the collection was written to since the
// list's version.
func (l *List) Position() (p Position, ok bool) {
	if !l.opts.Selector.Empty() {
		return p, false
	}
	since, ok := l.store.lastWrites.before(l.prefix, l.version)
	p = Position{prefix: l.prefix, from: l.from, done: l.done, since: since}
	if l.limit > 0 {
		p.left = l.limit - l.visited
	}
	return p, ok
}

// Skip goes to the position that another list reached from where this one stands.
func (l *List) Skip(to Position) error {
	if l.limit > 0 {
		l.visited = l.limit - to.left
	}
	if to.from != l.from {
		l.from, l.last = to.from, strings.TrimSuffix(to.from, "\x00")
	}
	if l.done = to.done; l.done && l.full() {
		return l.lookAhead()
	}
	return nil
}
