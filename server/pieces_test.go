package server

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// listed is a list as a client reads it.
type listed struct {
	Metadata object.ListMeta `json:"metadata"`
	Items    []object.Object `json:"items"`
}

func listOver(t *testing.T, s *Server, path string, query url.Values) (body string, list listed) {
	t.Helper()
	return listInEncoding(t, s, path, query, "identity")
}

func listInEncoding(t *testing.T, s *Server, path string, query url.Values, encoding string) (body string, list listed) {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path+"?"+query.Encode(), nil)
	r.Header.Set("Accept-Encoding", encoding)
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	data := w.Body.Bytes()
	if w.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		z.Multistream(false) // which not all clients read
		data, err = io.ReadAll(z)
		require.NoError(t, err)
		require.Zero(t, w.Body.Len())
	}
	require.NoError(t, json.Unmarshal(data, &list))
	return string(data), list
}

// endOfInitial ends the watch it records once its initial events are there.
type endOfInitial struct {
	*httptest.ResponseRecorder
	end func()
}

func (w endOfInitial) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(initialEventsEnd)) {
		w.end()
	}
	return w.ResponseRecorder.Write(p)
}

// streamOver gives the objects that a streaming list brings, and the version of its bookmark.
func streamOver(t *testing.T, s *Server, path string) (names []string, version string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := endOfInitial{httptest.NewRecorder(), cancel}
	query := "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path+query, nil))
	for frames := json.NewDecoder(w.Body); ; {
		var e struct {
			Type   object.EventType
			Object object.Object
		}
		require.NoError(t, frames.Decode(&e))
		if e.Type == object.Bookmark {
			return names, e.Object.ResourceVersion()
		}
		require.Equal(t, object.Added, e.Type)
		names = append(names, e.Object.Namespace()+"/"+e.Object.Name())
	}
}

// large is a widget of which a chunk holds few.
func large(name string) object.Object {
	return widget(name, "text", strings.Repeat("x", chunkSize/10))
}

// sent counts the pieces that wait for another list.
func (p *pieces) sent() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, asked := range p.known {
		if asked.kept.Value() != nil {
			n++
		}
	}
	return n
}

func TestAListThatIsReadAgainIsReadOnce(t *testing.T) {
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would take what is asserted here
	s := newWorld(t, widgets(), tickets())
	for i := range 25 {
		_, err := s.Create(t.Context(), target(""), large(fmt.Sprintf("w%02d", i)), WriteOptions{})
		require.NoError(t, err)
	}
	found, ok := s.resources.Load().find(target("").Resource)
	require.True(t, ok)

	first, _ := listOver(t, s, widgetsPath, nil)
	require.Zero(t, found.pieces.sent(), "nobody has come again")
	second, _ := listOver(t, s, widgetsPath, nil)
	require.Equal(t, first, second)
	require.Equal(t, 3, found.pieces.sent())
	third, _ := listOver(t, s, widgetsPath, nil)
	require.Equal(t, first, third)
	for _, sent := range []int{3, 6, 6} {
		compressed, _ := listInEncoding(t, s, widgetsPath, nil, "gzip")
		require.Equal(t, first, compressed)
		require.Equal(t, sent, found.pieces.sent(), "what is compressed is shared, too")
	}

	other := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "tickets"}, Namespace: "default"}
	_, err := s.Create(t.Context(), other, object.Object{"metadata": map[string]any{"name": "a"}}, WriteOptions{})
	require.NoError(t, err)
	_, list := listOver(t, s, widgetsPath, nil)
	require.Equal(t, s.config.Store.Version().String(), list.Metadata.ResourceVersion, "a list is as new as the store")
	require.Len(t, list.Items, 25)
	require.Equal(t, 6, found.pieces.sent(), "and what others write doesn't make its objects old")

	_, _, err = s.Delete(t.Context(), target("w07"), gc.DeleteOptions{})
	require.NoError(t, err)
	_, list = listOver(t, s, widgetsPath, nil)
	require.Len(t, list.Items, 24)

	runtime.GC()
	require.Zero(t, found.pieces.sent())

	names, version := streamOver(t, s, widgetsPath)
	require.Len(t, names, 24)
	require.Zero(t, found.pieces.sent())
	for range 2 {
		again, at := streamOver(t, s, widgetsPath)
		require.Equal(t, names, again)
		require.Equal(t, version, at)
		require.NotZero(t, found.pieces.sent(), "streaming lists share theirs")
	}
}

