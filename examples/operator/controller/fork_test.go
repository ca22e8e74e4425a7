package controller_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
	previewv1 "github.com/seed-6c0fa0ad/plinth/examples/operator/api/v1"
	"github.com/seed-6c0fa0ad/plinth/examples/operator/controller"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// prepare makes a world with a preview that runs, and freezes it. Its operator is gone.
func prepare(t *testing.T) (*apitest.Snapshot, *previewv1.Preview) {
	t.Helper()
	w := newWorld(t, controllertest.New(t, crds))
	p := newPreview("shop")
	w.create(p)
	w.reconcile(p)
	w.run(deploymentOf(p))
	w.reconcile(p)
	require.Equal(t, previewv1.ReasonRunning, w.ready(p))
	return w.srv.Snapshot(), again(w, p)
}

// reconcile does what the operator does when it hears of a preview.
func (w *world) reconcile(p *previewv1.Preview) {
	w.Helper()
	r := &controller.Reconciler{Client: w.Client, Hosts: w.hosts}
	_, err := r.Reconcile(w.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)})
	require.NoError(w, err)
}

func TestReconcile(t *testing.T) {
	prepared, p := prepare(t)
	for _, test := range []struct {
		name   string
		change func(t *testing.T, w *world)
		ready  string // afterwards
		check  func(t *testing.T, w *world, d *appsv1.Deployment)
	}{
		{
			name:   "repeats nothing that is as it should be",
			change: func(*testing.T, *world) {},
			ready:  previewv1.ReasonRunning,
			check: func(t *testing.T, w *world, _ *appsv1.Deployment) {
				require.Equal(t, p.ResourceVersion, again(w, p).ResourceVersion)
			},
		},
		{
			name: "rolls out another image",
			change: func(t *testing.T, w *world) {
				p := again(w, p)
				p.Spec.Image = "web:2"
				require.NoError(t, w.Update(t.Context(), p))
			},
			ready: previewv1.ReasonStarting,
			check: func(t *testing.T, _ *world, d *appsv1.Deployment) {
				require.Equal(t, "web:2", d.Spec.Template.Spec.Containers[0].Image)
			},
		},
		{
			name: "follows its scale",
			change: func(t *testing.T, w *world) {
				scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
				require.NoError(t, w.SubResource("scale").Update(t.Context(), again(w, p), client.WithSubResourceBody(scale)))
			},
			ready: previewv1.ReasonStarting,
			check: func(t *testing.T, w *world, d *appsv1.Deployment) {
				require.Equal(t, int32(3), *d.Spec.Replicas)
				require.Equal(t, p.Generation+1, again(w, p).Status.ObservedGeneration)
			},
		},
		{
			name: "takes back what others change of what it applied, and leaves the rest to them",
			change: func(t *testing.T, w *world) {
				d := again(w, deploymentOf(p))
				d.Spec.Template.Spec.Containers[0].Image = "theirs"
				d.Spec.Template.Annotations = map[string]string{"restarted": "yes"}
				require.NoError(t, w.Update(t.Context(), d))
			},
			ready: previewv1.ReasonStarting,
			check: func(t *testing.T, _ *world, d *appsv1.Deployment) {
				require.Equal(t, "web:1", d.Spec.Template.Spec.Containers[0].Image)
				require.Equal(t, map[string]string{"restarted": "yes"}, d.Spec.Template.Annotations)
			},
		},
		{
			name: "brings back a deployment that was deleted",
			change: func(t *testing.T, w *world) {
				require.NoError(t, w.Delete(t.Context(), deploymentOf(p)))
			},
			ready: previewv1.ReasonStarting,
		},
		{
			name: "removes settings that are not wanted any more",
			change: func(t *testing.T, w *world) {
				for _, env := range [][]previewv1.EnvVar{{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}, {{Name: "b", Value: "3"}}} {
					now := again(w, p)
					now.Spec.Env = env
					require.NoError(t, w.Update(t.Context(), now))
					w.reconcile(p)
				}
			},
			ready: previewv1.ReasonRunning,
			check: func(t *testing.T, w *world, _ *appsv1.Deployment) {
				require.Equal(t, map[string]string{"b": "3"}, again(w, &corev1.ConfigMap{ObjectMeta: p.ObjectMeta}).Data)
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, prepared.Fork(t))
			test.change(t, w)
			w.reconcile(p)
			require.Equal(t, test.ready, w.ready(p))
			if test.check != nil {
				test.check(t, w, again(w, deploymentOf(p)))
			}
		})
	}
}

func TestTheDefinitionRefuses(t *testing.T) {
	prepared, p := prepare(t)
	for _, test := range []struct {
		name   string
		change func(p *previewv1.Preview)
		want   string
	}{
		{"another host", func(p *previewv1.Preview) { p.Spec.Host = "other.example.com" }, "spec.host: Invalid value: \"other.example.com\": the host cannot be changed"},
		{"too many replicas", func(p *previewv1.Preview) { p.Spec.Replicas = new(int32(11)) }, "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10"},
		{"no image", func(p *previewv1.Preview) { p.Spec.Image = "" }, "spec.image: Invalid value: \"\": spec.image in body should be at least 1 chars long"},
		{"two settings of one name", func(p *previewv1.Preview) { p.Spec.Env = []previewv1.EnvVar{{Name: "a"}, {Name: "a"}} }, "spec.env[1]: Duplicate value: {\"name\":\"a\"}"},
		{"a life of seconds", func(p *previewv1.Preview) { p.Spec.TTL.Duration = 30 * time.Second }, "spec.ttl: Invalid value: \"30s\": a preview lives for a minute at least"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, prepared.Fork(t))
			p := again(w, p)
			test.change(p)
			err := w.Update(t.Context(), p)
			require.True(t, apierrors.IsInvalid(err), "%v", err)
			require.EqualError(t, err, `Preview.preview.example.com "shop" is invalid: `+test.want)
		})
	}
}

// A snapshot may leave the bubble that it was made in, and come into others. Since all of their
// clocks begin at the same time, what is in it is as old as it was.
func TestBubblesForkOneWorld(t *testing.T) {
	var prepared *apitest.Snapshot
	var p *previewv1.Preview
	synctest.Test(t, func(t *testing.T) { prepared, p = prepare(t) })
	for _, ttl := range []time.Duration{time.Hour, 24 * time.Hour} {
		t.Run(ttl.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, prepared.Fork(t))
				now := again(w, p)
				now.Spec.TTL.Duration = ttl
				require.NoError(t, w.Update(t.Context(), now))
				w.operate(ctrl.Options{})
				time.Sleep(ttl - time.Second)
				require.Equal(t, p.UID, again(w, p).UID)
				time.Sleep(2 * time.Second)
				synctest.Wait()
				require.True(t, apierrors.IsNotFound(w.Get(t.Context(), client.ObjectKeyFromObject(p), p.DeepCopy())))
			})
		})
	}
}

// The same goes for one that was made outside, but that its objects are of the future.
func TestABubbleForksAWorldFromOutside(t *testing.T) {
	prepared, p := prepare(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, prepared.Fork(t))
		require.Greater(t, time.Until(p.CreationTimestamp.Time), 25*365*24*time.Hour)
		w.operate(ctrl.Options{})
		require.NoError(t, w.Delete(t.Context(), p))
		settle()
		require.True(t, apierrors.IsNotFound(w.Get(t.Context(), client.ObjectKeyFromObject(p), p.DeepCopy())))
	})
}
