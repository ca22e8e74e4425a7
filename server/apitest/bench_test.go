package apitest_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/seed-6c0fa0ad/plinth/object"
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

// BenchmarkForkOfLargeDefinitions is with ten of half a megabyte.
func BenchmarkForkOfLargeDefinitions(b *testing.B) {
	t := &life{TB: b}
	defer t.end()
	definitions := fstest.MapFS{}
	for i := range 10 {
		definitions[fmt.Sprint(i, ".yaml")] = &fstest.MapFile{Data: largeDefinition(fmt.Sprint("kind", i), 5000)}
	}
	world := apitest.New(t, apitest.CRDsFS(definitions, ".")).Snapshot()
	each(b, world.Fork)
}

// largeDefinition has so many fields, each with a description.
func largeDefinition(name string, fields int) []byte {
	var properties strings.Builder
	for i := range fields {
		fmt.Fprintf(&properties, "              f%d: {type: string, description: 'What the field %d is about, in about as many words as that takes.'}\n", i, i)
	}
	return fmt.Appendf(nil, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[1]ss.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: %[1]ss, kind: %[1]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
%[2]s`, name, properties.String())
}

// BenchmarkSuite runs 200 small tests, two at a time, each with a server of its own that creates an
// object and waits until it is seen.
func BenchmarkSuite(b *testing.B) {
	for b.Loop() {
		var workers sync.WaitGroup
		tests := make(chan int)
		for range 2 {
			workers.Go(func() {
				for range tests {
					smallTest(b)
				}
			})
		}
		for i := range 200 {
			tests <- i
		}
		close(tests)
		workers.Wait()
	}
}

func smallTest(b *testing.B) {
	t := &life{TB: b}
	srv := newWorld(t)
	create(t, srv, "small")
	if _, err := srv.WaitFor(t.Context(), gadget("lab", "small"), func(o object.Object) bool { return o != nil }); err != nil {
		b.Error(err)
	}
	if told := t.end(); told != "" {
		b.Error(told)
	}
}
