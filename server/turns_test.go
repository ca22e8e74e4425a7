package server

import (
	"context"
	"sync"
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
			done := all.take(t.Context(), key)
			inside++ // the race detector watches
			most = max(most, inside)
			inside--
			done()
		})
	}
	wg.Wait()
	require.Equal(t, 1, most)
	require.Empty(t, all.keys)
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
		for _, done := range []func(){first, impatient, gone, other} {
			done()
		}
		require.Empty(t, all.keys)
	})
}
