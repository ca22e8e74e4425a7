package apitest_test

import (
	"runtime"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// each measures the start of a server, and its whole life.
func each(b *testing.B, start func(t testing.TB) *apitest.Server) {
	b.Run("start", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			t := &life{TB: b}
			start(t)
			b.StopTimer()
			t.end()
			b.StartTimer()
		}
	})
	b.Run("life", func(b *testing.B) {
		for b.Loop() {
			t := &life{TB: b}
			start(t)
			t.end()
		}
	})
}

func BenchmarkNew(b *testing.B) {
	each(b, func(t testing.TB) *apitest.Server { return apitest.New(t) })
}

func BenchmarkFork(b *testing.B) {
	world := newWorld(b).Snapshot()
	each(b, world.Fork)
}

// BenchmarkMemory tells what a server takes that runs.
func BenchmarkMemory(b *testing.B) {
	t := &life{TB: b}
	defer t.end()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := 0
	for ; n < 20; n++ {
		apitest.New(t)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse)/float64(n), "B/server")
}
