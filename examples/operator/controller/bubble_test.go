package controller_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// inBubble runs a test in a world where time passes as soon as everybody waits.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t, controllertest.New(t, crds))) })
}

// settle waits until nobody has anything to do. Informers look every tenth of a second
// whether they are filled, so what begins takes part of a second.
func settle() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func TestAPreviewEndsAfterADay(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.operate(ctrl.Options{})
		p := newPreview("short")
		w.create(p)
		settle()
		require.Equal(t, "default/short", w.hosts.ownerOf("short.example.com"))
		require.Equal(t, previewv1.ReasonStarting, w.ready(p))
		w.run(deploymentOf(p))
		synctest.Wait() // no time passes at all
		require.Equal(t, previewv1.ReasonRunning, w.ready(p))

		time.Sleep(24*time.Hour - time.Minute)
		require.Equal(t, previewv1.ReasonRunning, w.ready(p))
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		for _, o := range []client.Object{p, deploymentOf(p), &corev1.ConfigMap{ObjectMeta: p.ObjectMeta}} {
			err := w.Get(t.Context(), client.ObjectKeyFromObject(p), o)
			require.True(t, apierrors.IsNotFound(err), "%T: %v", o, err)
		}
		require.Empty(t, w.hosts.ownerOf("short.example.com"))
	})
}

func TestATimeToLiveThatWasExtendedCounts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.operate(ctrl.Options{})
		p := newPreview("long")
		w.create(p)
		time.Sleep(23 * time.Hour)
		p = again(w, p)
		p.Spec.TTL = &metav1.Duration{Duration: 25 * time.Hour}
		require.NoError(t, w.Update(t.Context(), p))
		time.Sleep(2*time.Hour - time.Second)
		require.Equal(t, p.CreationTimestamp.Add(25*time.Hour), again(w, p).Status.ExpiresAt.Time)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.True(t, apierrors.IsNotFound(w.Get(t.Context(), client.ObjectKeyFromObject(p), p)))
	})
}

func TestAFailingRegisterIsAskedLessAndLess(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.hosts.fail(12)
		w.operate(ctrl.Options{})
		p := newPreview("late")
		w.create(p)
		time.Sleep(time.Second)
		early := w.hosts.called()
		require.Greater(t, early, 5, "at first every few milliseconds")
		time.Sleep(9 * time.Second)
		require.Less(t, w.hosts.called()-early, 5, "then every few seconds")
		require.Equal(t, "", w.hosts.ownerOf("late.example.com"))
		time.Sleep(20 * time.Second)
		require.Equal(t, "default/late", w.hosts.ownerOf("late.example.com"))
		require.Equal(t, previewv1.ReasonStarting, w.ready(p))
	})
}

func TestFailuresOfTheServerAreOvercome(t *testing.T) {
	for _, fault := range []apitest.Fault{
		{Verb: "update", Resource: "previews", Status: 409, Count: 3},
		{Verb: "patch", Resource: "deployments", Status: 500, Count: 3},
		{Verb: "patch", Resource: "configmaps", Status: 429, RetryAfter: 5 * time.Second, Count: 1},
		{Verb: "update", Resource: "previews", Subresource: "status", Drop: true, Count: 1},
		{Verb: "watch", Drop: true, Count: 3},
	} {
		t.Run(fault.Verb+" "+fault.Resource+" "+fault.Subresource, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *world) {
				w.operate(ctrl.Options{})
				w.srv.Inject(fault)
				p := newPreview("tried")
				w.create(p)
				time.Sleep(time.Minute)
				w.run(deploymentOf(p))
				time.Sleep(time.Minute)
				require.Equal(t, previewv1.ReasonRunning, w.ready(p))
			})
		})
	}
}

func TestTheSecondOperatorLeadsWhenTheFirstOneEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		elected := ctrl.Options{LeaderElection: true, LeaderElectionID: "previews", LeaderElectionNamespace: "default"}
		leader := func() string {
			lease := again(w, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "previews", Namespace: "default"}})
			return *lease.Spec.HolderIdentity
		}
		stopFirst := w.operate(elected)
		settle()
		first := leader()
		w.operate(elected)
		time.Sleep(10 * time.Minute)
		require.Equal(t, first, leader(), "as long as it renews its lease, it leads")

		stopFirst()
		p := newPreview("handed")
		w.create(p)
		synctest.Wait()
		require.Empty(t, w.hosts.ownerOf("handed.example.com"), "nobody leads yet")
		time.Sleep(time.Minute)
		require.NotEqual(t, first, leader())
		require.Equal(t, "default/handed", w.hosts.ownerOf("handed.example.com"))
	})
}
