package server

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// BenchmarkCollect10000 deletes an owner in the background and waits until its 10,000
// dependents are gone, too.
func BenchmarkCollect10000(b *testing.B) {
	for name, open := range map[string]func() (storage.Backend, error){
		"memory": func() (storage.Backend, error) { return memory.New(), nil },
		"bolt":   func() (storage.Backend, error) { return bolt.Open(filepath.Join(b.TempDir(), "data")) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				backend, err := open()
				require.NoError(b, err)
				benchmarkCollect(b, backend, 10_000)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000, "ns/dependent")
		})
	}
}

func benchmarkCollect(b *testing.B, backend storage.Backend, dependents int) {
	store, err := storage.New(backend, nil)
	require.NoError(b, err)
	logger := slog.New(slog.DiscardHandler)
	s, err := New(Config{Store: store, Resources: []Resource{widgets()}, Logger: logger})
	require.NoError(b, err)
	owner := addDependents(b, s, dependents)
	collector := gc.NewCollector(s.Cluster(), logger)
	ctx, stop := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { collector.Run(ctx) })
	require.NoError(b, collector.Settle(ctx))

	b.StartTimer()
	_, _, err = s.Delete(ctx, target(owner), gc.DeleteOptions{})
	require.NoError(b, err)
	require.NoError(b, collector.Settle(ctx))
	b.StopTimer()

	left, _, err := s.List(ctx, target(""), ListOptions{})
	require.NoError(b, err)
	require.Empty(b, left)
	stop()
	running.Wait()
	require.NoError(b, s.Shutdown(context.Background()))
	require.NoError(b, store.Close())
	b.StartTimer()
}

// addDependents creates an owner and what it owns, and names it.
func addDependents(b *testing.B, s *Server, number int) (owner string) {
	created, err := s.Create(b.Context(), target(""), widget("owner"), WriteOptions{})
	require.NoError(b, err)
	ref := object.OwnerReference{APIVersion: created.APIVersion(), Kind: created.Kind(), Name: created.Name(), UID: created.UID()}
	var all sync.WaitGroup
	for worker := range 64 { // at once, so that they share commits
		all.Go(func() {
			for i := worker; i < number; i += 64 {
				o := widget(fmt.Sprint("dependent-", i))
				o.SetOwnerReferences([]object.OwnerReference{ref})
				if _, err := s.Create(b.Context(), target(""), o, WriteOptions{}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return created.Name()
}
