package watch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

// reader is a watcher under test and what it has still to see.
type reader struct {
	*Watcher
	opts WatchOptions
	read int // how many events it has seen
	last object.ResourceVersion
}

// TestWatchersSeeTheLog compares watchers with random collections, selectors and
// starts, read at random moments, with the plain log. The window is so small that
// they fall out of it all the time.
func TestWatchersSeeTheLog(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			world := newWorld()
			o := Options{Count: 1 + rnd.IntN(12)}
			if seed%2 == 0 {
				o.History = world.history
			}
			b := New(o)
			var readers []*reader
			for range 400 {
				switch rnd.IntN(4) {
				case 0:
					publishSome(t, b, world, rnd)
				case 1:
					if r := startReader(t, b, world, rnd); r != nil {
						readers = append(readers, r)
					}
				default:
					if len(readers) > 0 {
						i := rnd.IntN(len(readers))
						if !readSome(t, readers[i], world, rnd, o.History == nil) {
							readers = append(readers[:i], readers[i+1:]...)
						}
					}
				}
			}
		})
	}
}

func publishSome(t *testing.T, b *Broadcaster, world *world, rnd *rand.Rand) {
	var events []object.Event
	for range rnd.IntN(6) {
		events = append(events, world.random(rnd))
	}
	b.Publish(events)
	require.NoError(t, b.window.valid())
	if rnd.IntN(4) == 0 {
		b.Publish(events) // repetitions mean nothing
		require.NoError(t, b.window.valid())
	}
}

func startReader(t *testing.T, b *Broadcaster, world *world, rnd *rand.Rand) *reader {
	o := WatchOptions{Collection: all(configMaps), After: object.ResourceVersion(rnd.IntN(int(world.version) + 3))}
	if rnd.IntN(3) == 0 {
		o.Collection.Namespace = "ns1"
	}
	if rnd.IntN(3) == 0 {
		o.Collection.Name = "n2"
	}
	if rnd.IntN(2) == 0 {
		o.Selector = labelled(t, "l=x")
	}
	if rnd.IntN(4) == 0 {
		fields, err := object.ParseFieldSelector("metadata.name=n1")
		require.NoError(t, err)
		o.Selector.Fields = fields
	}
	w, err := b.Watch(context.Background(), o)
	if err != nil {
		require.ErrorIs(t, err, object.ErrExpired)
		require.Nil(t, b.history)
		return nil
	}
	return &reader{Watcher: w, opts: o, last: o.After}
}

// readSome reads a few of the events that are there; false if the watcher has ended.
func readSome(t *testing.T, r *reader, world *world, rnd *rand.Rand, mayExpire bool) bool {
	want := world.expect(r.opts)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range rnd.IntN(8) {
		if r.read == len(want) {
			_, ok, err := r.TryNext()
			if errors.Is(err, object.ErrExpired) && mayExpire {
				return false
			}
			require.NoError(t, err)
			require.False(t, ok, "there is nothing to see")
			_, err = r.Next(ended)
			require.ErrorIs(t, err, context.Canceled)
			return true
		}
		ev, err := r.Next(context.Background())
		if mayExpire && errors.Is(err, object.ErrExpired) {
			_, again := r.Next(context.Background())
			require.Equal(t, err, again, "for ever after")
			return false
		}
		require.NoError(t, err)
		require.Equal(t, want[r.read], see(ev.Event))
		r.read++
		r.last = ev.Version
		version := r.Version()
		require.GreaterOrEqual(t, version, r.last)
		if r.read < len(want) {
			require.Less(t, version, want[r.read].Version, "it is still to come")
		}
	}
	return true
}
