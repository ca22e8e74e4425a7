package server

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/watch"
)

// A watch without timeoutSeconds lasts between these two, at random, so that
// those that began together do not all come back together.
const (
	shortestWatch = 30 * time.Minute
	longestWatch  = 60 * time.Minute
)

// bookmarkInterval is how long a watch is silent before it gets a bookmark, and
// bookmarkLead how long before its end it gets one, as far as it asked for them.
const (
	bookmarkInterval = time.Minute
	bookmarkLead     = 2 * time.Second
)

// lastWrites is how long behind its end a watch may take to send what is left.
const lastWrites = 5 * time.Second

// watchStart is where the events of a watch begin: after a version, with or
// without the objects that are there already in front.
type watchStart struct {
	after   object.ResourceVersion
	initial bool // the present objects come first
	marked  bool // and a bookmark says where they end
}

// resolveWatch says where a watch with these options starts.
func (c *call) resolveWatch(opts *ListOptions) (start watchStart, err error) {
	version, err := object.ParseResourceVersion(opts.ResourceVersion)
	if err != nil {
		return start, errPlain(err)
	}
	start.after = version
	if send := opts.SendInitialEvents; send != nil {
		start.initial, start.marked = *send, *send && opts.AllowWatchBookmarks
	} else {
		start.initial = version == 0
	}
	if version == 0 && !start.initial {
		start.after = c.config.Store.Version()
	}
	return start, nil
}

// stream is one watch on its way to a client.
type stream struct {
	*exchange
	start    watchStart
	opts     *ListOptions
	selector object.Selector
	frames   frameEncoder
	buf      []byte
	flusher  *http.ResponseController
}

// flushSize is how many bytes of frames are put together at most before they are sent.
const flushSize = 64 << 10

func (x *exchange) serveWatch() error {
	opts, err := x.readListOptions()
	if err != nil {
		return err
	}
	opts.complete()
	return x.watch(&opts)
}

func (x *exchange) watch(opts *ListOptions) (err error) {
	s := &stream{exchange: x, opts: opts, flusher: http.NewResponseController(x.w)}
	if s.selector, err = x.selector(*opts); err != nil {
		return err
	}
	if s.start, err = x.resolveWatch(opts); err != nil {
		return err
	}
	if err := x.form.checkWatch(); err != nil {
		return err
	}
	if x.form.as == asPartialList {
		x.form.as = asPartial // a watch has no lists to show
	}
	if x.form, err = x.form.withTableOptions(x.r.URL.Query()); err != nil {
		return err
	}
	s.frames = frameEncoder{served: x.served, form: x.form}
	return s.run()
}

// run sends the head and then frames until the time is over, the client goes or
// the server stops. From here on failures are frames too.
func (s *stream) run() error {
	s.streams.begin()
	defer s.streams.end()
	ctx, cancel := context.WithTimeout(s.r.Context(), s.opts.timeout(shortestWatch+rand.N(longestWatch-shortestWatch)))
	defer cancel()
	defer context.AfterFunc(s.life.ctx, cancel)()
	defer s.limitWriting(ctx)()

	h := s.w.Header()
	s.warnings.writeTo(h)
	h.Set("Content-Type", s.form.media.watchType())
	s.w.WriteHeader(http.StatusOK)
	defer s.breakOff()
	if err := s.sendInitial(ctx); err != nil {
		s.end(err)
		return nil
	}
	if s.flush() == nil {
		s.sendEvents(ctx)
	}
	return nil
}

// limitWriting breaks the connection of a client that does not read, so that it does not
// hold the watch for ever. The caller calls the result when the watch is over.
func (s *stream) limitWriting(ctx context.Context) (over func()) {
	deadline, _ := ctx.Deadline()
	// Where deadlines are not supported, nobody is on the other end of a wire.
	_ = s.flusher.SetWriteDeadline(deadline.Add(lastWrites))
	return func() { _ = s.flusher.SetWriteDeadline(time.Time{}) }
}

// breakOff ends the connection of a watch that panics: behind its head there is no
// place for another answer, and it must not look like one that ended well.
func (s *stream) breakOff() {
	p := recover()
	if p == nil {
		return
	}
	if p != http.ErrAbortHandler {
		s.logPanic(s.r, p)
	}
	panic(http.ErrAbortHandler)
}

// initialList opens the list of the objects that are there when a watch begins. What
// the watch starts after is then the version of that list.
func (c *call) initialList(ctx context.Context, start *watchStart, opts *ListOptions) (*storage.List, error) {
	if current := c.config.Store.Version(); start.after > current {
		return nil, object.TooLargeResourceVersion(start.after, current)
	}
	list, err := c.list(ctx, ListOptions{LabelSelector: opts.LabelSelector, FieldSelector: opts.FieldSelector})
	if err != nil {
		return nil, err
	}
	start.after = list.Version()
	return list, nil
}

