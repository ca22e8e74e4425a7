package server

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestTurnsGoOneAfterTheOtherAndLeaveNothingBehind(t *testing.T) {
	var all turns
	key := object.Key{Name: "a"}
	var wg sync.WaitGroup
	inside, most := 0, 0
	for range 50 {
		wg.Go(func() {
			writer := all.take(t.Context(), key)
			inside++ // the race detector watches
			most = max(most, inside)
			inside--
			writer.leave()
		})
	}
	wg.Wait()
	require.Equal(t, 1, most)
	require.Empty(t, all.keys)
}

func TestLosersComeBackOneAtATime(t *testing.T) {
	const writers, each, distance = 16, 20, time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		_, err := s.Create(t.Context(), target(""), widget("a", "n", int64(0)), WriteOptions{})
		require.NoError(t, err)
		var attempts atomic.Int32
		together(writers, func(int) {
			for done := 0; done < each; {
				time.Sleep(distance)
				live, err := s.Get(t.Context(), target("a"))
				if err != nil {
					t.Error(err)
					return
				}
				spec := live["spec"].(map[string]any)
				spec["n"] = spec["n"].(int64) + 1
				time.Sleep(distance)
				attempts.Add(1)
				switch _, err := s.Update(t.Context(), target("a"), live, WriteOptions{}); {
				case err == nil:
					done++
				case !object.IsConflict(err):
					t.Error(err)
					return
				}
			}
		})
		got, err := s.Get(t.Context(), target("a"))
		require.NoError(t, err)
		require.EqualValues(t, writers*each, got["spec"].(map[string]any)["n"], "nothing is lost")
		require.Less(t, attempts.Load(), int32(4*writers*each), "without it, each success costs nearly all others an attempt")
	})
}

func TestALoserAloneIsToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		key, began := object.Key{Name: "a"}, time.Now()
		for range 3 {
			w := all.take(t.Context(), key)
			w.end(t.Context(), errOutdated)
			w.leave()
		}
		require.Zero(t, time.Since(began))
		require.Empty(t, all.keys)
	})
}

func TestLosersWhoDontComeBackKeepNobodyLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		key, began := object.Key{Name: "a"}, time.Now()
		together(100, func(int) {
			w := all.take(t.Context(), key)
			w.end(t.Context(), errOutdated)
			w.leave()
		})
		require.LessOrEqual(t, time.Since(began), patience+comeback)
		require.Empty(t, all.keys)
	})
}

func TestLosersBehindALongLineAreToldAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const losers = 100
		var all turns
		var atOnce atomic.Int32
		key, began := object.Key{Name: "a"}, time.Now()
		winner := all.take(t.Context(), key)
		winner.pass()
		together(losers, func(int) {
			w := all.take(t.Context(), key)
			w.end(t.Context(), errOutdated)
			if time.Since(began) == 0 {
				atOnce.Add(1)
			}
			w.leave()
		})
		require.GreaterOrEqual(t, atOnce.Load(), int32(losers-inLine))
		require.Greater(t, time.Since(began), patience-2*comeback, "others have their time")
		winner.leave()
		require.Empty(t, all.keys)
	})
}

func TestNobodyWaitsLongForATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all turns
		key := object.Key{Name: "a"}
		first := all.take(t.Context(), key)

		began := time.Now()
		impatient := all.take(t.Context(), key)
		require.Equal(t, patience, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		gone := all.take(ctx, key)
		require.Equal(t, patience, time.Since(began))

		other := all.take(t.Context(), object.Key{Name: "b"})
		require.Equal(t, patience, time.Since(began))
		for _, w := range []*writer{first, impatient, gone, other} {
			w.leave()
		}
		require.Empty(t, all.keys)
	})
}
