package watch

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

var background = context.Background()

func publish(b *Broadcaster, events ...object.Event) { b.Publish(events) }

func TestSelectorsSeeObjectsEnterAndLeave(t *testing.T) {
	world, b := newWorld(), New(Options{})
	k := key(configMaps, "a", "n")
	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps), Selector: labelled(t, "l=in")})
	for _, label := range []string{"out", "in", "in", "out", "out", "in"} {
		publish(b, world.put(k, label))
	}
	publish(b, world.del(k), world.put(k, "out"), world.del(k))

	require.Equal(t, seen{object.Added, k, 2, "in", 2}, next(t, w))
	require.Equal(t, seen{object.Modified, k, 3, "in", 3}, next(t, w))
	require.Equal(t, seen{object.Deleted, k, 4, "in", 4}, next(t, w), "what was selected last, at the version of the change")
	require.Equal(t, seen{object.Added, k, 6, "in", 6}, next(t, w))
	require.Equal(t, seen{object.Deleted, k, 7, "in", 7}, next(t, w))
	_, ok, err := w.TryNext()
	require.NoError(t, err)
	require.False(t, ok)
	require.EqualValues(t, 9, w.Version())
}

func TestWatchBelowTheWindowIsExpired(t *testing.T) {
	world, b := newWorld(), New(Options{Count: 2, Start: 0})
	k := key(configMaps, "a", "n")
	late := mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
	for range 5 {
		publish(b, world.put(k, "x"))
	}
	check := func(err error, message string) {
		status := object.AsStatus(err)
		require.Equal(t, object.ErrExpired, status.Reason)
		require.Equal(t, 410, status.Code)
		require.Equal(t, message, status.Message)
	}
	_, err := b.Watch(background, WatchOptions{Collection: all(configMaps), After: 2})
	check(err, "too old resource version: 2 (3)")
	_, err = late.Next(background)
	check(err, "too old resource version: 0 (3)")
	_, _, err = late.TryNext()
	check(err, "too old resource version: 0 (3)")

	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 3})
	require.EqualValues(t, 4, next(t, w).Version)
}

func TestQuietCollectionsStayInTheWindow(t *testing.T) {
	world, b := newWorld(), New(Options{Count: 2})
	publish(b, world.put(key(leases, "a", "n"), "x"))
	w := mustWatch(t, b, WatchOptions{Collection: all(leases), After: 1})
	for range 10 {
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
	}
	mustWatch(t, b, WatchOptions{Collection: all(object.GroupResource{Resource: "secrets"}), After: 0})
	publish(b, world.put(key(leases, "a", "n"), "x"))
	require.EqualValues(t, 12, next(t, w).Version)
	require.EqualValues(t, 12, next(t, mustWatch(t, b, WatchOptions{Collection: all(leases), After: 1})).Version, "nothing of it was dropped after 1")
}

func TestHistoryIsReadUpToTheWindowWhilePublishing(t *testing.T) {
	world := newWorld()
	k := key(configMaps, "a", "n")
	for range 1000 {
		world.put(k, "x")
	}
	b := New(Options{Count: 3, Start: 1000, History: world.history})
	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 100})
	for version := object.ResourceVersion(101); version <= 1500; version++ {
		if version > 600 && version%2 == 0 {
			publish(b, world.put(k, "x"))
		}
		if version > world.version {
			break
		}
		require.Equal(t, version, next(t, w).Version)
	}
}

func TestHistoryAheadOfTheWindowIsNotRepeated(t *testing.T) {
	world := newWorld()
	k := key(configMaps, "a", "n")
	b := New(Options{Start: 2, History: world.history})
	events := []object.Event{world.put(k, "x"), world.put(k, "x"), world.put(k, "x"), world.put(k, "x")}
	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 1})
	for version := range 3 {
		require.EqualValues(t, version+2, next(t, w).Version, "durable, whether published or not")
	}
	b.Publish(events)
	_, ok, err := w.TryNext()
	require.NoError(t, err)
	require.False(t, ok)
	publish(b, world.put(k, "x"))
	require.EqualValues(t, 5, next(t, w).Version)
}

func TestHistoryThatIsGone(t *testing.T) {
	world := newWorld()
	for range 10 {
		world.put(key(configMaps, "a", "n"), "x")
	}
	world.compact(5)
	b := New(Options{Start: 10, History: world.history})
	_, err := b.Watch(background, WatchOptions{Collection: all(configMaps), After: 4})
	require.ErrorIs(t, err, object.ErrExpired)
	require.Equal(t, "too old resource version: 4 (10)", object.AsStatus(err).Message)
	require.EqualValues(t, 6, next(t, mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 5})).Version)
}

