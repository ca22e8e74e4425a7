package fakeclient

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// probe is a client with a namespace of its own, of whatever is asked.
type probe struct {
	*testing.T
	client.WithWatch
	ns     string
	settle func() // waits for what happens by itself
}

func newScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	require.NoError(t, clientscheme.AddToScheme(s))
	require.NoError(t, previewv1.AddToScheme(s))
	return s
}

// prepare makes a world with the kinds that are tried.
func prepare(t *testing.T) *apitest.Snapshot {
	t.Helper()
	return controllertest.New(t, apitest.CRDs("../operator/config/crd", "testdata")).Snapshot()
}

// inProcess asks Plinth.
func inProcess(t *testing.T, world *apitest.Snapshot) *probe {
	t.Helper()
	srv := world.Fork(t)
	p := &probe{T: t, WithWatch: controllertest.Client(t, srv, newScheme(t)), ns: "ns"}
	p.settle = func() { require.NoError(t, srv.Quiet(t.Context(), 0)) }
	p.makeNamespace()
	return p
}

// faked asks the fake client, with what makes it as good as it can be.
func faked(t *testing.T) *probe {
	t.Helper()
	c := fake.NewClientBuilder().WithScheme(newScheme(t)).WithStatusSubresource(&previewv1.Preview{}).
		WithReturnManagedFields().WithGlobalResourceVersionCounter().Build()
	p := &probe{t, c, "ns", func() {}}
	p.makeNamespace()
	return p
}

// realCluster is one that somebody else runs.
type realCluster struct {
	client.WithWatch
	prefix string
	number atomic.Int32
}

func connect(t *testing.T, kubeconfig string) *realCluster {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	require.NoError(t, err)
	config.QPS = -1
	c, err := client.NewWithWatch(config, client.Options{Scheme: newScheme(t)})
	require.NoError(t, err)
	return &realCluster{WithWatch: c, prefix: fmt.Sprintf("probe-%d-", time.Now().Unix())}
}

func (c *realCluster) probe(t *testing.T) *probe {
	t.Helper()
	p := &probe{t, c.WithWatch, c.prefix + fmt.Sprint(c.number.Add(1)), func() { time.Sleep(10 * time.Second) }}
	p.makeNamespace()
	t.Cleanup(func() { _ = c.Delete(context.Background(), namespace(p.ns)) })
	return p
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func (p *probe) makeNamespace() {
	p.Helper()
	require.NoError(p, p.Create(p.Context(), namespace(p.ns)))
}

// said is an error as a user reads it.
func (p *probe) said(err error) string {
	if err == nil {
		return "done"
	}
	text := strings.NewReplacer(p.ns, "ns", "\n", " ").Replace(err.Error())
	if reason := apierrors.ReasonForError(err); reason != metav1.StatusReasonUnknown {
		text = string(reason) + ": " + text
	}
	return text
}

// must fails the test for what has to work everywhere.
func (p *probe) must(err error) {
	p.Helper()
	require.NoError(p, err)
}

// again reads an object as it is now.
func again[T client.Object](p *probe, o T) T {
	p.Helper()
	now := o.DeepCopyObject().(T)
	p.must(p.Get(p.Context(), client.ObjectKeyFromObject(o), now))
	return now
}

// there says whether an object is there.
func (p *probe) there(o client.Object) string {
	p.Helper()
	err := p.Get(p.Context(), client.ObjectKeyFromObject(o), o.DeepCopyObject().(client.Object))
	switch {
	case err == nil:
		return "there"
	case apierrors.IsNotFound(err):
		return "gone"
	}
	return err.Error()
}
