package server

import (
	"context"
	"iter"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// changeFeed keeps what is committed in namespaces until somebody has time for it. Writers
// wait for nothing but that.
type changeFeed struct {
	wake chan struct{}

	mu     sync.Mutex
	events []object.Event
}

// take is told of each commit.
func (f *changeFeed) take(events []object.Event) {
	f.mu.Lock()
	for i := range events {
		if events[i].Key.Namespace != "" {
			f.events = append(f.events, events[i])
		}
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Watch yields a bookmark and then what changes in namespaces.
func (a Access) Watch(ctx context.Context) iter.Seq2[quota.Event, error] {
	return func(yield func(quota.Event, error) bool) {
		f := &changeFeed{wake: make(chan struct{}, 1)}
		_, cancel := a.server.config.Store.Subscribe(f.take)
		defer cancel()
		if !yield(quota.Event{Type: object.Bookmark}, nil) {
			return
		}
		for {
			select {
			case <-f.wake:
			case <-ctx.Done():
				yield(quota.Event{}, ctx.Err())
				return
			}
			f.mu.Lock()
			events := f.events
			f.events = nil
			f.mu.Unlock()
			for i := range events {
				if !yield(a.event(&events[i]), nil) {
					return
				}
			}
		}
	}
}

func (a Access) event(e *object.Event) quota.Event {
	return quota.Event{
		Type: e.Type, Resource: e.Key.GroupResource, Namespace: e.Key.Namespace, Name: e.Key.Name,
		Version: e.Version.String(),
		Objects: func() (now, before object.Object, err error) {
			found, ok := a.server.resources.Load().ofCollection(e.Key.GroupResource)
			if !ok {
				return nil, nil, errNotServed
			}
			if now, err = found.fromStored(e.Object); err == nil {
				before, err = found.fromStored(e.Prev)
			}
			return now, before, err
		},
	}
}
