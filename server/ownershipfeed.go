package server

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// ownershipFeed picks out of the feed of the store what concerns a collector. Writers wait
// for nothing but that; what is picked waits until the collector has time for it.
type ownershipFeed struct {
	cluster cluster
	set     *resourceSet // whose objects have been seen
	wake    chan struct{}

	mu      sync.Mutex
	picked  []object.Event
	version object.ResourceVersion
}

func newOwnershipFeed(c cluster) *ownershipFeed {
	return &ownershipFeed{cluster: c, set: c.resources.Load(), wake: make(chan struct{}, 1)}
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

// run yields what was picked after a version, and after it a bookmark, until ctx ends.
func (f *ownershipFeed) run(ctx context.Context, from object.ResourceVersion, yield func(gc.Event, error) bool) {
	for {
		select {
		case <-f.wake:
		case <-ctx.Done():
			yield(gc.Event{}, ctx.Err())
			return
		}
		if err := f.checkCollections(ctx, from); err != nil {
			yield(gc.Event{}, err)
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

// checkCollections fails if resources were added with objects that nothing has told of: they
// were there at the version from which on all events were seen.
func (f *ownershipFeed) checkCollections(ctx context.Context, from object.ResourceVersion) error {
	now := f.cluster.resources.Load()
	before := f.set
	f.set = now
	if now == before {
		return nil
	}
	for collection := range now.byCollection {
		if _, ok := before.ofCollection(collection); ok {
			continue
		}
		list, err := f.cluster.config.Store.List(ctx, object.Key{GroupResource: collection}, storage.ListOptions{})
		if err != nil {
			return err
		}
		err = list.Each(func(key object.Key, e *object.Encoded) error {
			if e.Version > from {
				return nil
			}
			return fmt.Errorf("%s was there before its resource was added", key)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	ownersMark     = []byte(`"ownerReferences":[`)
	finalizersMark = []byte(`"finalizers":[`)
)

// concernsOwners says whether a stored object may concern a collector, without decoding it.
func concernsOwners(e *object.Encoded) bool {
	if e == nil {
		return false
	}
	metadata := metadataOf(e)
	return bytes.Contains(metadata, ownersMark) || e.Deleting() && bytes.Contains(metadata, finalizersMark)
}

// ownershipEvent gives an event of the store to the collector.
func (c cluster) ownershipEvent(e object.Event) (gc.Event, error) {
	o, err := c.described(e.Key, e.Object)
	return gc.Event{Type: e.Type, Version: e.Version, Key: e.Key, Object: o}, err
}
