package watch

import (
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Event is a change as one watcher sees it.
type Event struct {
	object.Event
	shared *encodings // nil: nobody else has it
}

// Encoding gives the event in a form that all its watchers share: encode is called
// for the first of them and its result, or error, kept for the others. The form
// is any comparable value that says all that the result depends on, beside the
// event. The result is read-only. encode must not wait for other watchers.
func (e Event) Encoding(form any, encode func(object.Event) ([]byte, error)) ([]byte, error) {
	if e.shared == nil {
		return encode(e.Event)
	}
	return e.shared.get(e.Event, form, encode)
}

// encodings are the forms of one event, as a list that only grows at its head.
// What an event is to a watcher follows from its type: an Added one that was
// published as Modified has entered a selection, a Deleted one has left it.
type encodings struct {
	newest atomic.Pointer[encoding]
	mu     sync.Mutex // held by whoever encodes
}

type encoding struct {
	event object.EventType
	form  any
	data  []byte
	err   error
	older *encoding
}

func (c *encodings) get(ev object.Event, form any, encode func(object.Event) ([]byte, error)) ([]byte, error) {
	if found := c.find(ev.Type, form); found != nil {
		return found.data, found.err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.find(ev.Type, form); found != nil {
		return found.data, found.err
	}
	data, err := encode(ev)
	c.newest.Store(&encoding{event: ev.Type, form: form, data: data, err: err, older: c.newest.Load()})
	return data, err
}

func (c *encodings) find(event object.EventType, form any) *encoding {
	for e := c.newest.Load(); e != nil; e = e.older {
		if e.event == event && e.form == form {
			return e
		}
	}
	return nil
}

// adapt gives an event as a selector sees it; false if it does not.
func adapt(ev object.Event, s *object.Selector) (object.Event, bool) {
	if s.Empty() {
		return ev, true
	}
	is := s.Matches(ev.Key, ev.Object)
	if ev.Type != object.Modified {
		return ev, is
	}
	switch was := ev.Prev != nil && s.Matches(ev.Key, ev.Prev); {
	case is && was:
		return ev, true
	case is:
		ev.Type, ev.Prev = object.Added, nil
		return ev, true
	case was:
		ev.Type = object.Deleted
		ev.Object = &object.Encoded{Version: ev.Version, Head: ev.Prev.Head, Body: ev.Prev.Body}
		return ev, true
	}
	return ev, false
}
