package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// Benchmarks go through ServeHTTP, without sockets, on the memory backend: they
// measure the server and nothing around it.

// sink is an answer that is thrown away.
type sink struct {
	header http.Header
	code   int
	bytes  int
}

func (w *sink) Header() http.Header  { return w.header }
func (w *sink) WriteHeader(code int) { w.code = code }
func (w *sink) Flush()               {}

func (w *sink) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// benchRequest makes a request that can be served many times, each with its own body.
func benchRequest(b *testing.B, method, path string) *http.Request {
	b.Helper()
	u, err := url.Parse(path)
	if err != nil {
		b.Fatal(err)
	}
	return &http.Request{Method: method, URL: u, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "server"}
}

func serveOnce(b *testing.B, s *Server, r *http.Request, body string, want int) int {
	w := sink{header: http.Header{}}
	if body != "" {
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
	s.ServeHTTP(&w, r)
	if w.code != want {
		b.Fatalf("%s %s: %d", r.Method, r.URL, w.code)
	}
	return w.bytes
}

// benchWidget is a document of about a kilobyte.
func benchWidget(name, color string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":%q,"labels":{"app":"bench","color":%q}},"spec":{"color":%q,"text":%q}}`,
		name, color, color, strings.Repeat("x", 800))
}

// fillBench stores n widgets, one in a hundred of them red.
func fillBench(b *testing.B, s *Server, n int) {
	b.Helper()
	create := benchRequest(b, http.MethodPost, widgetsPath)
	for i := range n {
		color := "blue"
		if i%100 == 0 {
			color = "red"
		}
		serveOnce(b, s, create, benchWidget(fmt.Sprintf("w%05d", i), color), http.StatusCreated)
	}
}

func BenchmarkGet(b *testing.B) {
	s := newWorld(b, widgets())
	fillBench(b, s, 1000)
	r := benchRequest(b, http.MethodGet, widgetsPath+"/w00500")
	b.ReportAllocs()
	for b.Loop() {
		b.SetBytes(int64(serveOnce(b, s, r, "", http.StatusOK)))
	}
}

func BenchmarkCreate(b *testing.B) {
	s := newWorld(b, widgets(), namespaces())
	if err := createNamespace(b, s, "default"); err != nil {
		b.Fatal(err)
	}
	r := benchRequest(b, http.MethodPost, widgetsPath)
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		serveOnce(b, s, r, benchWidget(fmt.Sprint("w", n), "red"), http.StatusCreated)
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := newWorld(b, widgets())
	fillBench(b, s, 1)
	r := benchRequest(b, http.MethodPut, widgetsPath+"/w00000")
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		serveOnce(b, s, r, benchWidget("w00000", fmt.Sprint(n)), http.StatusOK)
	}
}

func BenchmarkMergePatch(b *testing.B) {
	s := newWorld(b, widgets())
	fillBench(b, s, 1)
	r := benchRequest(b, http.MethodPatch, widgetsPath+"/w00000")
	r.Header.Set("Content-Type", "application/merge-patch+json")
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		serveOnce(b, s, r, fmt.Sprintf(`{"spec":{"n":%d}}`, n), http.StatusOK)
	}
}

func BenchmarkList10000(b *testing.B) {
	s := newWorld(b, widgets())
	fillBench(b, s, 10_000)
	for _, list := range []struct{ name, query string }{
		{"all, as before", ""},
		{"labels of 1 %", "?labelSelector=color%3Dred"},
		{"field of 1 %", "?fieldSelector=spec.color%3Dred"},
		{"page of 500", "?limit=500"},
	} {
		b.Run(list.name, func(b *testing.B) {
			r := benchRequest(b, http.MethodGet, widgetsPath+list.query)
			b.ReportAllocs()
			for b.Loop() {
				b.SetBytes(int64(serveOnce(b, s, r, "", http.StatusOK)))
			}
		})
	}
	b.Run("all, after a write", func(b *testing.B) {
		r, write := benchRequest(b, http.MethodGet, widgetsPath), benchRequest(b, http.MethodPut, widgetsPath+"/w00001")
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			serveOnce(b, s, write, benchWidget("w00001", fmt.Sprintf("blue%d", i)), http.StatusOK)
			b.SetBytes(int64(serveOnce(b, s, r, "", http.StatusOK)))
		}
	})
	b.Run("table", func(b *testing.B) {
		r := benchRequest(b, http.MethodGet, widgetsPath)
		r.Header.Set("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1")
		b.ReportAllocs()
		for b.Loop() {
			b.SetBytes(int64(serveOnce(b, s, r, "", http.StatusOK)))
		}
	})
}

// stopSink ends its watch when the bookmark behind the initial events has come.
type stopSink struct {
	sink
	cancel func()
}

func (w *stopSink) Write(p []byte) (int, error) {
	if bytes.Contains(p[max(0, len(p)-300):], []byte(initialEventsEnd)) {
		w.cancel()
	}
	return w.sink.Write(p)
}

// BenchmarkWatchInit is the streaming list of 1,000 objects that informers begin with.
func BenchmarkWatchInit(b *testing.B) {
	s := newWorld(b, widgets())
	fillBench(b, s, 1000)
	r := benchRequest(b, http.MethodGet, widgetsPath+
		"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")
	b.ReportAllocs()
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		w := stopSink{sink: sink{header: http.Header{}}, cancel: cancel}
		s.ServeHTTP(&w, r.WithContext(ctx))
		b.SetBytes(int64(w.bytes))
	}
}

// countSink counts the events that its watch brings.
type countSink struct {
	sink
	events *sync.WaitGroup
}

func (w *countSink) Write(p []byte) (int, error) {
	w.events.Add(-bytes.Count(p, []byte("\n")))
	return w.sink.Write(p)
}

// BenchmarkFanOut1000 is one write that a thousand watches bring to their clients.
func BenchmarkFanOut1000(b *testing.B) {
	const watches = 1000
	s := newWorld(b, widgets())
	fillBench(b, s, 1)
	ctx, cancel := context.WithCancel(b.Context())
	var events, done sync.WaitGroup
	for range watches {
		r := benchRequest(b, http.MethodGet, widgetsPath+"?watch=1&resourceVersion="+s.config.Store.Version().String())
		done.Go(func() { s.ServeHTTP(&countSink{sink{header: http.Header{}}, &events}, r.WithContext(ctx)) })
	}
	r := benchRequest(b, http.MethodPut, widgetsPath+"/w00000")
	n := 0
	write := func() {
		n++
		events.Add(watches)
		serveOnce(b, s, r, benchWidget("w00000", fmt.Sprint(n)), http.StatusOK)
		events.Wait()
	}
	write() // by then they are all there
	b.ReportAllocs()
	for b.Loop() {
		write()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n-1)/watches, "ns/event")
	cancel()
	done.Wait()
}
