package apitest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// traffic is which requests are under way. The zero value is ready for use.
type traffic struct {
	mu        sync.Mutex
	requests  int // that are no watches
	streams   map[*stream]struct{}
	unwatched chan struct{} // closed when no watch is left; nil while nobody waits for that
}

// stream is a watch under way.
type stream struct {
	about       server.Attributes
	path, agent string
	since       time.Time
	cut         context.CancelCauseFunc
}

// ServeHTTP implements [http.Handler]: the server, with the faults that are asked for in front of it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	about := server.RequestOf(r)
	if about.Verb == "watch" {
		s.serveWatch(w, r, about)
		return
	}
	s.traffic.begin()
	defer s.traffic.end()
	s.faults.serve(w, r, about, s)
}

// errCut is why a watch ends that a fault cuts.
var errCut = http.ErrAbortHandler

func (s *Server) serveWatch(w http.ResponseWriter, r *http.Request, about server.Attributes) {
	ctx, cut := context.WithCancelCause(r.Context())
	defer cut(nil)
	st := &stream{about: about, path: r.URL.RequestURI(), agent: r.UserAgent(), since: time.Now(), cut: cut}
	s.traffic.open(st)
	defer s.traffic.close(st)
	s.faults.serve(&severable{w, ctx}, r.WithContext(ctx), about, s)
	if context.Cause(ctx) == errCut {
		panic(errCut)
	}
}

// severable writes nothing any more once the watch is cut.
type severable struct {
	http.ResponseWriter
	ctx context.Context
}

// Unwrap is for [http.ResponseController].
func (s *severable) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Write implements [http.ResponseWriter].
func (s *severable) Write(p []byte) (int, error) {
	if context.Cause(s.ctx) == errCut {
		return 0, errCut
	}
	return s.ResponseWriter.Write(p)
}

func (t *traffic) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
}

func (t *traffic) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests--
}

func (t *traffic) open(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.streams == nil {
		t.streams = map[*stream]struct{}{}
	}
	t.streams[s] = struct{}{}
}

func (t *traffic) close(s *stream) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.streams, s)
	if len(t.streams) == 0 && t.unwatched != nil {
		close(t.unwatched)
		t.unwatched = nil
	}
}

// watches are those under way, the oldest first.
func (t *traffic) watches() []*stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []*stream
	for s := range t.streams {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *stream) int { return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.path, b.path)) })
	return all
}

// wait returns when no watch is under way, or with the error of ctx.
func (t *traffic) wait(ctx context.Context) error {
	t.mu.Lock()
	if len(t.streams) == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.unwatched == nil {
		t.unwatched = make(chan struct{})
	}
	unwatched := t.unwatched
	t.mu.Unlock()
	select {
	case <-unwatched:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// underWay is how many requests are that are no watches.
func (t *traffic) underWay() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests
}
