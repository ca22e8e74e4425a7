package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// graceful are widgets that are given as much time to end as a DELETE asks for, or none.
func graceful() Resource {
	r := widgets()
	r.Grace = func(_ object.Object, asked *int64) int64 {
		if asked == nil {
			return 0
		}
		return *asked
	}
	return r
}

// TestClientsThatLeaveDontInterruptADeletion: the object is gone although the client is,
// between the two writes.
func TestClientsThatLeaveDontInterruptADeletion(t *testing.T) {
	s := newWorld(t, graceful())
	fill(t, s, 1, "")
	ctx, leave := context.WithCancel(t.Context())
	var seen []object.EventType
	_, cancel := s.config.Store.Subscribe(func(events []object.Event) {
		leave()
		for _, e := range events {
			seen = append(seen, e.Type)
		}
	})
	defer cancel()
	_, removed, err := s.Delete(ctx, target("w0"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.True(t, removed)
	require.True(t, isGone(t, s, target("w0")))
	require.Equal(t, []object.EventType{object.Modified, object.Deleted}, seen)

	fill(t, s, 1, "")
	_, _, err = s.Delete(ctx, target("w0"), gc.DeleteOptions{})
	require.ErrorIs(t, err, context.Canceled, "a client that left before gets neither")
	require.False(t, isGone(t, s, target("w0")))
}

// TestEmptiersFinishDeletions: what a crash left between the two writes is no obstacle.
func TestEmptiersFinishDeletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, emptied(), graceful())
		makeNamespace(t, s, "n")
		put(t, s, within("n", "widgets", "a"))
		interruptDeletion(t, s, within("n", "widgets", "a"))
		e := startEmptier(t, s)
		deleteNamespace(t, s, "n")
		e.settle()
		require.True(t, isGone(t, s, within("n", "widgets", "a")))
	})
}

// interruptDeletion marks an object as a deletion without grace does, and leaves it there.
func interruptDeletion(t *testing.T, s *Server, target Target) {
	t.Helper()
	c, err := s.call(t.Context(), target, WriteOptions{})
	require.NoError(t, err)
	live, err := c.live(t.Context())
	require.NoError(t, err)
	o, err := c.fromStored(live)
	require.NoError(t, err)
	next, outcome, err := gc.BeginDelete(o, gc.DeleteOptions{}, c.Grace, time.Now())
	require.NoError(t, err)
	require.Equal(t, gc.Finish, outcome)
	_, err = c.mark(t.Context(), live, next)
	require.NoError(t, err)
}
