package quota

import (
	"context"
	"errors"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	// resync is how long a namespace is left alone in which nothing changes: time itself
	// takes pods out of the count that should have been gone.
	resync = 5 * time.Minute

	// A namespace in which everything changes is counted again after a rest, which is longer
	// the longer it takes to count.
	minRest, restFactor = 20 * time.Millisecond, 4

	// retryAfter is how long what failed is left alone.
	retryAfter = time.Second
)

// Run follows the changes of the cluster and keeps the statuses of its quotas right until the
// context ends. Without it quotas are enforced, but what goes away stays charged. One Run at
// a time.
func (e *Enforcer) Run(ctx context.Context) {
	e.setRunning(true)
	defer e.setRunning(false)
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		e.follow(ctx)
	}()
	e.work(ctx)
	<-followed
}

func (e *Enforcer) setRunning(running bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = running
	for _, s := range e.spaces { // of what nobody looks at, nothing is kept
		s.hasQuotas, s.due, s.dirty = false, time.Time{}, false
		clear(s.tickets)
		e.tidy(s)
	}
}

func (e *Enforcer) fail(ctx context.Context, err error) {
	if err != nil && e.Failed != nil && ctx.Err() == nil {
		e.Failed(err)
	}
}

// work counts the namespaces that are due.
func (e *Enforcer) work(ctx context.Context) {
	for ctx.Err() == nil {
		s, at := e.next()
		switch {
		case s == nil:
			select {
			case <-e.wake:
			case <-ctx.Done():
			}
		case time.Now().Before(at):
			select {
			case <-time.After(time.Until(at)):
			case <-e.wake:
			case <-ctx.Done():
			}
		default:
			e.visit(ctx, s)
		}
	}
}

// next gives the namespace that is due first, and when.
func (e *Enforcer) next() (first *space, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spaces {
		if !s.due.IsZero() && (first == nil || s.due.Before(at)) {
			first, at = s, s.due
		}
	}
	return first, at
}

// visit counts a namespace, unless all is well there.
func (e *Enforcer) visit(ctx context.Context, s *space) {
	if !e.begin(s) {
		return
	}
	defer e.leave(s)
	start := time.Now()
	err := e.recount(ctx, s)
	e.fail(ctx, err)

	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	s.settled, s.rest = now, now.Add(max(minRest, restFactor*now.Sub(start)))
	if err != nil {
		s.dirty, s.rest = true, now.Add(retryAfter)
	}
	s.due = s.next()
}

// begin takes a namespace off the list. It says whether it has to be counted, and enters it then.
func (e *Enforcer) begin(s *space) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.due = s.next()
	if s.due.IsZero() || time.Now().Before(s.due) {
		e.tidy(s)
		return false
	}
	s.due, s.dirty = time.Time{}, false
	s.users++
	return true
}

// next says when a namespace has to be counted again: after a rest if something changed, when
// a ticket is too old, and now and then. It is zero for never.
func (s *space) next() (at time.Time) {
	sooner := func(t time.Time) {
		if at.IsZero() || t.Before(at) {
			at = t
		}
	}
	if s.dirty {
		sooner(s.rest)
	}
	if s.hasQuotas {
		sooner(s.settled.Add(resync))
	}
	for _, open := range s.tickets {
		sooner(open[0].until)
	}
	return at
}

// know keeps what a count has shown of a namespace.
func (e *Enforcer) know(s *space, all []*quota) {
	var names []string
	var scopes []scope
	for _, q := range all {
		names = append(names, q.spec.Names()...)
		scopes = append(scopes, q.scopes...)
	}
	measured := map[object.GroupResource]bool{}
	for _, m := range measures(names) {
		measured[m.resource] = true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.dirty { // maybe by a quota that was not there yet
		return
	}
	s.hasQuotas, s.measured, s.scopes = len(all) > 0, measured, scopes
}

// follow takes what the feed tells, and begins anew where it ends.
func (e *Enforcer) follow(ctx context.Context) {
	for ctx.Err() == nil {
		e.fail(ctx, e.followOnce(ctx))
		select {
		case <-time.After(retryAfter):
		case <-ctx.Done():
		}
	}
}

var errFeedEnded = errors.New("the feed of changes ended")

func (e *Enforcer) followOnce(ctx context.Context) error {
	began := false
	for event, err := range e.cluster.Watch(ctx) {
		switch {
		case err != nil:
			return err
		case event.Type != object.Bookmark:
			e.handle(event)
		case !began:
			began = true
			if err := e.markAll(ctx); err != nil {
				return err
			}
		}
	}
	return errFeedEnded
}

// markAll has all quotas looked at.
func (e *Enforcer) markAll(ctx context.Context) error {
	all, err := e.cluster.Quotas(ctx, "")
	if err != nil {
		return unreadable("", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.spaces { // their quotas may be gone
		e.soil(s)
	}
	for _, q := range all {
		e.expect(q.Namespace())
	}
	return nil
}

// expect has a namespace counted that has a new quota, or one with other limits.
func (e *Enforcer) expect(namespace string) {
	s := e.space(namespace)
	s.hasQuotas, s.measured = true, nil
	s.epoch++
	e.soil(s)
}
