package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime/debug"
	"sync"
)

// Transport calls a handler in-process: a client that has it needs no socket and
// no server. What is sent and received streams in both directions, and the context
// of a request ends the handler's, as a closed connection does. An answer is
// handed over when the handler returns, flushes or has written a megabyte.
//
// A panic of the handler is the error of the round trip, or of reading the body if
// the head of the answer is out already; [http.ErrAbortHandler] reads as
// [io.ErrUnexpectedEOF]. Closing the body waits until the handler has returned.
//
// No goroutine outlives its request, and all waiting is of the kind that
// testing/synctest sees.
func Transport(h http.Handler) http.RoundTripper { return &transport{handler: h} }

type transport struct{ handler http.Handler }

// RoundTrip implements [http.RoundTripper].
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		closeBody(req)
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	x := newInProcess(req, cancel)
	stop := context.AfterFunc(req.Context(), func() { x.abandon(context.Cause(req.Context())) })
	go func() {
		defer stop()
		x.run(t.handler, x.serverRequest(ctx))
	}()
	select {
	case <-x.ready:
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
	return x.response()
}

// CloseIdleConnections does nothing: there are none.
func (t *transport) CloseIdleConnections() {}

// window is how many bytes the handler may be ahead of the client.
const window = 1 << 20

// errBodyClosed is what a handler gets that writes to a client that is gone.
var errBodyClosed = errors.New("server: the client has closed the body of the answer")

// inProcess is one request and its answer: the handler's ResponseWriter on one
// side, a pipe of bytes in the middle, the client's body on the other side.
type inProcess struct {
	req       *http.Request
	cancel    context.CancelFunc // ends the handler's context
	closeBody func()             // of the request, once
	ready     chan struct{}      // closed when there is an answer, or none will come
	done      chan struct{}      // closed when the handler has returned

	mu       sync.Mutex // never held while waiting
	changed  sync.Cond
	header   http.Header // the handler's
	frozen   http.Header // the client's, once the head is decided
	code     int         // 0 until then, and if there will be no answer
	isReady  bool
	buf      []byte // written and not yet read, from read on
	read     int
	finished bool
	failure  error // why the answer ends early
	gone     error // why nobody reads the answer
}

func newInProcess(req *http.Request, cancel context.CancelFunc) *inProcess {
	x := &inProcess{
		req:       req,
		cancel:    cancel,
		closeBody: sync.OnceFunc(func() { closeBody(req) }),
		ready:     make(chan struct{}),
		done:      make(chan struct{}),
		header:    http.Header{},
	}
	x.changed.L = &x.mu
	return x
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}

// serverRequest turns the client's request into what a server would have read.
func (x *inProcess) serverRequest(ctx context.Context) *http.Request {
	r := (&http.Request{
		Method:        x.req.Method,
		URL:           &url.URL{Path: x.req.URL.Path, RawPath: x.req.URL.RawPath, RawQuery: x.req.URL.RawQuery},
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        x.req.Header.Clone(),
		Body:          http.NoBody,
		ContentLength: x.req.ContentLength,
		Host:          x.req.Host,
		RemoteAddr:    "127.0.0.1:0",
		RequestURI:    x.req.URL.RequestURI(),
		Trailer:       x.req.Trailer,
	}).WithContext(ctx)
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	if r.Host == "" {
		r.Host = x.req.URL.Host
	}
	if _, ok := r.Header["User-Agent"]; !ok {
		r.Header.Set("User-Agent", "Go-http-client/1.1")
	}
	switch {
	case x.req.Body == nil || x.req.Body == http.NoBody:
		r.ContentLength = 0
	case r.ContentLength == 0:
		r.ContentLength = -1
		fallthrough
	default:
		r.Body = requestBody{x}
	}
	return r
}

// requestBody is the request's body as the handler sees it: closing it leaves
// that of the client open until the handler has returned.
type requestBody struct{ x *inProcess }

func (b requestBody) Read(p []byte) (int, error) { return b.x.req.Body.Read(p) }
func (b requestBody) Close() error               { return nil }

// run calls the handler and ends the answer.
func (x *inProcess) run(h http.Handler, r *http.Request) {
	defer close(x.done)
	defer x.closeBody()
	defer x.cancel()
	defer func() {
		if p := recover(); p != nil {
			x.finish(panicError(r, p))
			return
		}
		x.finish(nil)
	}()
	h.ServeHTTP((*inProcessWriter)(x), r)
}

func panicError(r *http.Request, p any) error {
	if p == http.ErrAbortHandler {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("server: panic while serving %s %s: %v\n%s", r.Method, r.URL.Path, p, debug.Stack())
}

func (x *inProcess) finish(failure error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.finished, x.failure = true, failure
	switch {
	case failure != nil && !x.isReady:
		x.code = 0 // the client has seen nothing and will not
	case x.code == 0:
		x.decide(http.StatusOK)
	}
	x.makeReady()
}

// decide fixes the head of the answer. x.mu is held.
func (x *inProcess) decide(code int) {
	x.code = code
	x.frozen = x.header.Clone()
}

// makeReady lets the client have what there is. x.mu is held.
func (x *inProcess) makeReady() {
	if !x.isReady {
		x.isReady = true
		close(x.ready)
	}
	x.changed.Broadcast()
}

// abandon ends the request because nobody waits for its answer any more.
func (x *inProcess) abandon(why error) {
	x.mu.Lock()
	if x.gone == nil {
		x.gone = why
	}
	x.changed.Broadcast()
	x.mu.Unlock()
	x.cancel()
	x.closeBody() // a handler may be reading it
}
