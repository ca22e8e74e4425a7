package apitest_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// park is a goroutine that somebody has forgotten.
func park(until <-chan struct{}) { <-until }

func TestGoroutinesThatAreLeftFailTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &life{TB: t}
		apitest.New(inner)
		until := make(chan struct{})
		go park(until)
		require.Regexp(t, `(?s)^goroutines are left over:\n1 @ .*apitest_test.park\+`, inner.end())
		close(until)
	})
}

func TestGoroutinesAreKnownByTheServerTheyCameAfter(t *testing.T) {
	before, after := make(chan struct{}), make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { park(before) })
	inner := &life{TB: t}
	apitest.New(inner, apitest.IgnoreGoroutines("github.com/seed-6c0fa0ad/plinth/server/apitest_test.park"))
	running.Go(func() { park(after) })
	other := make(chan struct{})
	running.Go(func() { <-other })
	inner.Cleanup(func() { close(other) })
	require.Empty(t, inner.end(), "one began before, one is ignored, one was ended")
	close(before)
	close(after)
	running.Wait()
}

func TestWatchesThatAreLeftFailTheTest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := &life{TB: t}
		srv := newWorld(inner)
		answer := ask(t, srv, http.MethodGet, "/apis/example.com/v1/gadgets?watch=true", "")
		require.Contains(t, inner.end(), "a watch is left over, open since 00:00:00.000: GET /apis/example.com/v1/gadgets?watch=true by tester/1\n")
		require.NoError(t, answer.Body.Close())
	})
}

func TestWatchesThatACleanupEndsAreFine(t *testing.T) {
	inner := &life{TB: t}
	srv := newWorld(inner)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api/apis/example.com/v1/gadgets?watch=true", nil)
	require.NoError(t, err)
	answer, err := srv.Transport().RoundTrip(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	inner.Cleanup(cancel)
	require.Empty(t, inner.end())
}

func TestAFailedTestTellsWhatWasWritten(t *testing.T) {
	inner := &life{TB: t}
	srv := newWorld(inner)
	for range 30 {
		patch(t, srv, first, "fidget", `{"spec":{"size":5}}`)
		patch(t, srv, first, "fidget", `{"spec":{"size":6}}`)
	}
	create(t, srv, "other")
	require.Contains(t, srv.Record(), "Written by fidget:\n  … 40 earlier ones\n")
	inner.Errorf("something is wrong")
	told := inner.end()
	require.Contains(t, told, "spec.size: 5 -> 6\n")
	require.Regexp(t, `(?s)Written by test:\n  \d+  [0-9:.]+  gadgets.example.com/lab/other created\n`, told)
}
