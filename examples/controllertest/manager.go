package controllertest

import (
	"cmp"
	"context"
	"sync"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// Manager makes a manager of the server's that is fit for tests: it listens nowhere, unless
// the options say where, and several may have controllers of the same name.
func Manager(t testing.TB, srv *apitest.Server, options ctrl.Options) ctrl.Manager {
	t.Helper()
	options.Metrics.BindAddress = cmp.Or(options.Metrics.BindAddress, "0")
	if options.Controller.SkipNameValidation == nil {
		options.Controller.SkipNameValidation = new(true)
	}
	m, err := ctrl.NewManager(Config(srv), options)
	if err != nil {
		t.Fatalf("making a manager: %v", err)
	}
	return m
}

// Run runs a manager until the test ends or stop is called, which returns when the manager
// has ended. Its controllers begin within part of a second: a test waits for what they do, and
// one in a bubble just sleeps a second. From then on the server is not quiet ([apitest.Server.Quiet]) as
// long as one of them has something to do at once.
func Run(t testing.TB, srv *apitest.Server, m ctrl.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	var failure error
	go func() {
		defer close(ended)
		failure = m.Start(ctx)
		cancel()
	}()
	stop = sync.OnceFunc(func() {
		cancel()
		<-ended
		if failure != nil {
			t.Errorf("running a manager: %v", failure)
		}
	})
	t.Cleanup(stop)
	srv.Hold("a controller", func() bool { return ctx.Err() == nil && working() })
	if !m.GetCache().WaitForCacheSync(ctx) {
		stop()
		t.Fatal("the caches of a manager were not filled")
	}
	return stop
}