func TestCopiesThatNobodyFindsAreMadeMoreSeldom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // garbage is collected where the test says so
	s := newWorld(t, widgets())
	for i := range 7 {
		_, err := s.Create(t.Context(), target(""), large(fmt.Sprint("w", i)), WriteOptions{})
		require.NoError(t, err)
	}
	found, ok := s.resources.Load().find(target("").Resource)
	require.True(t, ok)
	madeAt := func(encoding string, lists int) (at []int) {
		for i := range lists {
			runtime.GC()
			listInEncoding(t, s, widgetsPath, nil, encoding)
			if found.pieces.sent() > 0 {
				at = append(at, i+1)
			}
		}
		return at
	}
	require.Equal(t, []int{2, 6, 14}, madeAt("identity", 14))
	listOver(t, s, widgetsPath, nil) // finds one
	require.Equal(t, []int{2, 6}, madeAt("identity", 6))
	require.Equal(t, []int{2, 3, 4, 5, 6}, madeAt("gzip", 6), "compressing is worth it")
}

// TestListsShowTheirVersion holds lists that share what they sent against lists that don't.
func TestListsShowTheirVersion(t *testing.T) {
	s := newWorld(t, widgets())
	random := rand.New(rand.NewPCG(1, 2))
	write := func() {
		name := "w" + strconv.Itoa(random.IntN(40))
		in := target(name)
		in.Namespace = []string{"a", "b"}[random.IntN(2)]
		if _, _, err := s.Delete(t.Context(), in, gc.DeleteOptions{}); err == nil {
			return
		}
		in.Name = ""
		_, err := s.Create(t.Context(), in, large(name), WriteOptions{})
		require.NoError(t, err)
	}
	for range 40 {
		write()
	}
	for range 60 {
		if random.IntN(3) == 0 {
			write()
		}
		path, in := "/apis/example.com/v1/widgets", Target{Resource: target("").Resource}
		if random.IntN(2) == 0 {
			path, in.Namespace = "/apis/example.com/v1/namespaces/a/widgets", "a"
		}
		if random.IntN(3) == 0 {
			items, m, err := s.List(t.Context(), in, ListOptions{})
			require.NoError(t, err)
			names, version := streamOver(t, s, path)
			require.Equal(t, namesOf(items), names)
			require.Equal(t, m.ResourceVersion, version)
			continue
		}
		opts, query := ListOptions{}, url.Values{}
		if random.IntN(2) == 0 {
			opts.Limit = 1 + int64(random.IntN(25))
			query.Set("limit", strconv.FormatInt(opts.Limit, 10))
		}
		for {
			encoding := []string{"gzip", "identity"}[random.IntN(2)]
			_, got := listInEncoding(t, s, path, query, encoding)
			items, m, err := s.List(t.Context(), in, opts)
			require.NoError(t, err)
			require.Equal(t, m, got.Metadata)
			require.Equal(t, namesOf(items), namesOf(got.Items))
			if m.Continue == "" {
				break
			}
			opts.Continue = m.Continue
			query.Set("continue", m.Continue)
			if random.IntN(3) == 0 {
				write()
			}
		}
	}
}

func namesOf(objects []object.Object) (names []string) {
	for _, o := range objects {
		names = append(names, o.Namespace()+"/"+o.Name())
	}
	return names
}

func TestListsBesideWriters(t *testing.T) {
	s := newWorld(t, widgets())
	var clients sync.WaitGroup
	for i := range 3 {
		clients.Go(func() {
			for j := range 12 {
				_, err := s.Create(t.Context(), target(""), large(fmt.Sprintf("w-%d-%d", i, j)), WriteOptions{})
				assert.NoError(t, err)
			}
		})
		clients.Go(func() {
			for range 20 {
				_, got := listOver(t, s, widgetsPath, nil)
				then := ListOptions{ResourceVersion: got.Metadata.ResourceVersion, ResourceVersionMatch: "Exact"}
				items, _, err := s.List(t.Context(), target(""), then)
				assert.NoError(t, err)
				assert.Equal(t, namesOf(items), namesOf(got.Items))
			}
		})
	}
	clients.Wait()
}
