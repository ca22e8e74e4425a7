package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func clientOf(h http.HandlerFunc) *http.Client { return &http.Client{Transport: Transport(h)} }

func TestTransportCarriesARequestAndItsAnswer(t *testing.T) {
	client := clientOf(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		w.Header().Set("X-Got", fmt.Sprintf("%s %s %s %s %d", r.Method, r.Host, r.RequestURI, r.Header.Get("X-Sent"), r.ContentLength))
		w.WriteHeader(http.StatusTeapot)
		w.Header().Set("X-Late", "1")
		_, _ = w.Write(bytes.ToUpper(body))
	})
	req, err := http.NewRequest(http.MethodPost, "http://host/a%2Fb?c=d", strings.NewReader("body"))
	require.NoError(t, err)
	req.Header.Set("X-Sent", "s")
	res, err := client.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "BODY", string(data))
	require.Equal(t, http.StatusTeapot, res.StatusCode)
	require.Equal(t, "418 I'm a teapot", res.Status)
	require.Equal(t, int64(4), res.ContentLength)
	require.Equal(t, "POST host /a%2Fb?c=d s 4", res.Header.Get("X-Got"))
	require.Empty(t, res.Header.Get("X-Late"))
	require.Equal(t, "text/plain; charset=utf-8", res.Header.Get("Content-Type"))
}

func TestTransportStreamsInBothDirections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := clientOf(func(w http.ResponseWriter, r *http.Request) {
			buf := make([]byte, 16)
			for {
				n, err := r.Body.Read(buf)
				if err != nil {
					return
				}
				time.Sleep(time.Hour)
				_, _ = w.Write(buf[:n])
				_ = http.NewResponseController(w).Flush()
			}
		})
		up, down := io.Pipe()
		go func() { _, _ = down.Write([]byte("one")) }()
		res, err := client.Post("http://host/", "text/plain", up)
		require.NoError(t, err)
		require.Equal(t, int64(-1), res.ContentLength)
		buf := make([]byte, 16)
		for _, word := range []string{"one", "two", "three"} {
			n, err := res.Body.Read(buf)
			require.NoError(t, err)
			require.Equal(t, word, string(buf[:n]))
			next := map[string]string{"one": "two", "two": "three"}[word]
			if next != "" {
				_, _ = down.Write([]byte(next))
			}
		}
		require.NoError(t, down.Close())
		_, err = res.Body.Read(buf)
		require.Equal(t, io.EOF, err)
		require.NoError(t, res.Body.Close())
	})
}

// waiting flushes a head and waits for its context; returned says that it has ended.
func waiting(returned *bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		*returned = true
	}
}

func TestClosingTheBodyEndsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		returned := false
		res, err := clientOf(waiting(&returned)).Get("http://host/")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		require.True(t, returned)
		require.NoError(t, res.Body.Close())
	})
}

func TestTheClientsContextEndsTheHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		returned := false
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://host/", nil)
		require.NoError(t, err)
		res, err := Transport(waiting(&returned)).RoundTrip(req)
		require.NoError(t, err)
		_, err = res.Body.Read(make([]byte, 1))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		require.True(t, returned)
	})
}

func TestTheClientsContextEndsTheRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		body, feed := io.Pipe()
		defer feed.Close()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://host/", body)
		require.NoError(t, err)
		_, err = clientOf(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) }).Do(req)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait() // the handler was reading a body that never ends
	})
}

func TestTheHandlersContextIsItsOwn(t *testing.T) {
	type key struct{}
	var seen any
	var after context.Context
	req, err := http.NewRequestWithContext(context.WithValue(t.Context(), key{}, "v"), http.MethodGet, "http://host/", nil)
	require.NoError(t, err)
	res, err := clientOf(func(_ http.ResponseWriter, r *http.Request) {
		seen, after = r.Context().Value(key{}), r.Context()
	}).Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Nil(t, seen)
	require.Error(t, after.Err())
}

func TestASlowClientHoldsTheHandlerUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := 0
		var failed error
		res, err := clientOf(func(w http.ResponseWriter, _ *http.Request) {
			chunk := make([]byte, window/4)
			for range 32 {
				n, err := w.Write(chunk)
				if written += n; err != nil {
					failed = err
					return
				}
			}
		}).Get("http://host/")
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, window, written)
		_, err = io.CopyN(io.Discard, res.Body, 3*window)
		require.NoError(t, err)
		synctest.Wait()
		require.InDelta(t, 4*window, written, window/4)
		require.NoError(t, res.Body.Close())
		require.Equal(t, errBodyClosed, failed)
	})
}

func TestPanicsAreErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"abort", http.ErrAbortHandler, "unexpected EOF"},
		{"other", "boom", "panic while serving GET /x: boom"},
	} {
		t.Run(test.name+" before the head", func(t *testing.T) {
			_, err := clientOf(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("lost"))
				panic(test.value)
			}).Get("http://host/x")
			require.ErrorContains(t, err, test.want)
		})
		t.Run(test.name+" behind the head", func(t *testing.T) {
			res, err := clientOf(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("seen"))
				w.(http.Flusher).Flush()
				panic(test.value)
			}).Get("http://host/x")
			require.NoError(t, err)
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			require.Equal(t, "seen", string(data))
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnswersWithoutBody(t *testing.T) {
	for _, test := range []struct {
		name, method string
		code         int
	}{{"head", http.MethodHead, 200}, {"no content", http.MethodGet, 204}, {"not modified", http.MethodGet, 304}} {
		t.Run(test.name, func(t *testing.T) {
			req, err := http.NewRequest(test.method, "http://host/", nil)
			require.NoError(t, err)
			res, err := clientOf(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(103)
				w.WriteHeader(test.code)
				_, _ = w.Write([]byte("nothing"))
			}).Do(req)
			require.NoError(t, err)
			defer res.Body.Close()
			data, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			require.Empty(t, data)
			require.Equal(t, test.code, res.StatusCode)
		})
	}
}

func TestTheBodyOfTheRequestIsClosed(t *testing.T) {
	closed := false
	body := closeRecorder{strings.NewReader("x"), &closed}
	req, err := http.NewRequest(http.MethodPost, "http://host/", body)
	require.NoError(t, err)
	res, err := clientOf(func(_ http.ResponseWriter, r *http.Request) {
		require.NoError(t, r.Body.Close())
		require.Equal(t, int64(-1), r.ContentLength)
	}).Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.True(t, closed)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("too late"))
	closed = false
	_, err = Transport(nil).RoundTrip(req.WithContext(ctx))
	require.Error(t, err)
	require.True(t, closed)
}

type closeRecorder struct {
	io.Reader
	closed *bool
}

func (c closeRecorder) Close() error { *c.closed = true; return nil }

func BenchmarkTransport(b *testing.B) {
	answer := bytes.Repeat([]byte("x"), 1000)
	client := clientOf(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", typeJSON)
		_, _ = w.Write(answer)
	})
	b.ReportAllocs()
	for b.Loop() {
		res, err := client.Get("http://host/")
		require.NoError(b, err)
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}
