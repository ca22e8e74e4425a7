package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// masters is the group whose members may do everything.
const masters = "system:masters"

// run serves until ctx ends. What a user needs to know goes to out, the rest to messages.
func run(ctx context.Context, args []string, out, messages io.Writer) (err error) {
	o, err := parseOptions(args, messages)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(messages, nil))
	store, err := openStore(o.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	api, err := newServer(o, store, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop(api)) }() // again, if front.serve has come to its end
	quotas := admit(api, logger)
	if err := createNamespaces(ctx, api); err != nil {
		return err
	}
	if o.controllers {
		defer start(ctx, quotas.Run)()
		defer start(ctx, gc.NewCollector(api.Cluster(), logger).Run)()
		defer start(ctx, gc.NewEmptier(api.Namespaces(), logger).Run)()
		defer start(ctx, api.CheckPolicies)()
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	defer listener.Close()
	front, err := newFront(o, api, listener.Addr())
	if err != nil {
		return err
	}
	front.http.ErrorLog = slog.NewLogLogger(logger.Handler(), slog.LevelDebug) // clients that go away are no news
	if err := front.announce(o, out); err != nil {
		return err
	}
	return front.serve(ctx, listener)
}

func openStore(data string) (*storage.Store, error) {
	if data == inMemory {
		return storage.New(memory.New(), nil)
	}
	backend, err := bolt.Open(data)
	if err != nil {
		return nil, err
	}
	return storage.New(backend, nil)
}

func newServer(o *options, store *storage.Store, logger *slog.Logger) (*server.Server, error) {
	users, err := authenticator(o)
	if err != nil {
		return nil, err
	}
	resources := builtin.Resources()
	if o.resources != "" {
		more, err := readResources(o.resources)
		if err != nil {
			return nil, err
		}
		resources = append(resources, more...)
	}
	var known services
	api, err := server.New(server.Config{
		Store: store, Resources: resources, Authenticator: users, Authorizer: server.MastersOnly{},
		CustomResources: &server.CustomResources{},
		Service:         known.address,
		Audit:           auditTo(logger),
		Logger:          logger, Version: version(),
	})
	known.api = api
	return api, err
}

// admit adds what a cluster has of admission beside the policies and webhooks in its store.
func admit(api *server.Server, logger *slog.Logger) *quota.Enforcer {
	ranges := limits.Ranges{Reader: api.Access()}
	quotas := quota.New(api.Access())
	quotas.Failed = func(err error) { logger.Error("resource quotas", "error", err) }
	api.Admit(admission.Chain{
		Mutators:   []admission.Mutator{ranges, builtin.Scheduling{Lister: api.Access()}},
		Validators: []admission.Validator{ranges, quotas},
	})
	return quotas
}

// auditTo logs what policies and webhooks note of writes.
func auditTo(logger *slog.Logger) func(context.Context, server.Attributes, map[string]string) {
	return func(ctx context.Context, about server.Attributes, annotations map[string]string) {
		logger.InfoContext(ctx, "audit", "user", about.User.Name, "verb", about.Verb, "resource", about.Resource,
			"namespace", about.Namespace, "name", about.Name, "annotations", annotations)
	}
}

// stop ends what the server has started. The caller does that before it closes the store.
func stop(api *server.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	return api.Shutdown(ctx)
}

// authenticator knows the administrator and the users of the token file.
func authenticator(o *options) (*server.Tokens, error) {
	all := []server.Token{{Token: o.token, User: object.User{Name: "admin", UID: "admin", Groups: []string{masters}}}}
	if o.tokenFile != "" {
		f, err := os.Open(o.tokenFile)
		if err != nil {
			return nil, fmt.Errorf("reading tokens: %w", err)
		}
		defer f.Close()
		more, err := server.ParseTokens(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.tokenFile, err)
		}
		all = append(all, more...)
	}
	return server.NewTokens(all...)
}

// start runs a loop until ctx ends or stop is called, which returns when the loop has
// ended. The caller does that before it closes the store.
func start(ctx context.Context, loop func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		loop(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// createNamespaces makes those that exist from the start.
func createNamespaces(ctx context.Context, api *server.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	names := []string{"default", "kube-system", "kube-public", "kube-node-lease"}
	failures := make(chan error, len(names))
	for _, name := range names { // at once, so that they share a commit
		go func() { failures <- createNamespace(ctx, api, name) }()
	}
	var errs []error
	for range names {
		errs = append(errs, <-failures)
	}
	return errors.Join(errs...)
}

func createNamespace(ctx context.Context, api *server.Server, name string) error {
	target := server.Target{
		Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"},
		Name:     name, User: object.User{Name: "system:apiserver", Groups: []string{masters}},
	}
	if _, err := api.Get(ctx, target); err == nil {
		return nil
	}
	target.Name = ""
	o := object.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}}
	_, err := api.Create(ctx, target, o, server.WriteOptions{})
	if err != nil && !object.IsAlreadyExists(err) {
		return fmt.Errorf("creating namespace %s: %w", name, err)
	}
	return nil
}
