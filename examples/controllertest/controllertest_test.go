package controllertest_test

import (
	"context"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
)

// counter adds one to what a ConfigMap has, until it is ten, and takes its time for it.
type counter struct {
	client.Client
	seen chan string
}

func (c *counter) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	select {
	case c.seen <- req.Name:
	default:
	}
	m := &corev1.ConfigMap{}
	if err := c.Get(ctx, req.NamespacedName, m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	n, _ := strconv.Atoi(m.Data["n"])
	if n == 10 {
		return ctrl.Result{}, nil
	}
	time.Sleep(20 * time.Millisecond)
	m.Data = map[string]string{"n": strconv.Itoa(n + 1)}
	return ctrl.Result{}, c.Update(ctx, m)
}

func newMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "default"}}
}

func TestAServerIsNotQuietWhileAControllerWorks(t *testing.T) {
	srv := controllertest.New(t)
	c := controllertest.Client(t, srv, clientscheme.Scheme)
	m := controllertest.Manager(t, srv, ctrl.Options{})
	r := &counter{m.GetClient(), make(chan string, 1)}
	require.NoError(t, ctrl.NewControllerManagedBy(m).For(&corev1.ConfigMap{}).Complete(r))
	controllertest.Run(t, srv, m)
	require.NoError(t, c.Create(t.Context(), newMap()))
	<-r.seen

	require.NoError(t, srv.Quiet(t.Context(), 10*time.Millisecond))
	got := newMap()
	require.NoError(t, c.Get(t.Context(), client.ObjectKeyFromObject(got), got))
	require.Equal(t, "10", got.Data["n"])
}

func TestManagersWithControllersOfOneNameRunBesideEachOther(t *testing.T) {
	for range 2 {
		t.Run("manager", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv := controllertest.New(t)
				m := controllertest.Manager(t, srv, ctrl.Options{})
				nothing := reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, nil })
				require.NoError(t, ctrl.NewControllerManagedBy(m).Named("same").For(&corev1.ConfigMap{}).Complete(nothing))
				stop := controllertest.Run(t, srv, m)
				time.Sleep(time.Second)
				stop()
				stop() // again does nothing, and neither does the end of the test
			})
		})
	}
}

func TestAClientOfClientGoNeedsNoMoreThanTheConfig(t *testing.T) {
	clientset, err := kubernetes.NewForConfig(controllertest.Config(controllertest.New(t)))
	require.NoError(t, err)
	s, err := clientset.CoreV1().Services("default").Get(t.Context(), "kubernetes", metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, int32(443), s.Spec.Ports[0].Port)
}
