package gc

import (
	"context"
	"sync"
	"time"
)

// queue holds what is to be worked on, each key once, and never gives out a key that is
// being worked on. A key that failed comes back later, each time later.
type queue[K comparable] struct {
	mu       sync.Mutex
	ready    []K
	entries  map[K]*queued
	delayed  int       // keys that wait for their time
	arrived  sync.Cond // a key is ready, or the queue shuts down
	ended    sync.Cond // work on a key ended
	shutDown bool
}

// queued is the state of a key.
type queued struct {
	waiting  bool // in ready
	working  bool
	again    bool        // added while it was worked on
	failures int         // in a row
	timer    *time.Timer // until it is ready; nil if it is not delayed
}

// The delay after a failure, which doubles with each further one.
const (
	firstDelay = 5 * time.Millisecond
	lastDelay  = time.Minute
)

func newQueue[K comparable]() *queue[K] {
	q := &queue[K]{entries: map[K]*queued{}}
	q.arrived.L, q.ended.L = &q.mu, &q.mu
	return q
}

// add makes a key ready, if it is not already. A delay is over with that.
func (q *queue[K]) add(key K) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.addLocked(key)
}

func (q *queue[K]) addLocked(key K) {
	e := q.entries[key]
	if e == nil {
		e = &queued{}
		q.entries[key] = e
	}
	if e.timer != nil {
		e.timer.Stop()
		e.timer = nil
		q.delayed--
	}
	switch {
	case e.working:
		e.again = true
	case !e.waiting:
		e.waiting = true
		q.ready = append(q.ready, key)
		q.arrived.Signal()
	}
}

// next takes out a key, waiting for one; ok is false when ctx ends or the queue shuts
// down. The caller calls done.
func (q *queue[K]) next(ctx context.Context) (key K, ok bool) {
	defer context.AfterFunc(ctx, func() { q.wake(&q.arrived) })()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.ready) == 0 && !q.shutDown && ctx.Err() == nil {
		q.arrived.Wait()
	}
	if q.shutDown || ctx.Err() != nil {
		return key, false
	}
	return q.take(), true
}

// serve has keys worked on, so many side by side at most, until ctx ends or the queue shuts down,
// and returns when all work has ended. Those who work are begun as they are needed.
func (q *queue[K]) serve(ctx context.Context, atOnce int, work func(key K) (failed bool)) {
	var workers sync.WaitGroup
	defer workers.Wait()
	keys := make(chan K)
	defer close(keys)
	do := func(key K) { q.done(key, work(key)) }
	for n := 0; ; {
		key, ok := q.next(ctx)
		if !ok {
			return
		}
		if n == atOnce {
			keys <- key
			continue
		}
		select {
		case keys <- key: // to one who has nothing to do
		default:
			n++
			workers.Go(func() {
				do(key)
				for key := range keys {
					do(key)
				}
			})
		}
	}
}

// wake has those who wait look again.
func (q *queue[K]) wake(c *sync.Cond) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.Broadcast()
}

// take removes the first ready key.
func (q *queue[K]) take() K {
	key := q.ready[0]
	q.ready = q.ready[1:]
	e := q.entries[key]
	e.waiting, e.working = false, true
	return key
}

// done ends the work on a key, which comes back if it failed or was added meanwhile.
func (q *queue[K]) done(key K, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[key]
	e.working = false
	defer q.ended.Broadcast()
	if !failed {
		e.failures = 0
	}
	again := e.again
	e.again = false
	switch {
	case failed && !q.shutDown: // even if it was added meanwhile, or it would fail in a circle
		e.failures++
		q.delay(key, e, min(lastDelay, firstDelay<<min(e.failures-1, 20)))
	case again:
		q.addLocked(key)
	default:
		delete(q.entries, key)
	}
}

// delay makes a key ready after a time.
func (q *queue[K]) delay(key K, e *queued, d time.Duration) {
	q.delayed++
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if e.timer == timer { // not added meanwhile
			q.addLocked(key)
		}
	})
	e.timer = timer
}

// settled waits until no key is ready or being worked on; keys that wait after a
// failure don't count. It returns early with the error of ctx.
func (q *queue[K]) settled(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { q.wake(&q.ended) })()
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.entries) > q.delayed && !q.shutDown && ctx.Err() == nil {
		q.ended.Wait()
	}
	return ctx.Err()
}

// close ends all waiting; what is being worked on is not waited for.
func (q *queue[K]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shutDown = true
	for _, e := range q.entries {
		if e.timer != nil {
			e.timer.Stop()
		}
	}
	q.arrived.Broadcast()
	q.ended.Broadcast()
}
