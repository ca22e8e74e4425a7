package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// together runs n functions side by side and waits for them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func TestPatchesOfOneObjectAllSucceed(t *testing.T) {
	const writers, patches = 16, 20
	s := newWorld(t, widgets())
	_, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	together(writers, func(i int) {
		for j := range patches {
			patch := fmt.Sprintf(`{"spec":{"w%d-%d":%d}}`, i, j, j)
			if i%2 == 0 {
				answer := ask(t, s, http.MethodPatch, widgetsPath+"/a", patch, "Content-Type", string(apply.MergePatch))
				if answer.StatusCode != http.StatusOK {
					t.Errorf("%s: %s", patch, answer.Status)
				}
				_ = answer.Body.Close()
				continue
			}
			if _, err := s.Patch(t.Context(), target("a"), apply.MergePatch, []byte(patch), WriteOptions{}); err != nil {
				t.Errorf("%s: %v", patch, err)
			}
		}
	})
	got, err := s.Get(t.Context(), target("a"))
	require.NoError(t, err)
	require.Len(t, got["spec"], writers*patches)
	require.EqualValues(t, writers*patches+1, got.Generation(), "each of them is a change of its own")
}

func TestOneOfManyCreatesWins(t *testing.T) {
	s := newWorld(t, widgets(), tickets())
	var won, lost atomic.Int32
	together(50, func(i int) {
		switch _, err := s.Create(t.Context(), target(""), widget("a", "by", int64(i)), WriteOptions{}); {
		case err == nil:
			won.Add(1)
		case object.IsAlreadyExists(err):
			lost.Add(1)
		}
	})
	require.EqualValues(t, 1, won.Load())
	require.EqualValues(t, 49, lost.Load())
}

func TestOneOfManyPutsCreates(t *testing.T) {
	for name, test := range map[string]struct {
		versioned bool
		others    int
	}{"and the others update": {false, http.StatusOK}, "and the others name no version": {true, http.StatusUnprocessableEntity}} {
		t.Run(name, func(t *testing.T) {
			r := tickets()
			r.VersionedUpdate = test.versioned
			s := newWorld(t, r)
			var counts [600]atomic.Int32
			together(50, func(i int) {
				body := fmt.Sprintf(`{"metadata":{"name":"a"},"by":%d}`, i)
				answer := ask(t, s, http.MethodPut, "/apis/example.com/v1/namespaces/default/tickets/a", body)
				counts[answer.StatusCode].Add(1)
				_ = answer.Body.Close()
			})
			require.EqualValues(t, 1, counts[http.StatusCreated].Load())
			require.EqualValues(t, 49, counts[test.others].Load())
		})
	}
}

func TestUpdatesOfOneVersionSucceedOnce(t *testing.T) {
	s := newWorld(t, widgets())
	o, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	var won, lost atomic.Int32
	together(50, func(i int) {
		next := o.DeepCopy()
		next["spec"] = map[string]any{"by": int64(i)}
		switch _, err := s.Update(t.Context(), target("a"), next, WriteOptions{}); {
		case err == nil:
			won.Add(1)
		case object.IsConflict(err):
			lost.Add(1)
		}
	})
	require.EqualValues(t, 1, won.Load())
	require.EqualValues(t, 49, lost.Load())
}

func TestDeletesOfOneObjectSucceedOnce(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 1, "")
	var removed atomic.Int32
	together(50, func(int) {
		_, gone, err := s.Delete(t.Context(), target("w0"), gc.DeleteOptions{})
		if gone && err == nil {
			removed.Add(1)
		} else if !object.IsNotFound(err) {
			t.Errorf("removed %v: %v", gone, err)
		}
	})
	require.EqualValues(t, 1, removed.Load())
}

// change is what a log and a watch have in common.
type seenChange struct {
	Type    object.EventType
	Name    string
	Version string
}

