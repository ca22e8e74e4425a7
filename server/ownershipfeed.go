package server

import (
	"bytes"
	"context"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// ownershipFeed picks out of the feed of the store what concerns a collector. Writers wait
// for nothing but that; what is picked waits until the collector has time for it.
type ownershipFeed struct {
	cluster cluster
	wake    chan struct{}

	mu      sync.Mutex
	picked  []object.Event
	version object.ResourceVersion
}

func newOwnershipFeed(c cluster) *ownershipFeed {
	return &ownershipFeed{cluster: c, wake: make(chan struct{}, 1)}
}

// take is told of each commit.
func (f *ownershipFeed) take(events []object.Event) {
	f.mu.Lock()
	for i := range events {
		if e := &events[i]; e.Type == object.Deleted || concernsOwners(e.Object) || concernsOwners(e.Prev) {
			f.picked = append(f.picked, *e)
		}
		f.version = events[i].Version
	}
	f.mu.Unlock()
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// run yields what was picked, and after it a bookmark, until ctx ends.
func (f *ownershipFeed) run(ctx context.Context, yield func(gc.Event, error) bool) {
	for {
		select {
		case <-f.wake:
		case <-ctx.Done():
			yield(gc.Event{}, ctx.Err())
			return
		}
		f.mu.Lock()
		picked, version := f.picked, f.version
		f.picked = nil
		f.mu.Unlock()
		for i := range picked {
			event, err := f.cluster.ownershipEvent(picked[i])
			if !yield(event, err) || err != nil {
				return
			}
		}
		if !yield(gc.Event{Type: object.Bookmark, Version: version}, nil) {
			return
		}
	}
}

var (
	ownersMark     = []byte(`"ownerReferences":[`)
	finalizersMark = []byte(`"finalizers":[`)
)

// concernsOwners says whether a stored object may concern a collector, without decoding it.
func concernsOwners(e *object.Encoded) bool {
	return e != nil && (bytes.Contains(e.Body, ownersMark) || e.Deleting() && bytes.Contains(e.Body, finalizersMark))
}

// ownershipEvent gives an event of the store to the collector.
func (c cluster) ownershipEvent(e object.Event) (gc.Event, error) {
	o, err := c.described(e.Key, e.Object)
	return gc.Event{Type: e.Type, Version: e.Version, Key: e.Key, Object: o}, err
}
