package server

import (
	"io"
	"net/http"
	"strconv"
)

// inProcessWriter is an [inProcess] as its handler sees it.
type inProcessWriter inProcess

// Header implements [http.ResponseWriter]. Changes count until the first write.
func (w *inProcessWriter) Header() http.Header { return w.header }

// WriteHeader implements [http.ResponseWriter]. Informational answers are not passed on.
func (w *inProcessWriter) WriteHeader(code int) {
	x := (*inProcess)(w)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.code == 0 && code >= 200 {
		x.decide(code)
	}
}

// Write implements [http.ResponseWriter]. It waits while the client is too far behind.
func (w *inProcessWriter) Write(p []byte) (int, error) {
	x := (*inProcess)(w)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.code == 0 {
		x.decide(http.StatusOK)
	}
	switch {
	case x.code == http.StatusNoContent || x.code == http.StatusNotModified:
		return 0, http.ErrBodyNotAllowed
	case x.req.Method == http.MethodHead:
		return len(p), nil
	}
	for x.isReady && x.gone == nil && len(x.buf)-x.read >= window {
		x.changed.Wait()
	}
	if x.gone != nil {
		return 0, x.gone
	}
	x.sniff(p)
	if x.read == len(x.buf) {
		x.buf, x.read = x.buf[:0], 0
	}
	x.buf = append(x.buf, p...)
	switch {
	case x.isReady:
		x.changed.Broadcast()
	case len(x.buf) >= window:
		x.makeReady()
	}
	return len(p), nil
}

// sniff sets the content type that the handler has not set, as long as the client
// has not seen the head. x.mu is held.
func (x *inProcess) sniff(p []byte) {
	if x.isReady || len(x.buf) > 0 || len(p) == 0 {
		return
	}
	if _, ok := x.frozen["Content-Type"]; !ok {
		x.frozen.Set("Content-Type", http.DetectContentType(p))
	}
}

// FlushError lets the client have what is written so far.
func (w *inProcessWriter) FlushError() error {
	x := (*inProcess)(w)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gone != nil {
		return x.gone
	}
	if x.code == 0 {
		x.decide(http.StatusOK)
	}
	x.makeReady()
	return nil
}

// Flush implements [http.Flusher].
func (w *inProcessWriter) Flush() { _ = w.FlushError() }

// EnableFullDuplex is for [http.ResponseController]: it is the only mode there is.
func (w *inProcessWriter) EnableFullDuplex() error { return nil }

// response is what the round trip gives once the answer is ready.
func (x *inProcess) response() (*http.Response, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.code == 0 {
		return nil, x.failure
	}
	res := &http.Response{
		Status:        strconv.Itoa(x.code) + " " + http.StatusText(x.code),
		StatusCode:    x.code,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        x.frozen,
		Body:          (*inProcessBody)(x),
		ContentLength: x.contentLength(),
		Request:       x.req,
	}
	return res, nil
}

// contentLength is the declared length, or that of an answer that is complete; -1
// if it is not known. x.mu is held.
func (x *inProcess) contentLength() int64 {
	if n, err := strconv.ParseInt(x.frozen.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		return n
	}
	if x.finished && x.req.Method != http.MethodHead {
		return int64(len(x.buf))
	}
	return -1
}

// inProcessBody is an [inProcess] as its client reads it.
type inProcessBody inProcess

// Read implements [io.Reader].
func (b *inProcessBody) Read(p []byte) (int, error) {
	x := (*inProcess)(b)
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		switch {
		case x.gone != nil:
			return 0, x.gone
		case x.read < len(x.buf):
			n := copy(p, x.buf[x.read:])
			x.read += n
			x.changed.Broadcast()
			return n, nil
		case x.failure != nil:
			return 0, x.failure
		case x.finished:
			return 0, io.EOF
		}
		x.changed.Wait()
	}
}

// Close implements [io.Closer]. It ends the handler's context and waits until the
// handler has returned.
func (b *inProcessBody) Close() error {
	x := (*inProcess)(b)
	x.abandon(errBodyClosed)
	<-x.done
	return nil
}