// TestWatchersSeeTheLog lets writers write, watchers watch and readers list, and
// holds what the latter two saw against the store's own log.
func TestWatchersSeeTheLog(t *testing.T) {
	const writers, writes, watchers = 8, 60, 6
	s := newWorld(t, widgets())
	var log []object.Event // of the store's feed, which is one goroutine at a time
	_, cancel := s.config.Store.Subscribe(func(events []object.Event) { log = append(log, events...) })
	watched := make([][]seenChange, watchers)
	starts := make([]object.ResourceVersion, watchers)
	var observers sync.WaitGroup
	for i := range watchers {
		starts[i] = s.config.Store.Version()
		observers.Go(func() { watched[i] = watchUntil(t, s, starts[i], "zzz") })
		together(writers, func(w int) { writeMany(t, s, w, writes/watchers) })
		checkList(t, s, &log)
	}
	_, err := s.Create(t.Context(), target(""), widget("zzz"), WriteOptions{})
	require.NoError(t, err)
	observers.Wait()
	cancel()
	for i := range watchers {
		var want []seenChange
		for _, e := range log {
			if e.Version > starts[i] {
				want = append(want, seenChange{e.Type, e.Key.Name, e.Version.String()})
			}
		}
		require.Equal(t, want, watched[i])
	}
}

// writeMany makes changes to a few objects that other writers change, too; some fail.
func writeMany(t testing.TB, s *Server, writer, n int) {
	for i := range n {
		name := fmt.Sprint("w", (writer+i)%5)
		var err error
		switch i % 4 {
		case 0, 3:
			_, err = s.Create(t.Context(), target(""), widget(name), WriteOptions{})
		case 1:
			patch := fmt.Sprintf(`{"spec":{"n":"%d-%d"}}`, writer, i)
			_, err = s.Patch(t.Context(), target(name), apply.MergePatch, []byte(patch), WriteOptions{})
		case 2:
			_, _, err = s.Delete(t.Context(), target(name), gc.DeleteOptions{})
		}
		if err != nil && !object.IsNotFound(err) && !object.IsAlreadyExists(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// watchUntil watches over HTTP until an object of that name comes.
func watchUntil(t testing.TB, s *Server, after object.ResourceVersion, last string) (seen []seenChange) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for f := range watchFrames(t, ctx, s, widgetsPath+"?watch=1&resourceVersion="+after.String()) {
		seen = append(seen, seenChange{f.event, f.object.Name(), f.object.ResourceVersion()})
		if f.object.Name() == last {
			return seen
		}
	}
	t.Errorf("the watch ended after %d events", len(seen))
	return seen
}

// checkList compares a list with the log up to its version. No writer is under way.
func checkList(t testing.TB, s *Server, log *[]object.Event) {
	t.Helper()
	answer := ask(t, s, http.MethodGet, widgetsPath, "")
	defer answer.Body.Close()
	var list struct {
		Metadata object.ListMeta
		Items    []object.Object
	}
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&list))
	want := map[string]string{}
	for _, e := range *log {
		want[e.Key.Name] = e.Version.String()
		if e.Type == object.Deleted {
			delete(want, e.Key.Name)
		}
	}
	got := map[string]string{}
	for _, o := range list.Items {
		got[o.Name()] = o.ResourceVersion()
	}
	require.Equal(t, want, got)
	require.Equal(t, s.config.Store.Version().String(), list.Metadata.ResourceVersion)
}

func TestCollectionsAreDeletedWhileOthersWrite(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 300, strings.Repeat("x", 100))
	together(4, func(i int) {
		if i == 0 {
			writeMany(t, s, i, 100)
			return
		}
		if err := s.DeleteCollection(t.Context(), target(""), ListOptions{}, gc.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, s.DeleteCollection(t.Context(), target(""), ListOptions{}, gc.DeleteOptions{}))
	items, _, err := s.List(t.Context(), target(""), ListOptions{})
	require.NoError(t, err)
	require.Empty(t, items)
}

func TestResourcesComeAndGoUnderLoad(t *testing.T) {
	s := newWorld(t, widgets())
	together(4, func(i int) {
		for range 50 {
			if i == 0 {
				if err := s.Add(crates()); err != nil {
					t.Error(err)
				}
				s.Remove(object.GroupResource{Group: "example.com", Resource: "crates"})
				continue
			}
			for _, path := range []string{"/apis/example.com/v1/crates", "/apis/example.com/v1", "/openapi/v3", widgetsPath} {
				answer := ask(t, s, http.MethodGet, path, "")
				if code := answer.StatusCode; code != http.StatusOK && code != http.StatusNotFound {
					t.Errorf("%s: %s", path, answer.Status)
				}
				_ = answer.Body.Close()
			}
		}
	})
}