func TestHistoryThatFails(t *testing.T) {
	broken := errors.New("the disk is gone")
	var fail error
	b := New(Options{Start: 10, History: func(ctx context.Context, _ object.Key, _ object.ResourceVersion) iter.Seq2[object.Event, error] {
		return func(yield func(object.Event, error) bool) {
			if fail != nil {
				yield(object.Event{}, fail)
			}
		}
	}})
	fail = broken
	_, err := b.Watch(background, WatchOptions{Collection: all(configMaps), After: 4})
	require.ErrorIs(t, err, broken)
	fail = object.Expired("in other words")
	_, err = b.Watch(background, WatchOptions{Collection: all(configMaps), After: 4})
	require.Equal(t, "in other words", object.AsStatus(err).Message)
	fail = nil
	mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 4})
}

func TestStalledWatcherIsFeltByNobody(t *testing.T) {
	world, b := newWorld(), New(Options{Count: 100})
	stalled := mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
	lively := mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
	for i := range 1000 {
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		require.EqualValues(t, i+1, next(t, lively).Version)
	}
	_, err := stalled.Next(background)
	require.ErrorIs(t, err, object.ErrExpired)
}

func TestSleepersByNameKeepUpWithTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, b := newWorld(), New(Options{Count: 5})
		mine := key(configMaps, "a", "mine")
		w := mustWatch(t, b, WatchOptions{Collection: mine})
		got := make(chan seen, 1)
		go func() { got <- next(t, w) }()
		synctest.Wait()
		for range 100 {
			publish(b, world.put(key(configMaps, "a", "other"), "x"))
		}
		publish(b, world.put(mine, "x"))
		require.EqualValues(t, 101, (<-got).Version)
		require.Empty(t, w.topic.waits)
	})
}

func TestBookmarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, b := newWorld(), New(Options{})
		start := time.Now()
		w := mustWatch(t, b, WatchOptions{Collection: key(configMaps, "a", "n"), Selector: labelled(t, "l=x"), Bookmarks: time.Minute})
		bookmark := func(version object.ResourceVersion, after time.Duration) {
			t.Helper()
			require.Equal(t, seen{Type: object.Bookmark, Key: all(configMaps), Version: version}, next(t, w))
			require.Equal(t, after, time.Since(start))
		}
		bookmark(0, time.Minute)
		publish(b, world.put(key(leases, "a", "n"), "x"), world.put(key(configMaps, "b", "n"), "x"))
		bookmark(2, 2*time.Minute)

		time.Sleep(50 * time.Second)
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		require.EqualValues(t, 3, next(t, w).Version)
		bookmark(3, 2*time.Minute+110*time.Second)

		go func() { // what is not selected does not put a bookmark off
			time.Sleep(30 * time.Second)
			publish(b, world.del(key(configMaps, "a", "n")), world.put(key(configMaps, "a", "n"), "y"))
			time.Sleep(20 * time.Second)
			publish(b, world.put(key(configMaps, "a", "n"), "y"))
		}()
		require.Equal(t, object.Deleted, next(t, w).Type)
		bookmark(6, 2*time.Minute+110*time.Second+90*time.Second)
	})
}

func TestNoBookmarksUnlessAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := mustWatch(t, New(Options{}), WatchOptions{Collection: all(configMaps)})
		ctx, cancel := context.WithTimeout(background, 24*time.Hour)
		defer cancel()
		_, err := w.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWindowEndsByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, b := newWorld(), New(Options{Age: time.Minute})
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		time.Sleep(time.Minute)
		mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
		time.Sleep(time.Second)
		_, err := b.Watch(background, WatchOptions{Collection: all(configMaps)})
		require.ErrorIs(t, err, object.ErrExpired)
		mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 1})
		require.NoError(t, b.window.valid())
	})
}

func TestWindowEndsBySize(t *testing.T) {
	world, b := newWorld(), New(Options{Bytes: 4000})
	for range 100 {
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
	}
	require.NoError(t, b.window.valid())
	require.Less(t, b.window.log.len(), 20)
	require.Greater(t, b.window.log.len(), 3)
	small := New(Options{Bytes: 1})
	w := mustWatch(t, small, WatchOptions{Collection: all(configMaps)})
	publish(small, object.Event{Type: object.Added, Key: key(configMaps, "a", "n"), Version: 1, Object: &object.Encoded{}})
	require.EqualValues(t, 1, next(t, w).Version, "the newest event always stays")
}

func TestStopEndsOneWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(Options{})
		w, other := mustWatch(t, b, WatchOptions{Collection: all(configMaps)}), mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
		failed := make(chan error)
		go func() { _, err := w.Next(background); failed <- err }()
		synctest.Wait()
		w.Stop()
		w.Stop()
		require.Equal(t, io.EOF, <-failed)
		require.Empty(t, w.topic.waits)
		publish(b, newWorld().put(key(configMaps, "a", "n"), "x"))
		_, _, err := w.TryNext()
		require.Equal(t, io.EOF, err)
		require.EqualValues(t, 1, next(t, other).Version)
	})
}

func TestCloseEndsAllWatchersWithTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world, b := newWorld(), New(Options{})
		reason := object.NewStatusError(object.ErrServiceUnavailable, nil, "the server is shutting down")
		asleep, late := mustWatch(t, b, WatchOptions{Collection: all(leases)}), mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
		failed := make(chan error)
		go func() { _, err := asleep.Next(background); failed <- err }()
		synctest.Wait()
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		b.Close(reason)
		b.Close(nil)
		publish(b, world.put(key(configMaps, "a", "n"), "x"))
		check := func(err error) {
			require.ErrorIs(t, err, io.EOF)
			require.ErrorIs(t, err, object.ErrServiceUnavailable)
		}
		check(<-failed)
		require.EqualValues(t, 1, next(t, late).Version, "what was published is read first")
		_, err := late.Next(background)
		check(err)
		_, err = b.Watch(background, WatchOptions{Collection: all(configMaps)})
		check(err)
	})
}

func TestCloseWithoutReason(t *testing.T) {
	b := New(Options{})
	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
	b.Close(nil)
	_, err := w.Next(background)
	require.Equal(t, io.EOF, err)
}

func TestEndOfTheContextIsNotFinal(t *testing.T) {
	world, b := newWorld(), New(Options{})
	w := mustWatch(t, b, WatchOptions{Collection: all(configMaps)})
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err := w.Next(ctx)
	require.ErrorIs(t, err, context.Canceled)
	publish(b, world.put(key(configMaps, "a", "n"), "x"))
	require.EqualValues(t, 1, next(t, w).Version)
}

func TestEncodingIsMadeOncePerForm(t *testing.T) {
	world, b := newWorld(), New(Options{})
	k := key(configMaps, "a", "n")
	plain := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 1})
	twin := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 1})
	entering := mustWatch(t, b, WatchOptions{Collection: all(configMaps), After: 1, Selector: labelled(t, "l=y")})
	publish(b, world.put(k, "x"), world.put(k, "y"))

	calls := 0
	encode := func(ev object.Event) ([]byte, error) {
		calls++
		return []byte(ev.Type), nil
	}
	get := func(w *Watcher, form any) string {
		w.cursor = cursor{version: 1}
		ev, err := w.Next(background)
		require.NoError(t, err)
		data, err := ev.Encoding(form, encode)
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, "MODIFIED", get(plain, "json"))
	require.Equal(t, "MODIFIED", get(twin, "json"))
	require.Equal(t, 1, calls)
	require.Equal(t, "ADDED", get(entering, "json"))
	require.Equal(t, "MODIFIED", get(plain, struct{ table, pretty bool }{true, false}))
	require.Equal(t, 3, calls)

	failing := errors.New("no such form")
	for range 2 {
		plain.cursor = cursor{version: 1}
		ev, err := plain.Next(background)
		require.NoError(t, err)
		_, err = ev.Encoding("odd", func(object.Event) ([]byte, error) { calls++; return nil, failing })
		require.ErrorIs(t, err, failing)
	}
	require.Equal(t, 4, calls, "a failure is kept too")
}

// TestManyWatchersWhilePublishing is for the race detector; it also shows that
// nothing is left behind when the watchers have gone.
func TestManyWatchersWhilePublishing(t *testing.T) {
	before := runtime.NumGoroutine()
	world := newWorld()
	b := New(Options{Count: 50, History: world.history})
	const events = 500
	var group sync.WaitGroup
	for i := range 40 {
		o := WatchOptions{Collection: all(configMaps), Bookmarks: time.Millisecond}
		if i%2 == 0 {
			o.Collection.Name = "n"
		}
		w := mustWatch(t, b, o)
		group.Go(func() { readAll(t, w) })
	}
	for range events {
		publish(b, world.put(key(configMaps, "a", "n"), "x"), world.put(key(leases, "a", "n"), "x"))
	}
	b.Close(nil)
	group.Wait()
	require.NoError(t, b.window.valid())
	for _, topic := range b.window.topics {
		require.Empty(t, topic.waits)
	}
	// A goroutine still runs for a moment after its group has counted it out.
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		runtime.Gosched()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// readAll checks that a watcher sees every other version to the end.
func readAll(t *testing.T, w *Watcher) {
	expected, marked := object.ResourceVersion(1), object.ResourceVersion(0)
	for {
		ev, err := w.Next(background)
		if err != nil {
			if !errors.Is(err, io.EOF) || expected != 1001 {
				t.Errorf("ended before version %d: %v", expected, err)
			}
			return
		}
		if ev.Type == object.Bookmark {
			if ev.Version < marked || ev.Version >= expected {
				t.Errorf("bookmark at %d after one at %d, when %d is to come", ev.Version, marked, expected)
			}
			marked = ev.Version
			continue
		}
		if ev.Version != expected || ev.Version <= marked {
			t.Errorf("version %d instead of %d, after a bookmark at %d", ev.Version, expected, marked)
			return
		}
		data, err := ev.Encoding("version", func(ev object.Event) ([]byte, error) { return []byte(ev.Version.String()), nil })
		if err != nil || string(data) != ev.Version.String() {
			t.Errorf("encoding of %d: %q, %v", ev.Version, data, err)
		}
		expected += 2
	}
}
