package watch

import (
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// window holds the newest events in one log and, for each collection, in a topic
// of its own, so that the watchers of one collection never walk the events of
// another. It is a plain value without clocks and goroutines, and locked from outside.
//
//  1. The versions in the log grow strictly, the last one being at most version.
//  2. A topic holds exactly the events of the log that belong to it, in the same
//     order, numbered without gaps from first to end.
//  3. Every event of a topic that was published after its floor is in it: floor is the
//     version of the newest one dropped, or that from which the window started.
//  4. size is the sum of the sizes in the log. Neither it nor the length of the
//     log exceeds its limit, but for the newest event, which always stays.
type window struct {
	maxCount int
	maxSize  int
	maxAge   time.Duration

	start   object.ResourceVersion
	version object.ResourceVersion // the newest published
	log     ring
	size    int
	topics  map[object.GroupResource]*topic
}

// topic is the part of a window that belongs to one collection, and those who
// wait for more of it.
type topic struct {
	entries ring
	first   uint64 // the number of the oldest entry; they count from 1
	floor   object.ResourceVersion

	mu    sync.Mutex // for waits, taken after the broadcaster's
	waits map[scope]*wait
}

// entry is one event in the window.
type entry struct {
	event     object.Event
	number    uint64 // in its topic
	topic     *topic
	size      int // bytes, roughly
	published time.Time
	encodings encodings
}

// scope is the part of a collection that a watcher asks for; empty names stand for all.
type scope struct{ namespace, name string }

func (s scope) holds(key *object.Key) bool {
	return (s.name == "" || s.name == key.Name) && (s.namespace == "" || s.namespace == key.Namespace)
}

func newWindow(o Options) *window {
	return &window{
		maxCount: o.Count, maxSize: o.Bytes, maxAge: o.Age,
		start: o.Start, version: o.Start,
		topics: map[object.GroupResource]*topic{},
	}
}

func (w *window) topic(gr object.GroupResource) *topic {
	t := w.topics[gr]
	if t == nil {
		t = &topic{first: 1, floor: w.start, waits: map[scope]*wait{}}
		w.topics[gr] = t
	}
	return t
}

// add appends an event that is newer than all others; trim it afterwards.
func (w *window) add(ev object.Event, now time.Time) *entry {
	t := w.topic(ev.Key.GroupResource)
	e := &entry{event: ev, number: t.end(), topic: t, size: sizeOf(&ev), published: now}
	w.log.push(e)
	t.entries.push(e)
	w.size += e.size
	w.version = ev.Version
	return e
}

// trim drops what is too old or too much.
func (w *window) trim(now time.Time) {
	for w.log.len() > 0 {
		oldest := w.log.at(0)
		tooMuch := w.log.len() > 1 && (w.log.len() > w.maxCount || w.size > w.maxSize)
		if !tooMuch && now.Sub(oldest.published) <= w.maxAge {
			return
		}
		w.log.pop()
		w.size -= oldest.size
		t := oldest.topic
		t.entries.pop()
		t.first++
		t.floor = oldest.event.Version
	}
}

// end is the number that the next entry will get.
func (t *topic) end() uint64 { return t.first + uint64(t.entries.len()) }

// find gives the number of the first entry after a version; end if there is none yet.
func (t *topic) find(after object.ResourceVersion) uint64 {
	i := sort.Search(t.entries.len(), func(i int) bool { return t.entries.at(i).event.Version > after })
	return t.first + uint64(i)
}

// eventOverhead is what an event takes beside the documents.
const eventOverhead = 256

// sizeOf estimates what an event keeps in memory: both states, and the newer one
// once more for the form in which it is sent.
func sizeOf(ev *object.Event) int {
	n := eventOverhead
	if ev.Object != nil {
		n += 2 * (len(ev.Object.Head) + len(ev.Object.Body))
	}
	if ev.Prev != nil {
		n += len(ev.Prev.Head) + len(ev.Prev.Body)
	}
	return n
}

// valid checks the invariants by their numbers.
func (w *window) valid() error {
	size, version := 0, object.ResourceVersion(0)
	seen := map[*topic]int{}
	for i := range w.log.len() {
		e := w.log.at(i)
		if e.event.Version <= version || e.event.Version > w.version {
			return fmt.Errorf("1: version %d after %d in a window at %d", e.event.Version, version, w.version)
		}
		version = e.event.Version
		size += e.size
		t := w.topics[e.event.Key.GroupResource]
		n := seen[t]
		if n >= t.entries.len() || t.entries.at(n) != e || e.number != t.first+uint64(n) {
			return fmt.Errorf("2: version %d is not entry %d of its topic", version, n)
		}
		if version <= t.floor {
			return fmt.Errorf("3: version %d in a topic with floor %d", version, t.floor)
		}
		seen[t]++
	}
	for gr, t := range w.topics {
		if seen[t] != t.entries.len() {
			return fmt.Errorf("2: topic %s has %d entries, the log %d of them", gr, t.entries.len(), seen[t])
		}
	}
	if size != w.size || w.log.len() > 1 && (size > w.maxSize || w.log.len() > w.maxCount) {
		return fmt.Errorf("4: %d bytes (counted as %d) in %d events", size, w.size, w.log.len())
	}
	return nil
}
