package watch

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

var (
	configMaps = object.GroupResource{Resource: "configmaps"}
	leases     = object.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
)

func all(gr object.GroupResource) object.Key { return object.Key{GroupResource: gr} }

func key(gr object.GroupResource, namespace, name string) object.Key {
	return object.Key{GroupResource: gr, Namespace: namespace, Name: name}
}

// world makes the events of a few objects as a store would, and keeps them all.
// It is the history of a feed, and the model that watchers are compared with.
type world struct {
	mu      sync.Mutex
	version object.ResourceVersion
	state   map[object.Key]*object.Encoded
	log     []object.Event
	from    object.ResourceVersion // the log is compacted up to here
}

func newWorld() *world { return &world{state: map[object.Key]*object.Encoded{}} }

// put writes an object with one label, del deletes it; both give the event.
func (w *world) put(k object.Key, label string) object.Event {
	o := object.Object{"metadata": map[string]any{"name": k.Name, "labels": map[string]any{"l": label}}}
	e, err := object.Encode(o, nil)
	if err != nil {
		panic(err)
	}
	return w.commit(k, &e)
}

func (w *world) del(k object.Key) object.Event { return w.commit(k, nil) }

func (w *world) commit(k object.Key, next *object.Encoded) object.Event {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	ev := object.Event{Type: object.Modified, Key: k, Version: w.version, Object: next, Prev: w.state[k]}
	switch {
	case next == nil:
		ev.Type = object.Deleted
		ev.Object = &object.Encoded{Version: w.version, Head: ev.Prev.Head, Body: ev.Prev.Body}
		delete(w.state, k)
	default:
		next.Version = w.version
		w.state[k] = next
		if ev.Prev == nil {
			ev.Type = object.Added
		}
	}
	w.log = append(w.log, ev)
	return ev
}

// random makes one event of one of 24 objects.
func (w *world) random(rnd *rand.Rand) object.Event {
	k := key(configMaps, "", fmt.Sprintf("n%d", rnd.IntN(4)))
	if rnd.IntN(3) == 0 {
		k.GroupResource = leases
	}
	if i := rnd.IntN(3); i > 0 {
		k.Namespace = fmt.Sprintf("ns%d", i)
	}
	if w.state[k] != nil && rnd.IntN(4) == 0 {
		return w.del(k)
	}
	return w.put(k, []string{"x", "y"}[rnd.IntN(2)])
}

func (w *world) compact(upTo object.ResourceVersion) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.from = upTo
}

// history is the durable history of the world.
func (w *world) history(_ context.Context, collection object.Key, after object.ResourceVersion) iter.Seq2[object.Event, error] {
	return func(yield func(object.Event, error) bool) {
		w.mu.Lock()
		log, from := slices.Clip(w.log), w.from
		w.mu.Unlock()
		if after < from {
			yield(object.Event{}, fmt.Errorf("reading the log: %w", object.ErrExpired))
			return
		}
		for _, ev := range log {
			if ev.Version > after && ev.Key.GroupResource == collection.GroupResource && !yield(ev, nil) {
				return
			}
		}
	}
}

// seen is what a test compares of an event.
type seen struct {
	Type    object.EventType
	Key     object.Key
	Version object.ResourceVersion
	Label   string // of the object shown
	Shown   object.ResourceVersion
}

func see(ev object.Event) seen {
	s := seen{Type: ev.Type, Key: ev.Key, Version: ev.Version}
	if ev.Object != nil {
		label, _ := ev.Object.Label("l")
		s.Label, s.Shown = string(label), ev.Object.Version
	}
	return s
}

// expect is what a watcher must see of the log, in the plainest way to say it.
func (w *world) expect(o WatchOptions) []seen {
	var out []seen
	c := o.Collection
	for _, ev := range w.log {
		k := ev.Key
		if ev.Version <= o.After || k.GroupResource != c.GroupResource ||
			c.Namespace != "" && c.Namespace != k.Namespace || c.Name != "" && c.Name != k.Name {
			continue
		}
		s := see(ev)
		was := ev.Prev != nil && o.Selector.Matches(k, ev.Prev)
		is := ev.Type != object.Deleted && o.Selector.Matches(k, ev.Object)
		switch {
		case !was && !is:
			continue
		case !was:
			s.Type = object.Added
		case !is:
			s.Type = object.Deleted
			label, _ := ev.Prev.Label("l")
			s.Label = string(label)
		}
		out = append(out, s)
	}
	return out
}

func mustWatch(t testing.TB, b *Broadcaster, o WatchOptions) *Watcher {
	t.Helper()
	w, err := b.Watch(context.Background(), o)
	require.NoError(t, err)
	return w
}

func next(t testing.TB, w *Watcher) seen {
	t.Helper()
	ev, err := w.Next(context.Background())
	require.NoError(t, err)
	return see(ev.Event)
}

func labelled(t testing.TB, selector string) object.Selector {
	t.Helper()
	labels, err := object.ParseLabelSelector(selector)
	require.NoError(t, err)
	return object.Selector{Labels: labels}
}
