package server

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// overFork serves a copy of what a backend has.
func overFork(t *testing.T, backend *memory.Backend, prepared *Prepared) *Server {
	store, err := storage.New(backend, nil)
	require.NoError(t, err)
	s, err := New(Config{Store: store, CustomResources: &CustomResources{Prepared: prepared}, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	return s
}

// servedDefinition is the one that a server has of gears.
func servedDefinition(t *testing.T, s *Server) *parsedDefinition {
	require.NoError(t, s.Settle(t.Context()))
	known := s.definitions.known["gears.ex.org"]
	require.NotNil(t, known)
	return known.resource.parsedDefinition
}

func TestServersOfOneWorldShareWhatDefinitionsMean(t *testing.T) {
	prepared, backend := &Prepared{}, memory.New()
	first := overFork(t, backend, prepared)
	define(t, first, gears("ex.org", `"teeth":{"type":"integer"}`))
	meaning := servedDefinition(t, first)
	world := backend.Snapshot()

	second := overFork(t, world.Fork(), prepared)
	require.Same(t, meaning, servedDefinition(t, second))
	require.Equal(t, http.StatusCreated, requestOf(t, second, http.MethodPost, gearsPath, gear("a")).Code)
	require.NotSame(t, meaning, servedDefinition(t, overFork(t, world.Fork(), nil)))

	change := `{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"spec":{"type":"object","properties":{"teeth":{"type":"integer","minimum":9}}}}}}}]}}`
	r := ask(t, second, http.MethodPatch, definitionsPath+"/gears.ex.org", change, "Content-Type", "application/merge-patch+json")
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.NotSame(t, meaning, servedDefinition(t, second))
	require.Equal(t, http.StatusUnprocessableEntity, requestOf(t, second, http.MethodPost, gearsPath, gear("b")).Code)
	require.Same(t, meaning, servedDefinition(t, first))

	third := overFork(t, world.Fork(), prepared) // what is kept is of the second one now
	require.NotSame(t, meaning, servedDefinition(t, third))
	require.Equal(t, http.StatusCreated, requestOf(t, third, http.MethodPost, gearsPath, gear("b")).Code)
	require.Equal(t, http.StatusOK, requestOf(t, third, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
	require.NoError(t, third.Settle(t.Context()))
	require.Equal(t, http.StatusNotFound, requestOf(t, third, http.MethodGet, gearsPath, "").Code)
}

func TestSettleWaitsForDefinitions(t *testing.T) {
	require.NoError(t, newWorld(t).Settle(t.Context()), "there are none")
	s := overFork(t, memory.New(), nil)
	require.NoError(t, s.Settle(t.Context()))
	for _, group := range []string{"a.org", "b.org", "c.org"} {
		require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, definitionsPath, gears(group, "")).Code)
		require.NoError(t, s.Settle(t.Context()))
		require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodGet, "/apis/"+group+"/v1/gears", "").Code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.definitions.queue.mu.Lock()
	s.definitions.queue.working = true
	s.definitions.queue.mu.Unlock()
	require.ErrorIs(t, s.Settle(ctx), context.Canceled)
}
