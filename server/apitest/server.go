package apitest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// Server is an API server in memory that belongs to a test. The verbs of the embedded server are at
// hand for the test itself: they need no client, nobody's permission, and no fault meets them.
// All methods may be called concurrently.
type Server struct {
	*server.Server

	t           testing.TB // whose test it is
	setup       *setup
	backend     *memory.Backend
	store       *storage.Store
	journal     *journal
	unsubscribe func()
	controllers *controllers
	traffic     traffic
	faults      faults
	listener    listener
	holders     holders
	began       objectVersion // the version when New or Fork returned
}

// New starts a server with what the options say, and the namespaces that every cluster has. It
// ends with the test. Whatever fails here ends the test at once.
func New(t testing.TB, options ...Option) *Server {
	t.Helper()
	s := newSetup(options)
	g := beginGuard(t, s.ignored)
	srv, err := start(t, s, memory.New(), &journal{})
	if err != nil {
		t.Fatalf("starting an API server: %v", err)
	}
	g.server = srv
	if err := srv.fill(t.Context()); err != nil {
		t.Fatalf("filling an API server: %v", err)
	}
	srv.began = srv.Version()
	return srv
}

// start starts a server over the backend. Of its history nothing is ever forgotten.
func start(t testing.TB, s *setup, backend *memory.Backend, past *journal) (*Server, error) {
	store, err := storage.New(backend, &storage.Options{KeepAge: math.MaxInt64, KeepCount: math.MaxInt64})
	if err != nil {
		return nil, err
	}
	srv := &Server{t: t, setup: s, backend: backend, store: store, journal: past}
	srv.began = store.Version()
	_, srv.unsubscribe = store.Subscribe(srv.journal.committed)
	cfg := s.config
	cfg.Store = store
	cfg.Wrote = srv.journal.wrote
	if wrote := s.config.Wrote; wrote != nil {
		cfg.Wrote = func(about server.Attributes, manager string, version objectVersion) {
			srv.journal.wrote(about, manager, version)
			wrote(about, manager, version)
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	if srv.Server, err = server.New(cfg); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	if !s.idle {
		srv.controllers = startControllers(srv.Server, cfg.Logger)
	}
	return srv, nil
}

// ending is how long those who use a server have to let go of it, and it has to end.
const ending = 5 * time.Second

// stop ends everything that the server has started.
func (s *Server) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), ending)
	defer cancel()
	errFaults := s.faults.clear()
	s.controllers.stop()
	err := s.Server.Shutdown(ctx)
	if err != nil {
		err = fmt.Errorf("waiting for the end of watches: %w", err)
	}
	s.listener.close()
	s.unsubscribe()
	return errors.Join(errFaults, err, s.store.Close())
}

// Transport calls the server without a socket, as [server.Transport] does.
func (s *Server) Transport() http.RoundTripper { return server.Transport(s) }
