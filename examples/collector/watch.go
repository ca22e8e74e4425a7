package main

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// How often one looks for new kinds, and how soon after a hint that there may be some.
const (
	lookInterval = 30 * time.Second
	lookSoon     = 500 * time.Millisecond
)

// watching is one watch of everything: a feed for each resource. Each is in order, but they are not
// in order with one another.
type watching struct {
	*cluster
	group  sync.WaitGroup
	events chan gc.Event
	failed chan error
	hints  chan struct{} // there may be new kinds
	done   <-chan struct{}
	feeds  map[object.GroupResource]*feed
	lost   map[object.GroupResource]bool // they were watched and then not served
}

// Watch implements [gc.Cluster]. The first bookmark comes when all resources were listed, except
// for those that can't be; there are no others.
func (c *cluster) Watch(ctx context.Context) iter.Seq2[gc.Event, error] {
	return func(yield func(gc.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		w := &watching{
			cluster: c, events: make(chan gc.Event), failed: make(chan error, 1), hints: make(chan struct{}, 1), done: ctx.Done(),
			feeds: map[object.GroupResource]*feed{}, lost: map[object.GroupResource]bool{},
		}
		defer c.kinds.unlist()
		defer w.group.Wait()
		defer cancel()
		w.group.Go(func() { w.run(ctx) })
		for {
			select {
			case e := <-w.events:
				if w.hint(e); !yield(e, nil) {
					return
				}
			case err := <-w.failed:
				yield(gc.Event{}, err)
				return
			case <-ctx.Done():
				yield(gc.Event{}, ctx.Err())
				return
			}
		}
	}
}

// fail ends the watch; the first error counts.
func (w *watching) fail(err error) {
	select {
	case w.failed <- err:
	default:
	}
}

// run starts feeds, and goes on to do so as kinds come and go, until ctx ends.
func (w *watching) run(ctx context.Context) {
	if err := w.look(ctx); err != nil {
		w.fail(err)
		return
	}
	for _, f := range w.feeds {
		select {
		case <-f.tried:
		case <-ctx.Done():
			return
		}
	}
	select {
	case w.events <- gc.Event{Type: object.Bookmark, Version: w.Version()}:
	case <-ctx.Done():
		return
	}
	for w.wait(ctx) {
		if err := w.look(ctx); err != nil {
			w.logger.WarnContext(ctx, "looking for new kinds", "error", err)
		}
	}
}

// wait waits until it is time to look for new kinds. It is false when ctx ends.
func (w *watching) wait(ctx context.Context) bool {
	timer := time.NewTimer(lookInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.hints:
		timer.Reset(lookSoon) // more hints may follow
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// hint takes note of what may bring new kinds or take some away.
func (w *watching) hint(e gc.Event) {
	switch e.Key.GroupResource.String() {
	case "customresourcedefinitions.apiextensions.k8s.io", "apiservices.apiregistration.k8s.io":
		select {
		case w.hints <- struct{}{}:
		default:
		}
	}
}

// look starts feeds of new resources and stops those of resources that are gone.
func (w *watching) look(ctx context.Context) error {
	if err := w.kinds.refresh(ctx); err != nil {
		return err
	}
	served := w.kinds.watched()
	for group, f := range w.feeds {
		if served[group] != f.resource {
			f.stop()
			delete(w.feeds, group)
			w.kinds.setListed(group, false)
			w.lost[group] = true
			w.logger.InfoContext(ctx, "no longer watching", "resource", f.gvr)
		}
	}
	for group, r := range served {
		if w.lost[group] {
			w.fail(fmt.Errorf("%s were not watched for a time: %w", group, errMissed))
			return nil
		}
		if w.feeds[group] == nil {
			w.start(ctx, r)
		}
	}
	return nil
}

func (w *watching) start(ctx context.Context, r resource) {
	ctx, stop := context.WithCancel(ctx)
	f := &feed{
		resource: r, kinds: w.kinds, events: w.events, fail: w.fail, done: ctx.Done(), stop: stop, tried: make(chan struct{}),
	}
	w.feeds[r.group()] = f
	w.group.Go(func() { f.run(ctx, w.objects) })
}
