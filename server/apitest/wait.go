package apitest

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// limit is how long a wait takes at most whose context has no end.
const limit = 10 * time.Second

// limited gives a context that ends, after d if it would not end by itself.
func limited(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, d)
}

// WaitFor waits until an object is as the condition wants it, and gives it as it is then. The
// condition sees every state of the object, from that of now on, and nil while it is not there.
// Nothing is polled: a watch tells of each. It takes until ctx ends, or 10 seconds if that has no
// end; the error then shows what the object is and what became of it.
func (s *Server) WaitFor(ctx context.Context, t server.Target, condition func(o object.Object) bool) (object.Object, error) {
	if t.Name == "" {
		return nil, fmt.Errorf("waiting for one of %s: the target has no name", t.Resource.GroupResource())
	}
	ctx, cancel := limited(ctx, limit)
	defer cancel()
	initial := true
	opts := server.ListOptions{SendInitialEvents: &initial, ResourceVersionMatch: string(storage.NotOlderThan), AllowWatchBookmarks: true}
	var last object.Object
	for e, err := range s.Watch(ctx, t, opts) {
		if err != nil {
			return last, s.waited(t, last, err)
		}
		switch e.Type {
		case object.Added, object.Modified:
			last = e.Object
		case object.Deleted:
			last = nil
		case object.Bookmark:
			if last != nil {
				continue // seen already
			}
		}
		if condition(last) {
			return last, nil
		}
	}
	return last, s.waited(t, last, ctx.Err())
}

// waited says how a wait ended that was in vain.
func (s *Server) waited(t server.Target, last object.Object, err error) error {
	state := "it is not there\n"
	if last != nil {
		shown := last.DeepCopy()
		delete(shown.Metadata(), "managedFields")
		text, encodeErr := yaml.Encode(shown)
		if state = string(text); encodeErr != nil {
			state = shown.String() + "\n"
		}
	}
	history, historyErr := s.History(context.Background(), t)
	if historyErr != nil {
		return fmt.Errorf("waiting for %s: %w; its last state:\n%s(reading its history: %v)", nameOf(t), err, state, historyErr)
	}
	return fmt.Errorf("waiting for %s: %w; its last state:\n%sits history:\n%s", nameOf(t), err, state, history)
}

// nameOf names what a target is about.
func nameOf(t server.Target) string {
	return object.Key{GroupResource: t.Resource.GroupResource(), Namespace: t.Namespace, Name: t.Name}.String()
}
