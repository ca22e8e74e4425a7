package watch

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// WatchOptions say what a watcher gets.
type WatchOptions struct {
	Collection object.Key      // an empty Namespace or Name stands for all
	Selector   object.Selector // of the objects in it

	// After is the version that the caller knows already: of a list, or of the last
	// event of an earlier watch. It may be one that is still to come.
	After object.ResourceVersion

	// Bookmarks is how long nothing must have come before Next gives a bookmark. 0: none.
	Bookmarks time.Duration
}

// Watcher is one reader of a feed. Next, TryNext and Version are for one
// goroutine at a time, Stop for any.
type Watcher struct {
	b          *Broadcaster
	collection object.Key
	selector   object.Selector
	topic      *topic
	scope      scope

	cursor  cursor
	backlog backlog
	err     error // final

	bookmarks time.Duration
	timer     *time.Timer // runs while nothing is delivered; nil without bookmarks
	idle      bool        // nothing was delivered since it was set

	stop    sync.Once
	stopped chan struct{}
}

// Watch starts a watch. It fails with [object.ErrExpired] if the events after
// o.After are gone from both window and history (which is read with ctx), and with the
// error of [Broadcaster.Close] after that.
func (b *Broadcaster) Watch(ctx context.Context, o WatchOptions) (*Watcher, error) {
	w := &Watcher{
		b: b, collection: o.Collection, selector: o.Selector,
		scope:     scopeOf(o),
		cursor:    cursor{version: o.After},
		bookmarks: o.Bookmarks,
		stopped:   make(chan struct{}),
	}
	if err := b.begin(w); err != nil {
		return nil, err
	}
	if w.behind() {
		if err := w.readBack(ctx); err != nil {
			return nil, err
		}
	}
	b.open.Add(1)
	return w, nil
}

// begin gives a watcher its topic.
func (b *Broadcaster) begin(w *Watcher) error {
	now := time.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil {
		return b.ended
	}
	b.window.trim(now)
	w.topic = b.window.topic(w.collection.GroupResource)
	return nil
}

// scopeOf narrows the collection by what the field selector pins down.
func scopeOf(o WatchOptions) scope {
	s := scope{o.Collection.Namespace, o.Collection.Name}
	if name, ok := o.Selector.Fields.Exact("metadata.name"); ok && s.name == "" {
		s.name = name
	}
	if namespace, ok := o.Selector.Fields.Exact("metadata.namespace"); ok && s.namespace == "" {
		s.namespace = namespace
	}
	return s
}

// Next waits for the next event. It ends with ctx's error, which is not final; with
// an error that is [io.EOF] after Stop or Close (see [Broadcaster.Close]); or with an
// [object.ErrExpired] or other error of the history. The latter come again with every
// further call.
func (w *Watcher) Next(ctx context.Context) (Event, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Event{}, err
		}
		ev, ok, err := w.TryNext()
		if ok || err != nil {
			return ev, err
		}
		if w.behind() {
			if err := w.readBack(ctx); err != nil {
				return Event{}, err
			}
			continue
		}
		if bookmark, err := w.sleep(ctx); err != nil {
			return Event{}, err
		} else if bookmark {
			return w.bookmark(), nil
		}
	}
}

// TryNext gives the next event if it is there without waiting and without reading
// more of the history. It fails as Next does, and gives no bookmarks.
func (w *Watcher) TryNext() (Event, bool, error) {
	select {
	case <-w.stopped:
		return Event{}, false, io.EOF
	default:
	}
	if w.err != nil {
		return Event{}, false, w.err
	}
	for w.backlog.pending() {
		ev, ok := w.backlog.next(&w.cursor, w.scope)
		if !ok {
			break
		}
		if ev, ok = adapt(ev, &w.selector); ok {
			w.idle = false
			return Event{Event: ev}, true, nil
		}
	}
	return w.tryWindow()
}

func (w *Watcher) tryWindow() (Event, bool, error) {
	for {
		w.b.mu.RLock()
		e, sight := w.cursor.look(w.b.window, w.topic, w.scope)
		w.b.mu.RUnlock()
		switch sight {
		case found:
			if ev, ok := adapt(e.event, &w.selector); ok {
				w.idle = false
				return Event{Event: ev, shared: &e.encodings}, true, nil
			}
		case end, behind:
			return Event{}, false, nil
		}
	}
}

// Version is a version such that nothing at or below it is still to come.
func (w *Watcher) Version() object.ResourceVersion {
	w.b.mu.RLock()
	defer w.b.mu.RUnlock()
	if !w.backlog.pending() && w.cursor.place(w.topic) && w.cursor.next == w.topic.end() {
		w.cursor.drain(w.b.window, w.topic)
	}
	return w.cursor.version
}

// Stop ends the watcher at once, Next included. It is idempotent.
func (w *Watcher) Stop() {
	w.stop.Do(func() {
		close(w.stopped)
		w.b.open.Add(-1)
	})
}

// behind says whether the window has left the watcher behind.
func (w *Watcher) behind() bool {
	w.b.mu.RLock()
	defer w.b.mu.RUnlock()
	return !w.cursor.place(w.topic)
}

func (w *Watcher) readBack(ctx context.Context) error {
	backlog, err := w.b.readBack(ctx, w.topic, w.collection, &w.cursor)
	if err != nil {
		if ctx.Err() == nil {
			w.err = err
		}
		return err
	}
	w.backlog = backlog
	return nil
}

// sleep waits for something to read, or for the time of a bookmark.
func (w *Watcher) sleep(ctx context.Context) (bookmark bool, err error) {
	group := w.b.enter(w.topic, w.scope, &w.cursor)
	if group == nil {
		return false, nil
	}
	select {
	case <-group.wake:
		group.pass()
		w.cursor.jump(group.wait.first)
		return false, nil
	case <-w.untilBookmark():
		bookmark = true
	case <-ctx.Done():
		err = ctx.Err()
	case <-w.stopped:
		err = io.EOF
	case <-w.b.closed:
		err = w.b.ended
	}
	if over := w.b.leave(w.topic, w.scope, &w.cursor, group); over && !bookmark {
		return false, nil
	}
	return bookmark, err
}

// untilBookmark gives the channel that says when nothing has come for long enough.
func (w *Watcher) untilBookmark() <-chan time.Time {
	switch {
	case w.bookmarks <= 0:
		return nil
	case w.timer == nil:
		w.timer = time.NewTimer(w.bookmarks)
	case !w.idle:
		w.timer.Reset(w.bookmarks)
	}
	w.idle = true
	return w.timer.C
}

func (w *Watcher) bookmark() Event {
	w.idle = false
	return Event{Event: object.Event{
		Type:    object.Bookmark,
		Key:     object.Key{GroupResource: w.collection.GroupResource},
		Version: w.cursor.version,
	}}
}
