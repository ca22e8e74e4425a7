package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// emptied are namespaces as an emptier needs them.
func emptied() Resource {
	r := namespaces()
	r.Subresources = append(r.Subresources, Subresource{Name: "status", Verbs: []string{"get", "patch", "update"}})
	r.Protected = []string{"default"}
	return r
}

// emptier is one that runs until the test ends or stop is called.
type emptier struct {
	*gc.Emptier
	t    *testing.T
	stop func()
}

func startEmptier(t *testing.T, s *Server) *emptier {
	e := &emptier{Emptier: gc.NewEmptier(s.Namespaces(), slog.New(slog.DiscardHandler)), t: t}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { e.Run(ctx) })
	e.stop = func() { cancel(); running.Wait() }
	t.Cleanup(e.stop)
	return e
}

func (e *emptier) settle() {
	e.t.Helper()
	require.NoError(e.t, e.Settle(e.t.Context()))
}

func namespaceTarget(name string) Target {
	return Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: name}
}

// makeNamespace makes one that is held until it is empty.
func makeNamespace(t *testing.T, s *Server, name string) {
	t.Helper()
	_, err := s.Create(t.Context(), namespaceTarget(""), object.Object{
		"metadata": map[string]any{"name": name}, "spec": map[string]any{"finalizers": []any{"kubernetes"}},
	}, WriteOptions{})
	require.NoError(t, err)
}

func deleteNamespace(t *testing.T, s *Server, name string) {
	t.Helper()
	_, removed, err := s.Delete(t.Context(), namespaceTarget(name), gc.DeleteOptions{})
	require.NoError(t, err)
	require.False(t, removed)
}

func isGone(t *testing.T, s *Server, target Target) bool {
	_, err := s.Get(t.Context(), target)
	if err != nil {
		require.True(t, object.IsNotFound(err), err)
	}
	return err != nil
}

// within names an object of a kind in a namespace.
func within(namespace, plural, name string) Target {
	return Target{
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: plural},
		Namespace: namespace, Name: name,
	}
}

// put creates an object in a namespace, held by finalizers.
func put(t *testing.T, s *Server, target Target, finalizers ...string) {
	t.Helper()
	o := object.Object{"metadata": map[string]any{"name": target.Name}}
	o.SetFinalizers(finalizers)
	target.Name = ""
	_, err := s.Create(t.Context(), target, o, WriteOptions{})
	require.NoError(t, err)
}

func release(t *testing.T, s *Server, target Target) {
	t.Helper()
	_, err := s.Patch(t.Context(), target, apply.MergePatch, []byte(`{"metadata":{"finalizers":null}}`), WriteOptions{})
	require.NoError(t, err)
}

// told gives the conditions of a namespace that say that something is left.
func told(t *testing.T, s *Server, name string) (messages []string) {
	t.Helper()
	o, err := s.Get(t.Context(), namespaceTarget(name))
	require.NoError(t, err)
	conditions, _ := o.Field("status", "conditions")
	for _, c := range conditions.([]any) {
		if c := c.(map[string]any); c["status"] == "True" {
			messages = append(messages, c["message"].(string))
		}
	}
	return messages
}

func TestNamespaceWaitsForWhatIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), widgets(), tickets())
		makeNamespace(t, s, "n")
		put(t, s, within("n", "widgets", "a"), "example.com/hold")
		put(t, s, within("n", "widgets", "b"))
		put(t, s, within("n", "tickets", "c"), "example.com/hold", "example.com/more")
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()

		require.True(t, isGone(t, s, within("n", "widgets", "b")))
		require.Equal(t, []string{
			"Some resources are remaining: tickets.example.com has 1 resource instances, widgets.example.com has 1 resource instances",
			"Some content in the namespace has finalizers remaining: example.com/hold in 2 resource instances, example.com/more in 1 resource instances",
		}, told(t, s, "n"))

		time.Sleep(10 * time.Minute)
		version := s.config.Store.Version()
		time.Sleep(10 * time.Minute)
		require.Equal(t, version, s.config.Store.Version(), "nothing is written while nothing changes")

		release(t, s, within("n", "tickets", "c"))
		e.settle()
		require.Equal(t, []string{
			"Some resources are remaining: widgets.example.com has 1 resource instances",
			"Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
		}, told(t, s, "n"))

		release(t, s, within("n", "widgets", "a"))
		e.settle()
		require.True(t, isGone(t, s, namespaceTarget("n")))
	})
}

func TestNamespaceGoesOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), widgets())
		makeNamespace(t, s, "n")
		makeNamespace(t, s, "before")
		put(t, s, within("n", "widgets", "a"), "example.com/hold")
		deleteNamespace(t, s, "before") // while nobody looks
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()
		require.True(t, isGone(t, s, namespaceTarget("before")))
		e.stop()
		release(t, s, within("n", "widgets", "a"))
		synctest.Wait()
		require.False(t, isGone(t, s, namespaceTarget("n")))

		startEmptier(t, s).settle()
		require.True(t, isGone(t, s, namespaceTarget("n")))
	})
}

func TestNamespaceThatOthersHoldToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), widgets())
		o := object.Object{"metadata": map[string]any{"name": "n"}, "spec": map[string]any{"finalizers": []any{"kubernetes", "example.com/own"}}}
		_, err := s.Create(t.Context(), namespaceTarget(""), o, WriteOptions{})
		require.NoError(t, err)
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()
		live, err := s.Get(t.Context(), namespaceTarget("n"))
		require.NoError(t, err)
		require.Equal(t, map[string]any{"finalizers": []any{"example.com/own"}}, live["spec"])
		live["spec"] = map[string]any{}
		finalize := namespaceTarget("n")
		finalize.Subresource = "finalize"
		_, err = s.Update(t.Context(), finalize, live, WriteOptions{})
		require.NoError(t, err)
		require.True(t, isGone(t, s, namespaceTarget("n")))
	})
}

func TestNamespaceDeletedInTheForeground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kind := emptied()
		kind.HeldByPolicy = true
		s := newWorld(t, kind, widgets())
		makeNamespace(t, s, "n")
		e := startEmptier(t, s)
		policy := gc.Foreground
		o, _, err := s.Delete(t.Context(), namespaceTarget("n"), gc.DeleteOptions{PropagationPolicy: &policy})
		require.NoError(t, err)
		require.Equal(t, []string{object.FinalizerForeground}, o.Finalizers())
		e.settle()
		o, err = s.Get(t.Context(), namespaceTarget("n"))
		require.NoError(t, err)
		require.Empty(t, o["spec"].(map[string]any)["finalizers"], "the contents do not hold it")
		release(t, s, namespaceTarget("n"))
		require.True(t, isGone(t, s, namespaceTarget("n")))
	})
}

func TestOneKindThatFailsKeepsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		broken.Store(true)
		brittle := tickets()
		brittle.Held = func(object.Object) bool {
			if broken.Load() {
				panic("broken")
			}
			return false
		}
		s := newWorld(t, emptied(), brittle, widgets())
		makeNamespace(t, s, "n")
		put(t, s, within("n", "tickets", "a"))
		put(t, s, within("n", "widgets", "b"))
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()
		require.True(t, isGone(t, s, within("n", "widgets", "b")))
		require.Equal(t, []string{"Failed to delete all resource types, 1 remaining: Internal error occurred: panic while serving: broken"}, told(t, s, "n"))

		synctest.Wait()
		broken.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.True(t, isGone(t, s, namespaceTarget("n")), "what failed is tried again")
	})
}

func TestLargeNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), widgets(), tickets())
		const n = 3000
		for _, namespace := range []string{"a", "b", "c"} {
			makeNamespace(t, s, namespace)
			for i := range n {
				put(t, s, within(namespace, "widgets", fmt.Sprint("w", i)))
			}
		}
		put(t, s, within("b", "tickets", "last"), "example.com/hold")
		e := startEmptier(t, s)
		deleteNamespace(t, s, "a")
		deleteNamespace(t, s, "b")
		e.settle()
		require.True(t, isGone(t, s, namespaceTarget("a")))
		require.Contains(t, told(t, s, "b"), "Some resources are remaining: tickets.example.com has 1 resource instances")
		release(t, s, within("b", "tickets", "last"))
		e.settle()
		require.True(t, isGone(t, s, namespaceTarget("b")))
		left, _, err := s.List(t.Context(), within("", "widgets", ""), ListOptions{})
		require.NoError(t, err)
		require.Len(t, left, n, "the neighbour keeps its objects")
	})
}

