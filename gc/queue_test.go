package gc

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQueueGivesOutAKeyOnceAtATime(t *testing.T) {
	q := newQueue[string]()
	q.add("a")
	q.add("a")
	q.add("b")
	a, _ := q.next(t.Context())
	b, _ := q.next(t.Context())
	require.Equal(t, []string{"a", "b"}, []string{a, b})

	q.add("a") // while it is worked on
	require.Empty(t, q.ready)
	q.done("b", false)
	q.done("a", false)
	a, _ = q.next(t.Context())
	require.Equal(t, "a", a)
	q.done("a", false)
	require.Empty(t, q.entries)
	require.NoError(t, q.settled(t.Context()))
}

func TestQueueDelaysFailuresLongerAndLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[string]()
		defer q.close()
		q.add("a")
		for want := firstDelay; want < lastDelay; want *= 2 {
			_, ok := q.next(t.Context())
			require.True(t, ok)
			began := time.Now()
			q.done("a", true)
			require.NoError(t, q.settled(t.Context()), "what failed is not waited for")
			_, ok = q.next(t.Context())
			require.True(t, ok)
			require.Equal(t, want, time.Since(began))
			q.done("a", true)
			q.add("a") // does not wait
			q.entries["a"].failures--
		}
	})
}

func TestQueueForgetsFailuresAfterASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[string]()
		defer q.close()
		for range 3 {
			q.add("a")
			_, _ = q.next(t.Context())
			began := time.Now()
			q.done("a", true)
			_, _ = q.next(t.Context())
			require.Equal(t, firstDelay, time.Since(began))
			q.done("a", false)
		}
	})
}

func TestQueueDelaysWhatFailsEvenIfItWasAddedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[string]()
		defer q.close()
		q.add("a")
		_, _ = q.next(t.Context())
		began := time.Now()
		q.add("a")
		q.done("a", true)
		_, _ = q.next(t.Context())
		require.Equal(t, firstDelay, time.Since(began))
	})
}

func TestQueueEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[string]()
		ended := make(chan bool)
		go func() { _, ok := q.next(context.Background()); ended <- ok }()
		synctest.Wait()
		q.close()
		require.False(t, <-ended)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, ok := newQueue[string]().next(ctx)
		require.False(t, ok)
	})
}

func TestServeWorksOnManyKeysSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue[int]()
		ctx, cancel := context.WithCancel(t.Context())
		var mu sync.Mutex
		working, most := 0, 0
		times := map[int]int{}
		served := make(chan struct{})
		go func() {
			defer close(served)
			q.serve(ctx, 3, func(key int) (failed bool) {
				mu.Lock()
				working++
				most = max(most, working)
				times[key]++
				again := key == 7 && times[key] == 1
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				working--
				mu.Unlock()
				return again
			})
		}()
		q.add(0)
		require.NoError(t, q.settled(ctx))
		require.Equal(t, 1, most)
		for key := range 10 {
			q.add(key)
		}
		time.Sleep(time.Minute)
		require.NoError(t, q.settled(ctx))
		mu.Lock()
		require.Equal(t, 3, most)
		require.Equal(t, map[int]int{0: 2, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 2, 8: 1, 9: 1}, times)
		mu.Unlock()
		q.add(0)
		synctest.Wait()
		began := time.Now()
		cancel()
		<-served
		require.Equal(t, time.Second, time.Since(began), "what is under way is waited for")
	})
}
