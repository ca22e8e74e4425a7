package gc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// fakeNamespaces has namespaces whose contents are numbers. It tells the emptier
// nothing unless a test does.
type fakeNamespaces struct {
	mu        sync.Mutex
	objects   map[string]object.Object
	resources []object.GroupVersionResource
	left      map[object.GroupVersionResource]Remaining // of all namespaces
	discovery error                                     // of Resources
	follow    []error                                   // of the first calls of Follow
	log       []string
	panics    atomic.Bool
	marked    func(string)
	gone      func(string)
}

func (f *fakeNamespaces) Follow(_ context.Context, marked, left func(string)) (func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.follow) > 0 {
		err := f.follow[0]
		f.follow = f.follow[1:]
		return nil, err
	}
	f.marked, f.gone = marked, left
	for name := range f.objects {
		marked(name)
	}
	return func() {}, nil
}

func (f *fakeNamespaces) Get(_ context.Context, name string) (object.Object, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, ok := f.objects[name]; ok {
		return o, nil
	}
	return nil, object.NotFound(object.GroupResource{Resource: "namespaces"}, name)
}

func (f *fakeNamespaces) Write(_ context.Context, o object.Object, subresource string) (object.Object, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, subresource)
	f.objects[o.Name()] = o
	if len(specFinalizers(o)) == 0 {
		delete(f.objects, o.Name())
	}
	return o, nil
}

func (f *fakeNamespaces) Resources(context.Context) ([]object.GroupVersionResource, error) {
	if f.panics.Load() {
		panic("what now")
	}
	return f.resources, f.discovery
}

func (f *fakeNamespaces) Empty(_ context.Context, r object.GroupVersionResource, namespace string) (Remaining, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, r.Resource)
	return f.left[r], nil
}

// take gives what happened since the last call.
func (f *fakeNamespaces) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// has says whether a namespace is there.
func (f *fakeNamespaces) has(name string) bool {
	_, err := f.Get(context.Background(), name)
	return err == nil
}

func (f *fakeNamespaces) leave(left map[object.GroupVersionResource]Remaining) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left = left
}

var secrets = object.GroupVersionResource{Version: "v1", Resource: "secrets"}

func terminating(name string, finalizers ...any) object.Object {
	return object.Object{
		"metadata": map[string]any{"name": name, "deletionTimestamp": "2026-01-01T00:00:00Z"},
		"spec":     map[string]any{"finalizers": finalizers},
	}
}

// withEmptier runs one over namespaces "n", which the API holds, in a bubble.
func withEmptier(t *testing.T, f *fakeNamespaces, test func(t *testing.T, e *Emptier)) {
	synctest.Test(t, func(t *testing.T) {
		if f.objects == nil {
			f.objects = map[string]object.Object{"n": terminating("n", "kubernetes")}
		}
		e := NewEmptier(f, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { e.Run(ctx); close(ended) }()
		test(t, e)
		cancel()
		<-ended
	})
}

func TestEmptierTakesPodsFirst(t *testing.T) {
	f := &fakeNamespaces{resources: []object.GroupVersionResource{secrets, pods}}
	f.left = map[object.GroupVersionResource]Remaining{pods: {Objects: 1, Graceful: 1}}
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"pods", "status"}, f.take())
		f.leave(nil)
		f.gone("n")
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"pods", "secrets", "status", "finalize"}, f.take())
	})
}

func TestEmptierLooksAgainWhenHalfIsGone(t *testing.T) {
	f := &fakeNamespaces{resources: []object.GroupVersionResource{secrets}}
	f.left = map[object.GroupVersionResource]Remaining{secrets: {Objects: 10, Finalizers: map[string]int{"x": 10}}}
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"secrets", "status"}, f.take())
		for range 4 {
			f.gone("n")
			f.gone("other")
		}
		require.NoError(t, e.Settle(t.Context()))
		require.Empty(t, f.take())
		f.gone("n")
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"secrets"}, f.take())
	})
}

func TestEmptierFindsOutWhatNobodyTold(t *testing.T) {
	f := &fakeNamespaces{resources: []object.GroupVersionResource{secrets}}
	f.left = map[object.GroupVersionResource]Remaining{secrets: {Objects: 1, Finalizers: map[string]int{"x": 1}}}
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		time.Sleep(time.Hour)
		f.leave(nil)
		time.Sleep(lastDelay)
		synctest.Wait()
		require.False(t, f.has("n"))
	})
}

func TestEmptierWithoutDiscovery(t *testing.T) {
	f := &fakeNamespaces{resources: []object.GroupVersionResource{secrets}, discovery: errors.New("no answer")}
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"secrets", "status"}, f.take(), "what is known is emptied; more may be there")
		o, _ := f.Get(t.Context(), "n")
		require.Contains(t, fmt.Sprint(o["status"]), "message:no answer reason:DiscoveryFailed status:True")
	})
}

func TestEmptierSurvives(t *testing.T) {
	f := &fakeNamespaces{follow: []error{errors.New("not yet")}}
	f.panics.Store(true)
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		require.NoError(t, e.Settle(t.Context()))
		require.True(t, f.has("n"))
		f.panics.Store(false)
		time.Sleep(lastDelay)
		require.NoError(t, e.Settle(t.Context()))
		require.False(t, f.has("n"))
	})
}

func TestEmptierLeavesAlone(t *testing.T) {
	alive := terminating("alive", "kubernetes")
	delete(alive.Metadata(), "deletionTimestamp")
	f := &fakeNamespaces{objects: map[string]object.Object{
		"alive": alive,
		"done":  terminating("done"),
		"other": terminating("other", "example.com/own"),
	}}
	withEmptier(t, f, func(t *testing.T, e *Emptier) {
		require.NoError(t, e.Settle(t.Context()))
		require.Equal(t, []string{"status"}, f.take(), "of the one that others hold")
	})
}
