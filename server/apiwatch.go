package server

import (
	"context"
	"iter"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/watch"
)

// WatchEvent is a change as a Go program sees it. A bookmark has an Object with
// nothing but the resource version and, behind the initial events, the annotation that
// says so.
type WatchEvent struct {
	Type   object.EventType
	Object object.Object
}

// Watch gives the events of a collection, or of one object, after
// opts.ResourceVersion. As over HTTP, a watch from no version or from "0" gives the
// present objects first, as added; opts.SendInitialEvents (which wants
// ResourceVersionMatch "NotOlderThan") asks for them or does without, and with
// AllowWatchBookmarks a bookmark follows them.
//
// It goes on until the loop is left, ctx or opts.TimeoutSeconds ends, or the watch
// fails; the error comes last, with a zero event. Shutdown waits for the loop.
func (s *Server) Watch(ctx context.Context, t Target, opts ListOptions) iter.Seq2[WatchEvent, error] {
	return func(yield func(WatchEvent, error) bool) {
		s.streams.begin()
		defer s.streams.end()
		w, err := s.openWatch(t, opts)
		if err == nil {
			err = w.run(ctx, func(e WatchEvent) bool { return yield(e, nil) })
		}
		if err != nil {
			yield(WatchEvent{}, err)
		}
	}
}

// programWatch is one watch of a Go program.
type programWatch struct {
	*call
	opts     ListOptions
	selector object.Selector
	start    watchStart
}

func (s *Server) openWatch(t Target, opts ListOptions) (*programWatch, error) {
	c, err := s.call(t, WriteOptions{})
	if err != nil {
		return nil, err
	}
	opts.Watch = true
	if err := opts.validate(); err != nil {
		return nil, err
	}
	w := &programWatch{call: c, opts: opts}
	if w.selector, err = c.selector(opts); err != nil {
		return nil, err
	}
	w.start, err = c.resolveWatch(&opts)
	return w, err
}

// run gives events to yield until that says false, which is no error, or the watch ends.
func (w *programWatch) run(ctx context.Context, yield func(WatchEvent) bool) error {
	if n := w.opts.TimeoutSeconds; n != nil && *n > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, w.opts.timeout(0))
		defer cancel()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.life.ctx, func() { cancel(object.PathNotFound()) })()
	more, err := w.initial(ctx, yield)
	if err != nil || !more {
		return err
	}
	err = w.follow(ctx, yield)
	if w.life.ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return err
}
