package server

import (
	"context"
	"errors"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
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
		w, err := s.openWatch(ctx, t, opts)
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

func (s *Server) openWatch(ctx context.Context, t Target, opts ListOptions) (*programWatch, error) {
	c, err := s.call(ctx, t, WriteOptions{})
	if err != nil {
		return nil, err
	}
	opts.Watch = true
	opts.complete()
	w := &programWatch{call: c, opts: opts}
	if w.selector, err = c.selector(opts); err != nil {
		return nil, err
	}
	w.start, err = c.resolveWatch(&opts)
	return w, err
}

// run gives events to yield until that says false, which is no error, or the watch ends.
func (w *programWatch) run(ctx context.Context, yield func(WatchEvent) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.life.ctx, cancel)()
	if n := w.opts.TimeoutSeconds; n != nil && *n > 0 {
		ctx, cancel = context.WithTimeout(ctx, w.opts.timeout(0))
		defer cancel()
	}
	more, err := w.giveInitial(ctx, yield)
	if more {
		err = w.giveEvents(ctx, yield)
	}
	if err != nil && w.life.ctx.Err() != nil {
		return object.PathNotFound() // the resource is not served any more
	}
	return err
}

// giveInitial gives the present objects, if the watch begins with them. more says
// whether the events may follow.
func (w *programWatch) giveInitial(ctx context.Context, yield func(WatchEvent) bool) (more bool, err error) {
	if !w.start.initial {
		return true, nil
	}
	list, err := w.initialList(ctx, &w.start, &w.opts)
	if err != nil {
		return false, err
	}
	for !list.Done() {
		objects, err := w.page(list)
		if err != nil {
			return false, err
		}
		for _, o := range objects {
			if !yield(WatchEvent{object.Added, o}) {
				return false, nil
			}
		}
	}
	if !w.start.marked {
		return true, nil
	}
	end := w.bookmark(w.start.after)
	end.SetAnnotations(map[string]string{initialEventsEnd: "true"})
	return yield(WatchEvent{object.Bookmark, end}), nil
}

// page reads some of a list. No read of the store lasts while the program has them.
func (w *programWatch) page(list *storage.List) (objects []object.Object, err error) {
	visitErr := list.Visit(func(key object.Key, e *object.Encoded) bool {
		if w.name != "" && key.Name != w.name {
			return true
		}
		var o object.Object
		if o, err = w.fromStored(e); err != nil {
			return false
		}
		objects = append(objects, o)
		return len(objects) < maxBatch
	})
	return objects, errors.Join(err, visitErr)
}

func (w *programWatch) giveEvents(ctx context.Context, yield func(WatchEvent) bool) error {
	watcher, err := w.open(ctx, w.start.after, w.selector, &w.opts)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	for {
		e, err := watcher.Next(ctx)
		if err != nil {
			return err
		}
		o, err := w.eventObject(e.Event)
		if err != nil {
			return err
		}
		if !yield(WatchEvent{e.Type, o}) {
			return nil
		}
	}
}

func (w *programWatch) eventObject(e object.Event) (object.Object, error) {
	if e.Type == object.Bookmark {
		return w.bookmark(e.Version), nil
	}
	return w.fromStored(e.Object)
}

// bookmark is the object of a bookmark.
func (w *programWatch) bookmark(version object.ResourceVersion) object.Object {
	o := object.Object{}
	o.SetType(w.typeMeta)
	o.SetResourceVersion(version.String())
	return o
}
