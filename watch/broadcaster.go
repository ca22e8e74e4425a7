package watch

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Options are the bounds of a [Broadcaster] and where it stands in the feed.
type Options struct {
	// Start is the newest version whose event will not be published: the version
	// of the store when its feed begins.
	Start object.ResourceVersion

	// Bounds of the window over all collections: the number of events (10,000 if
	// zero), their age (5 minutes) and roughly the memory they take (64 MiB). The age
	// is looked at when something is published and when a watch starts.
	Count int
	Age   time.Duration
	Bytes int

	// History gives the events of a collection (Name and Namespace may be empty)
	// after a version, in order, up to and including all that was published before it
	// was called. Events may be kept. It is what a watcher reads that has fallen out
	// of the window. An error that is [object.ErrExpired] says that the history is
	// gone; a *[object.StatusError] among them is passed on as it is. Nil: no history.
	History func(ctx context.Context, collection object.Key, after object.ResourceVersion) iter.Seq2[object.Event, error]
}

// Broadcaster takes in one feed of events and gives it to any number of watchers.
type Broadcaster struct {
	history func(ctx context.Context, collection object.Key, after object.ResourceVersion) iter.Seq2[object.Event, error]
	closed  chan struct{}
	open    atomic.Int64 // watchers that were not stopped

	mu     sync.RWMutex // held for moments only, never across a wait
	window *window
	ended  error // what watchers end with once it is closed; nil while it is open
}

// New makes a broadcaster. Zero options are fine for a feed that begins with the store.
func New(o Options) *Broadcaster {
	if o.Count <= 0 {
		o.Count = 10_000
	}
	if o.Age <= 0 {
		o.Age = 5 * time.Minute
	}
	if o.Bytes <= 0 {
		o.Bytes = 64 << 20
	}
	return &Broadcaster{history: o.History, closed: make(chan struct{}), window: newWindow(o)}
}

// Publish appends events, whose versions must grow, and wakes those who wait for
// them. It never waits for a watcher. The events and what they point to belong to
// the broadcaster from then on; the slice does not. Events that are not newer than
// the newest one known are repetitions and ignored, as are all after Close.
func (b *Broadcaster) Publish(events []object.Event) {
	var room [8]*wait
	due := room[:0]
	now := time.Now()
	b.mu.Lock()
	if b.ended == nil {
		for i := range events {
			if events[i].Version > b.window.version {
				due = b.window.add(events[i], now).alert(due)
			}
		}
		b.window.trim(now)
	}
	b.mu.Unlock()
	for _, w := range due {
		w.wakeUp(0)
	}
}

// Version is the newest version published, of whatever collection.
func (b *Broadcaster) Version() object.ResourceVersion {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.window.version
}

// Idle says whether every watcher that was not stopped has been given all there is, and waits
// in Next for more.
func (b *Broadcaster) Idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	waiting := 0
	for _, t := range b.window.topics {
		for _, w := range t.waits {
			for _, g := range w.groups {
				waiting += g.sleepers
			}
		}
	}
	return int64(waiting) == b.open.Load()
}

// Close ends every watcher once it has read what is published: its Next gives
// an error that is both io.EOF and the reason; nil gives just io.EOF. Only the
// first Close counts.
func (b *Broadcaster) Close(reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		return
	}
	b.ended = io.EOF
	if reason != nil {
		b.ended = &endedError{reason}
	}
	close(b.closed)
}

// endedError says why there are no more events.
type endedError struct{ reason error }

func (e *endedError) Error() string   { return "watch ended: " + e.reason.Error() }
func (e *endedError) Unwrap() []error { return []error{io.EOF, e.reason} }
