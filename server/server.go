package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/watch"
)

// Server serves a store over HTTP, and over the same verbs as Go methods. It is
// an http.Handler. All its methods may be called concurrently.
type Server struct {
	config      Config
	broadcaster *watch.Broadcaster
	unsubscribe func()
	negotiator  negotiator
	buffers     buffers
	metrics     metrics
	turns       turns
	gates       *gates
	inFlight    inFlight
	discovery   discovery
	definitions *definitions // nil without custom resources
	admissions  admissions

	mu        sync.Mutex // held by writers of resources
	resources atomic.Pointer[resourceSet]

	streams  streams
	stopping context.Context // ends when Shutdown begins
	stop     context.CancelFunc
}

// errShutdown is why watches end when the server stops.
var errShutdown = errors.New("the server is shutting down")

// New makes a server. It starts a goroutine only if there are custom resources;
// Shutdown ends it, and what requests have started.
func New(cfg Config) (*Server, error) {
	if cfg.Store == nil {
		return nil, errors.New("server: Config.Store is missing")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.Authorizer == nil {
		cfg.Authorizer = allowAll{}
	}
	resources := cfg.Resources
	shared := new(definition.Shared)
	if cfg.CustomResources != nil {
		if prepared := cfg.CustomResources.Prepared; prepared != nil {
			shared = &prepared.shared
		}
		resources = append(slices.Clip(resources), cfg.CustomResources.kind(shared))
	}
	set, err := newResourceSet(resources...)
	if err != nil {
		return nil, err
	}
	s := &Server{config: cfg, gates: newGates()}
	s.admissions.registrations.init(s)
	s.resources.Store(&resourceSet{})
	s.follow(set)
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.subscribe()
	if cfg.CustomResources != nil {
		if s.definitions, err = newDefinitions(s, shared, cfg.CustomResources.Prepared); err != nil {
			_ = s.Shutdown(context.Background()) // nothing is under way
			return nil, err
		}
		s.definitions.start()
	}
	return s, nil
}

// subscribe puts the broadcaster between the store's feed and the watches. No
// event is lost: the broadcaster begins at the version at which the feed does.
func (s *Server) subscribe() {
	ready := make(chan struct{})
	from, cancel := s.config.Store.Subscribe(func(events []object.Event) {
		<-ready
		s.admissions.notice(events)
		s.broadcaster.Publish(events)
	})
	s.broadcaster = watch.New(watch.Options{Start: from, History: s.config.Store.History})
	s.unsubscribe = cancel
	close(ready)
}

// Add serves more resources from now on.
func (s *Server) Add(resources ...Resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, err := s.resources.Load().with(resources...)
	if err != nil {
		return err
	}
	s.follow(set)
	s.admissions.kindsChanged()
	return nil
}

// Remove stops serving a resource. Its objects stay in the store.
func (s *Server) Remove(gr object.GroupResource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.follow(s.resources.Load().without(gr))
	s.admissions.kindsChanged()
}

// WatchesIdle says whether all watches have been given what there is, and wait for more.
func (s *Server) WatchesIdle() bool { return s.broadcaster.Idle() }

// Shutdown ends all watches, each with a complete last frame, and waits for them
// until ctx ends; a loop over [Server.Watch] must therefore be left before it calls
// Shutdown. Other requests are for the http.Server to wait for. It is idempotent.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop()
	s.admissions.stop()
	s.unsubscribe()
	s.broadcaster.Close(errShutdown)
	if s.definitions != nil {
		select {
		case <-s.definitions.done:
		case <-ctx.Done():
		}
	}
	return s.streams.wait(ctx)
}

// logFailure tells of a failure that is the server's own.
func (s *Server) logFailure(r *http.Request, err error, status object.Status) {
	switch {
	case status.Reason == object.ErrTimeout:
		return // the client asked for what is not there yet
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		return // the client is gone
	}
	s.config.Logger.ErrorContext(r.Context(), "request failed",
		"method", r.Method, "path", r.URL.Path, "code", status.Code, "error", err)
}

type allowAll struct{}

func (allowAll) Authorize(context.Context, Attributes) (bool, string, error) { return true, "", nil }
