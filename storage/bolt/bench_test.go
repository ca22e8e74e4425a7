//go:build unix

package bolt_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

// benchBody is the size of an ordinary object.
var benchBody = append([]byte(`{"metadata":{"name":"x"},"data":{"a":"`), append(bytes.Repeat([]byte("x"), 1300), `"}}`...)...)

func benchKey(i int) object.Key {
	return object.Key{GroupResource: object.GroupResource{Resource: "configmaps"}, Namespace: "bench", Name: fmt.Sprintf("object-%06d", i)}
}

func benchObject(b testing.TB, i int) object.Encoded {
	label := "common"
	if i%100 == 0 {
		label = "rare"
	}
	o := object.Object{"metadata": map[string]any{"name": "x", "labels": map[string]any{"kind": label, "app": "bench"}}}
	e, err := object.Encode(o, nil)
	require.NoError(b, err)
	e.Body = benchBody
	return e
}

// measured reports the processor time that an operation takes, which says more
// than the time on the clock where the disk or a neighbour has a part in that.
func measured(b *testing.B) (done func()) {
	b.ReportAllocs()
	b.ResetTimer()
	before := processorTime()
	return func() {
		b.StopTimer()
		b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
	}
}

func processorTime() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// fill makes n objects, many at a time.
func fill(b testing.TB, s *storage.Store, n int) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range 1000 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if _, err := s.Put(b.Context(), benchKey(i), nil, benchObject(b, i), 0); err != nil {
					b.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func benchStore(b testing.TB, path string) *storage.Store {
	backend, err := bolt.Open(path)
	require.NoError(b, err)
	s, err := storage.New(backend, nil)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	return s
}

func BenchmarkCreate(b *testing.B) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := benchStore(b, filepath.Join(b.TempDir(), "data"))
			value := benchObject(b, 1)
			inParallel(b, writers, func(i int) error {
				_, err := s.Put(b.Context(), benchKey(i), nil, value, 0)
				return err
			})
		})
	}
}

// inParallel does b.N operations from several goroutines.
func inParallel(b *testing.B, workers int, do func(i int) error) {
	defer measured(b)()
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < b.N; i = int(next.Add(1)) - 1 {
				if err := do(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkCreateRaw writes what BenchmarkCreate with 64 writers does, with nothing
// but bbolt, in batches of the size that those come to.
func BenchmarkCreateRaw(b *testing.B) {
	const batch = 50
	db, err := bbolt.Open(filepath.Join(b.TempDir(), "data"), 0o600, &bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	require.NoError(b, err)
	defer db.Close()
	head := benchObject(b, 1).Head
	defer measured(b)()
	for i := 0; i < b.N; i += batch {
		require.NoError(b, db.Update(func(tx *bbolt.Tx) error {
			log, _ := tx.CreateBucketIfNotExists([]byte("log"))
			index, _ := tx.CreateBucketIfNotExists([]byte("index"))
			log.FillPercent = 0.95
			for j := i; j < min(i+batch, b.N); j++ {
				key := "configmaps/bench/" + benchKey(j).Name
				if err := index.Put(append([]byte(key), make([]byte, 9)...), append([]byte{0}, head...)); err != nil {
					return err
				}
				body := append(append(make([]byte, 11), key...), benchBody...)
				if err := log.Put(binary.BigEndian.AppendUint64(nil, uint64(j)), body); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func BenchmarkUpdate(b *testing.B) {
	s := benchStore(b, filepath.Join(b.TempDir(), "data"))
	fill(b, s, 1000)
	value := benchObject(b, 1)
	inParallel(b, 16, func(i int) error {
		key := benchKey(i % 1000)
		for {
			prev, err := s.Get(b.Context(), key)
			if err == nil {
				_, err = s.Put(b.Context(), key, prev, value, 0)
			}
			if !object.IsConflict(err) {
				return err
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	s := benchStore(b, filepath.Join(b.TempDir(), "data"))
	fill(b, s, 10_000)
	all := object.Key{GroupResource: object.GroupResource{Resource: "configmaps"}}
	rare, err := object.ParseLabelSelector("kind=rare")
	require.NoError(b, err)
	list := func(b *testing.B, opts storage.ListOptions, want int) {
		defer measured(b)()
		for b.Loop() {
			l, err := s.List(b.Context(), all, opts)
			require.NoError(b, err)
			n := 0
			for !l.Done() { // in pieces, as one does for a client that may be slow
				size := 0
				require.NoError(b, l.Visit(func(_ object.Key, e *object.Encoded) bool {
					n++
					size += len(e.Body)
					return size < 256<<10
				}))
			}
			if n != want {
				b.Fatal(n)
			}
		}
	}
	b.Run("get", func(b *testing.B) {
		defer measured(b)()
		for i := 0; b.Loop(); i++ {
			if _, err := s.Get(b.Context(), benchKey(i*7919%10_000)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list 10000", func(b *testing.B) { list(b, storage.ListOptions{}, 10_000) })
	b.Run("list page of 500", func(b *testing.B) { list(b, storage.ListOptions{Limit: 500}, 500) })
	b.Run("list 1 percent of 10000", func(b *testing.B) {
		list(b, storage.ListOptions{Selector: object.Selector{Labels: rare}}, 100)
	})
	b.Run("resume over 1000 changes", func(b *testing.B) {
		defer measured(b)()
		for b.Loop() {
			n := 0
			for _, err := range s.History(b.Context(), all, 9001) {
				require.NoError(b, err)
				n++
			}
			if n != 1000 {
				b.Fatal(n)
			}
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "data")
	backend, err := bolt.Open(path)
	require.NoError(b, err)
	s, err := storage.New(backend, nil)
	require.NoError(b, err)
	fill(b, s, 100_000)
	require.NoError(b, s.Close())
	for b.Loop() {
		backend, err := bolt.Open(path)
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, backend.Close())
		b.StartTimer()
	}
}
