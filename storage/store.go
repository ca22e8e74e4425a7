package storage

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Options are the knobs of a [Store]; the zero value is fine.
type Options struct {
	// KeepAge is how long a version can be read and watched from after it was
	// superseded; 5 minutes, if zero. A store that was closed in between may keep it longer.
	KeepAge time.Duration

	// KeepCount is about how many changes are kept at most, whatever their age;
	// 100,000, if zero.
	KeepCount int
}

// Store keeps objects in a [Backend]. All its methods may be called concurrently.
type Store struct {
	backend Backend
	options Options
	upkeep  *upkeep
	counts  counts

	lastWrites *lastWrites

	mu          sync.Mutex
	published   object.ResourceVersion
	subscribers []*subscriber

	failure  atomic.Pointer[error] // of the first write that was refused for good
	closing  sync.Once
	closeErr error
}

type subscriber struct{ fn func([]object.Event) }

// New gives a store over the backend, which belongs to it from then on, and
// starts what it does in the background.
func New(b Backend, opts *Options) (*Store, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.KeepAge < 0 || o.KeepCount < 0 {
		return nil, errors.New("storage: KeepAge and KeepCount must not be negative")
	}
	o.KeepAge, o.KeepCount = cmp.Or(o.KeepAge, 5*time.Minute), cmp.Or(o.KeepCount, 100_000)
	s := &Store{backend: b, options: o, published: b.Version(), lastWrites: newLastWrites(b.Version())}
	s.upkeep = newUpkeep(s)
	b.OnCommit(s.publish)
	s.upkeep.start()
	return s, nil
}

// Close stops the store and closes its backend. Calls under way may fail with
// [ErrClosed]. It is idempotent.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.upkeep.stop()
		s.closeErr = s.backend.Close()
	})
	return s.closeErr
}

// Err says why the store takes no writes any more, as [ErrReadOnly]; nil as long as
// none was refused for that.
func (s *Store) Err() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// Version is the newest durable version. The events of writes up to it may still
// be on their way to the subscribers.
func (s *Store) Version() object.ResourceVersion { return s.backend.Version() }

// Subscribe has fn called with the events of every commit after the version from,
// in the order of their versions, before the writers are told. fn must
// not block, nor call the store, nor change or keep the slice; the events in it may be
// kept. After cancel has returned, fn is not called any more.
func (s *Store) Subscribe(fn func([]object.Event)) (from object.ResourceVersion, cancel func()) {
	sub := &subscriber{fn}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subscribers = append(s.subscribers, sub)
	return s.published, func() { s.unsubscribe(sub) }
}

func (s *Store) unsubscribe(sub *subscriber) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, other := range s.subscribers {
		if other == sub {
			s.subscribers = append(s.subscribers[:i:i], s.subscribers[i+1:]...)
			return
		}
	}
}

// publish is told every commit by the backend.
func (s *Store) publish(changes []Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.published = changes[len(changes)-1].Version
	s.upkeep.committed(s.published)
	s.lastWrites.take(changes)
	if len(s.subscribers) == 0 {
		return
	}
	events := make([]object.Event, len(changes))
	for i := range changes {
		events[i] = eventOf(&changes[i])
	}
	for _, sub := range s.subscribers {
		sub.fn(events)
	}
}

// eventOf tells a change as an event.
func eventOf(c *Change) object.Event {
	e := object.Event{Key: parseKey(c.Key), Version: c.Version, Object: c.Next, Prev: c.Prev}
	switch {
	case c.Next == nil:
		e.Type, e.Object = object.Deleted, removed(c.Prev, c.Version)
	case c.Prev == nil:
		e.Type = object.Added
	default:
		e.Type = object.Modified
	}
	return e
}

// removed is the last state of an object with the version of its deletion.
func removed(last *object.Encoded, version object.ResourceVersion) *object.Encoded {
	return &object.Encoded{Version: version, Head: last.Head, Body: last.Body}
}

// failed tells an error of the backend that is not the caller's doing.
func failed(doing string, key object.Key, err error) error {
	return fmt.Errorf("%s %s: %w", doing, key, err)
}
