package watch

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// feed makes events of one collection without end.
type feed struct {
	version object.ResourceVersion
	names   int
}

func (f *feed) event() object.Event {
	f.version++
	e := &object.Encoded{Version: f.version, Head: make([]byte, 32), Body: make([]byte, 512)}
	k := key(configMaps, "a", fmt.Sprintf("n%d", int(f.version)%f.names))
	return object.Event{Type: object.Modified, Key: k, Version: f.version, Object: e, Prev: e}
}

// watchers starts n of them, each in a goroutine that reads all it gets and calls seen.
func watchers(b *testing.B, bc *Broadcaster, n int, o func(i int) WatchOptions, seen func(Event)) (stop func()) {
	var group sync.WaitGroup
	for i := range n {
		w := mustWatch(b, bc, o(i))
		group.Go(func() {
			for {
				ev, err := w.Next(context.Background())
				if err != nil {
					return
				}
				seen(ev)
			}
		})
	}
	return func() { bc.Close(nil); group.Wait() }
}

// BenchmarkPublish measures what a writer pays for one event, as ns/publish, when all
// watchers wait for it. The time per operation has their work in it too.
func BenchmarkPublish(b *testing.B) {
	everything := func(int) WatchOptions { return WatchOptions{Collection: all(configMaps)} }
	byName := func(i int) WatchOptions { return WatchOptions{Collection: key(configMaps, "a", fmt.Sprintf("n%d", i))} }
	for _, bb := range []struct {
		name                 string
		watchers, deliveries int
		options              func(int) WatchOptions
	}{
		{"watchers=0", 0, 0, everything},
		{"watchers=500", 500, 500, everything},
		{"watchers=10000", 10_000, 10_000, everything},
		{"by-name=10000", 10_000, 1, byName},
	} {
		b.Run(bb.name, func(b *testing.B) {
			bc, f := New(Options{}), &feed{names: 10_000}
			var group sync.WaitGroup
			stop := watchers(b, bc, bb.watchers, bb.options, func(Event) { group.Done() })
			defer stop()
			var publishing time.Duration
			b.ReportAllocs()
			for b.Loop() {
				group.Add(bb.deliveries)
				events := []object.Event{f.event()}
				start := time.Now()
				bc.Publish(events)
				publishing += time.Since(start)
				group.Wait()
			}
			b.ReportMetric(float64(publishing.Nanoseconds())/float64(b.N), "ns/publish")
		})
	}
}

// BenchmarkFanOut measures one event on its way to 1,000 watchers that all take its encoding.
func BenchmarkFanOut(b *testing.B) {
	const n = 1000
	bc, f := New(Options{}), &feed{names: 100}
	var group sync.WaitGroup
	encode := func(ev object.Event) ([]byte, error) { return ev.Object.AppendJSON(nil, object.TypeMeta{}), nil }
	stop := watchers(b, bc, n, func(int) WatchOptions { return WatchOptions{Collection: all(configMaps)} }, func(ev Event) {
		if _, err := ev.Encoding("json", encode); err != nil {
			b.Error(err)
		}
		group.Done()
	})
	defer stop()
	b.ReportAllocs()
	for b.Loop() {
		group.Add(n)
		e := f.event()
		e.Object.Body = []byte(`{"metadata":{"name":"n"}}`)
		bc.Publish([]object.Event{e})
		group.Wait()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delivery")
}

// BenchmarkNext measures a delivery that nobody waits for.
func BenchmarkNext(b *testing.B) {
	for _, selector := range []string{"", "l=x"} {
		b.Run("selector="+selector, func(b *testing.B) {
			bc, world := New(Options{}), newWorld()
			for range 5000 {
				bc.Publish([]object.Event{world.put(key(configMaps, "a", "n"), "x")})
			}
			w := mustWatch(b, bc, WatchOptions{Collection: all(configMaps), Selector: labelled(b, selector)})
			b.ReportAllocs()
			for b.Loop() {
				if _, ok, _ := w.TryNext(); !ok {
					w.cursor = cursor{}
				}
			}
		})
	}
}

// BenchmarkHistory measures reading an event from the history.
func BenchmarkHistory(b *testing.B) {
	world := newWorld()
	for range 10_000 {
		world.put(key(configMaps, "a", "n"), "x")
	}
	bc := New(Options{Start: 10_000, History: world.history})
	w := mustWatch(b, bc, WatchOptions{Collection: all(configMaps)})
	b.ReportAllocs()
	for b.Loop() {
		if w.cursor.version == 10_000 {
			w.cursor, w.backlog = cursor{}, backlog{}
		}
		if _, err := w.Next(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
