package server

import (
	"context"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// nameQueue holds names to be looked at, each once. One goroutine takes them out.
type nameQueue struct {
	mu      sync.Mutex
	names   []string
	waiting map[string]bool
	wake    chan struct{}
	working bool          // on a name that was taken out
	rested  chan struct{} // closed when there is nothing to do; nil while nobody waits for that

	// Collections whose definition waits for their last object to go.
	emptying map[object.GroupResource]string
}

func (q *nameQueue) init() {
	q.waiting = map[string]bool{}
	q.emptying = map[object.GroupResource]string{}
	q.wake = make(chan struct{}, 1)
}

func (q *nameQueue) add(name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(name)
}

func (q *nameQueue) addLocked(name string) {
	if q.waiting[name] {
		return
	}
	q.waiting[name] = true
	q.names = append(q.names, name)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// addAfter adds a name some time from now.
func (q *nameQueue) addAfter(name string, d time.Duration) {
	time.AfterFunc(d, func() { q.add(name) })
}

// left notes that an object of a collection is gone.
func (q *nameQueue) left(collection object.GroupResource) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if name, ok := q.emptying[collection]; ok {
		q.addLocked(name)
	}
}

// expect has a definition looked at when an object of its collection goes; forget ends that.
func (q *nameQueue) expect(collection object.GroupResource, name string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.emptying[collection] = name
}

func (q *nameQueue) forget(collection object.GroupResource) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.emptying, collection)
}

// next waits for a name; ok is false when ctx has ended.
func (q *nameQueue) next(ctx context.Context) (name string, ok bool) {
	for {
		if ctx.Err() != nil {
			return "", false
		}
		if name, ok := q.take(); ok {
			return name, true
		}
		select {
		case <-q.wake:
		case <-ctx.Done():
		}
	}
}

// take ends the work on the name before and takes out the next one, if there is one.
func (q *nameQueue) take() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working = len(q.names) > 0; !q.working {
		if q.rested != nil {
			close(q.rested)
			q.rested = nil
		}
		return "", false
	}
	name := q.names[0]
	q.names = q.names[1:]
	delete(q.waiting, name)
	return name, true
}

// settled waits until there is nothing to do, but for names that are to be added later.
func (q *nameQueue) settled(ctx context.Context) error {
	q.mu.Lock()
	if len(q.names) == 0 && !q.working {
		q.mu.Unlock()
		return nil
	}
	if q.rested == nil {
		q.rested = make(chan struct{})
	}
	rested := q.rested
	q.mu.Unlock()
	select {
	case <-rested:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
