package watch

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestIdleIsWhenAllWatchersWaitForMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, b := newWorld(), New(Options{})
		require.True(t, b.Idle(), "there are none")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		work := make(chan struct{})
		watchers := []*Watcher{
			mustWatch(t, b, WatchOptions{Collection: all(configMaps)}),
			mustWatch(t, b, WatchOptions{Collection: all(leases)}),
		}
		require.False(t, b.Idle(), "none has asked for more")
		for _, w := range watchers {
			go func() {
				for {
					if _, err := w.Next(ctx); err != nil {
						return
					}
					<-work
				}
			}()
		}
		synctest.Wait()
		require.True(t, b.Idle())
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		require.False(t, b.Idle(), "one has yet to wake up")
		synctest.Wait()
		require.False(t, b.Idle(), "one has an event in its hands")
		work <- struct{}{}
		synctest.Wait()
		require.True(t, b.Idle())

		publish(b, world.put(key(leases, "a", "n"), "x"))
		synctest.Wait()
		require.False(t, b.Idle())
		watchers[1].Stop()
		watchers[1].Stop()
		require.True(t, b.Idle(), "one that was stopped is not waited for")
		close(work)
		_, err := b.Watch(ctx, WatchOptions{Collection: all(configMaps), After: 1})
		require.NoError(t, err)
		require.False(t, b.Idle())
	})
}
