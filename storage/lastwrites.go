package storage

import (
	"strings"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// lastWrites knows which commit was the last to touch a collection, so that two reads of it
// can be known to see the same without comparing what they see.
type lastWrites struct {
	mu     sync.Mutex
	opened object.ResourceVersion            // what it knows begins here
	seen   object.ResourceVersion            // and ends here
	of     map[string]object.ResourceVersion // by the keys' part in front of the slash
}

func newLastWrites(opened object.ResourceVersion) *lastWrites {
	return &lastWrites{opened: opened, seen: opened, of: map[string]object.ResourceVersion{}}
}

// take is told of each commit.
func (w *lastWrites) take(changes []Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range changes {
		collection, _, _ := strings.Cut(changes[i].Key, "/")
		if _, ok := w.of[collection]; !ok {
			collection = strings.Clone(collection) // without the rest of the key behind it
		}
		w.of[collection] = changes[i].Version
	}
	w.seen = changes[len(changes)-1].Version
}

// before gives the last write to a collection as of a version: from it to that version,
// the collection is the same. ok is false if it is not known.
func (w *lastWrites) before(prefix string, at object.ResourceVersion) (last object.ResourceVersion, ok bool) {
	collection, _, _ := strings.Cut(prefix, "/")
	w.mu.Lock()
	defer w.mu.Unlock()
	last = max(w.opened, w.of[collection])
	return last, last <= at && at <= w.seen
}
