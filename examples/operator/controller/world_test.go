package controller_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/examples/operator/controller"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// crds has a server serve previews.
var crds = apitest.CRDs("../config/crd")

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	s := runtime.NewScheme()
	require.NoError(t, clientscheme.AddToScheme(s))
	require.NoError(t, previewv1.AddToScheme(s))
	return s
}

// world is a cluster in which the operator runs, or is about to.
type world struct {
	*testing.T
	client.Client
	srv    *apitest.Server
	hosts  *register
	scheme *runtime.Scheme
}

func newWorld(t *testing.T, srv *apitest.Server) *world {
	t.Helper()
	s := newScheme(t)
	return &world{t, controllertest.Client(t, srv, s), srv, newRegister(), s}
}

// operate runs the operator until the test ends or stop is called.
func (w *world) operate(options ctrl.Options) (stop func()) {
	w.Helper()
	options.Scheme = w.scheme
	m := controllertest.Manager(w.T, w.srv, options)
	require.NoError(w, (&controller.Reconciler{Client: m.GetClient(), Hosts: w.hosts}).SetupWithManager(m))
	return controllertest.Run(w.T, w.srv, m)
}

func newPreview(name string, change ...func(*previewv1.Preview)) *previewv1.Preview {
	p := &previewv1.Preview{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec:       previewv1.PreviewSpec{Image: "web:1", Host: name + ".example.com"},
	}
	for _, f := range change {
		f(p)
	}
	return p
}

func (w *world) create(o client.Object) {
	w.Helper()
	require.NoError(w, w.Create(w.Context(), o))
}

// again reads an object as it is now.
func again[T client.Object](w *world, o T) T {
	w.Helper()
	now := o.DeepCopyObject().(T)
	require.NoError(w, w.Get(w.Context(), client.ObjectKeyFromObject(o), now))
	return now
}

// deploymentOf is the deployment of a preview.
func deploymentOf(p *previewv1.Preview) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: p.Namespace}}
}

// ready is the reason that the condition has.
func (w *world) ready(p *previewv1.Preview) string {
	w.Helper()
	c := meta.FindStatusCondition(again(w, p).Status.Conditions, previewv1.ConditionReady)
	if c == nil {
		return ""
	}
	return c.Reason
}

// run reports that a deployment runs, as its controller would.
func (w *world) run(d *appsv1.Deployment) {
	w.Helper()
	d = again(w, d)
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, Replicas: *d.Spec.Replicas, ReadyReplicas: *d.Spec.Replicas}
	require.NoError(w, w.Status().Update(w.Context(), d))
}
