package controllertest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

type Cluster struct {
	Config *rest.Config
	t      testing.TB
}

func New(t testing.TB, crds ...string) *Cluster {
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	api, err := server.New(server.Config{Store: store, Resources: builtin.Resources(), CustomResources: &server.CustomResources{}, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	go func() { gc.NewCollector(api.Cluster(), nil).Run(ctx); done <- struct{}{} }()
	go func() { gc.NewEmptier(api.Namespaces(), nil).Run(ctx); done <- struct{}{} }()
	t.Cleanup(func() {
		cancel()
		<-done
		<-done
		require.NoError(t, api.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	for _, n := range []string{"default", "kube-system"} {
		_, err = api.Create(ctx, server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
			object.Object{"metadata": map[string]any{"name": n}}, server.WriteOptions{})
		require.NoError(t, err)
	}
	c := &Cluster{Config: &rest.Config{Host: "http://plinth", Transport: server.Transport(api), QPS: -1}, t: t}
	for _, dir := range crds {
		files, err := filepath.Glob(dir + "/*.yaml")
		require.NoError(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			require.NoError(t, err)
			data, err = yaml.ToJSON(data)
			require.NoError(t, err)
			o, err := object.Decode(data)
			require.NoError(t, err)
			gvr := object.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
			_, err = api.Create(ctx, server.Target{Resource: gvr}, o, server.WriteOptions{})
			require.NoError(t, err)
			for {
				d, err := api.Get(ctx, server.Target{Resource: gvr, Name: o.Name()})
				require.NoError(t, err)
				if cs, _ := d.Field("status", "conditions"); cs != nil && len(cs.([]any)) > 1 {
					break
				}
			}
		}
	}
	return c
}

func (c *Cluster) Client(scheme *runtime.Scheme) client.Client {
	c.t.Helper()
	k, err := client.New(c.Config, client.Options{Scheme: scheme})
	require.NoError(c.t, err)
	return k
}

func (c *Cluster) Manager(o ctrl.Options) ctrl.Manager {
	c.t.Helper()
	if o.Metrics.BindAddress == "" {
		o.Metrics = metrics.Options{BindAddress: "0"}
	}
	if o.Controller.SkipNameValidation == nil {
		o.Controller.SkipNameValidation = new(true)
	}
	m, err := ctrl.NewManager(c.Config, o)
	require.NoError(c.t, err)
	return m
}

func (c *Cluster) Start(m ctrl.Manager) {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Start(ctx) }()
	c.t.Cleanup(func() {
		cancel()
		require.NoError(c.t, <-ended)
	})
	require.True(c.t, m.GetCache().WaitForCacheSync(ctx))
}