// sendInitial sends the present objects, if the watch begins with them.
func (s *stream) sendInitial(ctx context.Context) error {
	if !s.start.initial {
		return nil
	}
	list, err := s.initialList(ctx, &s.start, s.opts)
	if err != nil {
		return err
	}
	s.buf = s.buffers.get()
	for !list.Done() {
		frames, err := s.nextInitial(list)
		if err != nil {
			return err
		}
		if _, err := s.w.Write(frames.plain); err != nil {
			return errClientGone
		}
		s.buf = s.buf[:0]
	}
	if s.start.marked {
		s.buf, err = s.frames.appendBookmark(s.buf, s.start.after, true)
	}
	return err
}

// nextInitial gives the frames of the objects that come next in the list.
func (s *stream) nextInitial(list *storage.List) (piece, error) {
	read := func() (piece, bool, error) {
		frames, err := s.readInitial(list)
		return piece{plain: frames}, !s.frames.loaded, err
	}
	if !s.stored || s.name != "" || s.form.as == asTable { // which tells ages
		frames, _, err := read()
		return frames, err
	}
	return s.pieces.next(list, s.form, forFrames, read)
}

func (s *stream) readInitial(list *storage.List) ([]byte, error) {
	var frameErr error
	err := list.Visit(func(key object.Key, e *object.Encoded) bool {
		if s.name != "" && key.Name != s.name {
			return true
		}
		s.buf, frameErr = s.frames.append(s.buf, object.Event{Type: object.Added, Key: key, Version: e.Version, Object: e})
		return frameErr == nil && len(s.buf) < flushSize
	})
	return s.buf, cmp.Or(err, frameErr)
}

// sendEvents sends what happens. Frames that are there together are sent together.
func (s *stream) sendEvents(ctx context.Context) {
	w, err := s.open(ctx, s.start.after, s.selector, s.opts)
	if err != nil {
		s.end(err)
		return
	}
	defer w.Stop()
	deadline, _ := ctx.Deadline()
	last, cancel := context.WithDeadline(ctx, deadline.Add(-bookmarkLead))
	defer cancel()
	err = s.forward(last, w)
	if s.opts.AllowWatchBookmarks && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		s.buf, _ = s.frames.appendBookmark(s.buf, w.Version(), false)
		if s.flush() != nil {
			return
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.forward(ctx, w)
	}
	s.end(err)
}

// open begins to follow the events of the call, unless the watch wants some that are
// from before the resource was defined.
func (c *call) open(ctx context.Context, after object.ResourceVersion, selector object.Selector, opts *ListOptions) (*watch.Watcher, error) {
	if after < c.life.since {
		return nil, object.Expired("too old resource version: %d (%d)", after, c.life.since)
	}
	o := watch.WatchOptions{Collection: c.key(), Selector: selector, After: after}
	if opts.AllowWatchBookmarks {
		o.Bookmarks = bookmarkInterval
	}
	return c.broadcaster.Watch(ctx, o)
}

// forward sends events until ctx or the watch ends, and says why.
func (s *stream) forward(ctx context.Context, w *watch.Watcher) error {
	for {
		e, ok, err := w.TryNext()
		if err == nil && !ok {
			if err := s.flush(); err != nil {
				return err
			}
			e, err = w.Next(ctx)
		}
		if err != nil {
			return err
		}
		if err := s.add(e); err != nil {
			return err
		}
	}
}

// add puts the frame of an event into the buffer, and sends that when it is full.
func (s *stream) add(e watch.Event) (err error) {
	if s.buf == nil {
		s.buf = s.buffers.get()
	}
	if e.Type == object.Bookmark {
		s.buf, err = s.frames.appendBookmark(s.buf, e.Version, false)
		return err
	}
	s.set, s.frames.served = s.again(s.set, s.gvr, s.frames.served)
	if s.buf, err = s.frames.appendShared(s.buf, e); err != nil {
		return err
	}
	if len(s.buf) >= flushSize {
		return s.write()
	}
	return nil
}

// end sends the last frame of a watch that failed; the others, those that the
// server's stop ends or keeps from beginning among them, just end.
func (s *stream) end(err error) {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled), errors.Is(err, errClientGone):
		_ = s.flush()
	default:
		s.sendError(err)
	}
}

func (s *stream) sendError(err error) {
	if errors.Is(err, errClientGone) {
		return
	}
	s.buf = s.frames.appendStatus(s.buf, object.AsStatus(err))
	_ = s.flush()
}

// errClientGone says that a frame could not be delivered.
var errClientGone = errors.New("the client is gone")

// write hands the buffer to the connection.
func (s *stream) write() error {
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	if err != nil {
		return errClientGone
	}
	return nil
}

// flush writes and has the connection send it. The watch may be silent for long
// after it, and holds no buffer meanwhile.
func (s *stream) flush() error {
	err := s.write()
	if s.buf != nil {
		s.buffers.put(s.buf)
		s.buf = nil
	}
	if err != nil {
		return err
	}
	if err := s.flusher.Flush(); err != nil {
		return errClientGone
	}
	return nil
}
