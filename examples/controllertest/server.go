package controllertest

import (
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// New starts a server that has the kinds of Kubernetes, beside what the options say, and the
// service that every cluster has. It ends with the test.
func New(t testing.TB, options ...apitest.Option) *apitest.Server {
	t.Helper()
	return apitest.New(t, append([]apitest.Option{
		apitest.Resources(kinds()...),
		apitest.Objects(kubernetesService()),
		apitest.IgnoreGoroutines(forTheProcess...),
	}, options...)...)
}

// kinds are shared by all servers, which so derive schemas from Go types but once.
var kinds = sync.OnceValue(builtin.Resources)

// forTheProcess are functions of goroutines that libraries start once and never end.
var forTheProcess = []string{
	"k8s.io/klog/v2.(*flushDaemon).run",
}

// kubernetesService is how programs in a cluster find its API server.
func kubernetesService() object.Object {
	return object.Object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": map[string]any{
			"name": "kubernetes", "namespace": "default",
			"labels": map[string]any{"component": "apiserver", "provider": "kubernetes"},
		},
		"spec": map[string]any{
			"type": "ClusterIP", "clusterIP": "10.0.0.1",
			"ports": []any{map[string]any{"name": "https", "protocol": "TCP", "port": int64(443), "targetPort": int64(6443)}},
		},
	}
}

// Config is what a client needs to reach the server, without a socket and without limits on how
// often it asks.
func Config(srv *apitest.Server) *rest.Config {
	return &rest.Config{Host: "http://plinth", Transport: srv.Transport(), QPS: -1}
}

// Client reads and writes objects of a scheme at the server itself, without a cache.
func Client(t testing.TB, srv *apitest.Server, scheme *runtime.Scheme) client.WithWatch {
	t.Helper()
	c, err := client.NewWithWatch(Config(srv), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("making a client: %v", err)
	}
	return c
}