// Objects that are released one by one cost few looks at those that are left.
func TestReleasesOfManyObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), widgets())
		makeNamespace(t, s, "n")
		const n = 1000
		for i := range n {
			put(t, s, within("n", "widgets", fmt.Sprint("w", i)), "example.com/hold")
		}
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()
		reports, version := 0, s.config.Store.Version()
		for i := range n {
			release(t, s, within("n", "widgets", fmt.Sprint("w", i)))
			e.settle()
		}
		require.True(t, isGone(t, s, namespaceTarget("n")))
		for e, err := range s.config.Store.History(t.Context(), object.Key{GroupResource: object.GroupResource{Resource: "namespaces"}}, version) {
			require.NoError(t, err)
			if e.Type == object.Modified {
				reports++
			}
		}
		require.LessOrEqual(t, reports, 12)
	})
}

func TestCustomResourcesInANamespaceThatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorldOf(t, Config{Resources: []Resource{emptied()}, CustomResources: &CustomResources{}})
		define := func(group string) {
			definition := strings.Replace(gears(group, `"teeth":{"type":"integer"}`), `"Cluster"`, `"Namespaced"`, 1)
			w := requestOf(t, s, http.MethodPost, definitionsPath, definition)
			require.Equal(t, http.StatusCreated, w.Code, w.Body)
			synctest.Wait()
		}
		cog := func(group string) Target {
			return Target{Resource: object.GroupVersionResource{Group: group, Version: "v1", Resource: "gears"}, Namespace: "n", Name: "cog"}
		}
		makeNamespace(t, s, "n")
		e := startEmptier(t, s)
		define("ex.org")
		define("other.org")
		put(t, s, cog("ex.org"), "example.com/hold")
		put(t, s, cog("other.org"))
		deleteNamespace(t, s, "n")
		e.settle()
		require.True(t, isGone(t, s, cog("other.org")))
		require.Equal(t, "Some resources are remaining: gears.ex.org has 1 resource instances", told(t, s, "n")[0])

		// Their definition goes, too; both wait for the same object.
		require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
		synctest.Wait()
		require.False(t, isGone(t, s, namespaceTarget("n")))
		release(t, s, cog("ex.org"))
		synctest.Wait()
		require.True(t, isGone(t, s, namespaceTarget("n")))
		require.Equal(t, http.StatusNotFound, requestOf(t, s, http.MethodGet, definitionsPath+"/gears.ex.org", "").Code)
	})
}

// Whoever creates objects while their namespace goes leaves none behind.
func TestCreationWhileTheNamespaceGoes(t *testing.T) {
	s := newWorld(t, emptied(), widgets())
	startEmptier(t, s)
	for range 5 {
		makeNamespace(t, s, "n")
		var writers sync.WaitGroup
		stop := make(chan struct{})
		for w := range 8 {
			writers.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
						_, _ = s.Create(t.Context(), within("n", "widgets", ""), widget(fmt.Sprintf("w%d-%d", w, i)), WriteOptions{})
					}
				}
			})
		}
		time.Sleep(2 * time.Millisecond) // some are created before, some are not
		deleteNamespace(t, s, "n")
		require.Eventually(t, func() bool { return isGone(t, s, namespaceTarget("n")) }, 10*time.Second, 100*time.Microsecond)
		close(stop)
		writers.Wait()
		requireNothingLeft(t, s, object.GroupResource{Group: "example.com", Resource: "widgets"})
	}
}

// A creation that was begun before its namespace was deleted, and takes its time,
// comes too late.
func TestCreationThatComesTooLate(t *testing.T) {
	for _, running := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			slow := widgets()
			slow.Prepare = func(next, old object.Object) {
				if next.Name() == "slow" {
					time.Sleep(time.Minute)
				}
			}
			s := newWorld(t, emptied(), slow)
			if running {
				startEmptier(t, s)
			}
			makeNamespace(t, s, "n")
			late := make(chan error)
			go func() {
				_, err := s.Create(t.Context(), within("n", "widgets", ""), widget("slow"), WriteOptions{})
				late <- err
			}()
			synctest.Wait()
			deleteNamespace(t, s, "n")
			synctest.Wait()
			require.Equal(t, running, isGone(t, s, namespaceTarget("n")), "nobody waits for it")
			if running {
				require.ErrorIs(t, <-late, object.ErrNotFound)
			} else {
				require.ErrorIs(t, <-late, object.ErrForbidden)
			}
			require.True(t, isGone(t, s, within("n", "widgets", "slow")))
		})
	}
}
