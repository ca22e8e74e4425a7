package apitest_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// isSize is the condition that a gadget has a size.
func isSize(size int64) func(object.Object) bool {
	return func(o object.Object) bool {
		v, _ := o.Field("spec", "size")
		return v == size
	}
}

func TestWaitForSeesEveryState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		ctx := t.Context()
		o, err := srv.WaitFor(ctx, first, isSize(1))
		require.NoError(t, err, "it is so already")
		require.Equal(t, "first", o.Name())

		go func() {
			time.Sleep(time.Second)
			patch(t, srv, first, "test", `{"spec":{"size":2}}`) // for a moment only
			patch(t, srv, first, "test", `{"spec":{"size":3}}`)
			_, _, _ = srv.Delete(ctx, first, gc.DeleteOptions{})
		}()
		o, err = srv.WaitFor(ctx, first, isSize(2))
		require.NoError(t, err)
		require.Equal(t, "Gadget", o.Kind())
		o, err = srv.WaitFor(ctx, first, func(o object.Object) bool { return o == nil })
		require.NoError(t, err)
		require.Nil(t, o)
		_, err = srv.WaitFor(ctx, gadget("lab", "never"), func(o object.Object) bool { return o == nil })
		require.NoError(t, err, "it was never there")
	})
}

func TestAVainWaitTellsWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		began := time.Now()
		_, err := srv.WaitFor(t.Context(), first, isSize(9))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 10*time.Second, time.Since(began))
		require.Regexp(t, `(?s)^waiting for gadgets.example.com lab/first: context deadline exceeded; its last state:
apiVersion: example.com/v1
kind: Gadget
.*its history:
9  00:00:00.000  created by apitest
10 .*ready: true
$`, err.Error())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = srv.WaitFor(ctx, gadget("lab", "never"), isSize(9))
		require.EqualError(t, err, "waiting for gadgets.example.com lab/never: context deadline exceeded; its last state:\nit is not there\nits history:\n(nothing has happened to it)\n")
		require.Equal(t, 70*time.Second, time.Since(began))
		_, err = srv.WaitFor(ctx, gadget("lab", ""), isSize(9))
		require.EqualError(t, err, "waiting for one of gadgets.example.com: the target has no name")
		_, err = srv.WaitFor(ctx, server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "nothing"}, Name: "a"}, isSize(9))
		require.ErrorIs(t, err, object.ErrNotFound)
	})
}

func TestQuietWaitsForWritesAndWorkToEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		ctx := t.Context()
		began := time.Now()
		require.NoError(t, srv.Quiet(ctx, time.Second))
		require.Equal(t, time.Second, time.Since(began))

		var working atomic.Bool
		working.Store(true)
		srv.Hold("the painter", working.Load)
		go func() {
			for range 5 {
				time.Sleep(900 * time.Millisecond)
				patch(t, srv, first, "test", `{"metadata":{"annotations":{"at":"`+time.Now().String()+`"}}}`)
			}
			time.Sleep(1500 * time.Millisecond)
			working.Store(false)
		}()
		began = time.Now()
		require.NoError(t, srv.Quiet(ctx, time.Second))
		require.GreaterOrEqual(t, time.Since(began), 6*time.Second)

		working.Store(true)
		require.EqualError(t, srv.Quiet(ctx, time.Second), "waiting for quiet: context deadline exceeded: the painter held work")
	})
}

func TestQuietWaitsForTheCollectorAndForWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		ctx := t.Context()
		owner := create(t, srv, "owner")
		for _, name := range []string{"a", "b", "c"} {
			create(t, srv, name, reference(owner))
		}
		_, _, err := srv.Delete(ctx, gadget("lab", "owner"), gc.DeleteOptions{})
		require.NoError(t, err)
		require.NoError(t, srv.Quiet(ctx, time.Millisecond))
		require.Equal(t, []string{"first"}, names(t, srv))

		watching, stop := context.WithCancel(ctx)
		defer stop()
		seen := 0
		go func() {
			for _, err := range srv.Watch(watching, gadget("lab", ""), server.ListOptions{ResourceVersion: srv.Version().String()}) {
				if err != nil {
					return
				}
				time.Sleep(time.Second) // a slow one
				seen++
			}
		}()
		synctest.Wait()
		create(t, srv, "x")
		create(t, srv, "y")
		require.NoError(t, srv.Quiet(ctx, time.Millisecond))
		require.Equal(t, 2, seen)
	})
}
