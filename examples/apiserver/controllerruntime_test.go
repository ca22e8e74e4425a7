package main

import (
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// runtimeClient is a client of controller-runtime, and what its tests want to know.
type runtimeClient struct {
	*testing.T
	client.Client
}

func newRuntimeClient(t *testing.T, s *runningServer) *runtimeClient {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	require.NoError(t, err)
	config.QPS, config.Burst = -1, -1
	c, err := client.New(config, client.Options{})
	require.NoError(t, err)
	return &runtimeClient{t, c}
}

// deployment creates one with two containers.
func (c *runtimeClient) deployment(name string) *appsv1.Deployment {
	c.Helper()
	labels := map[string]string{"app": name}
	d := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(1)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1"}, {Name: "side", Image: "side:1"}}},
			},
		},
	}
	require.NoError(c, c.Create(c.Context(), d))
	return d
}

// again reads an object as it is now.
func again[T client.Object](c *runtimeClient, o T) T {
	c.Helper()
	now := o.DeepCopyObject().(T)
	require.NoError(c, c.Get(c.Context(), client.ObjectKeyFromObject(o), now))
	return now
}

// images gives those of the containers.
func images(d *appsv1.Deployment) map[string]string {
	all := map[string]string{}
	for _, container := range d.Spec.Template.Spec.Containers {
		all[container.Name] = container.Image
	}
	return all
}

// owners gives the managers of an object, with their operations and subresources.
func owners(o client.Object) []string {
	var all []string
	for _, e := range o.GetManagedFields() {
		all = append(all, e.Manager+" "+string(e.Operation)+" "+e.Subresource)
	}
	return all
}

func TestControllerRuntimePatches(t *testing.T) {
	s := startServer(t)
	t.Run("a merge patch sends what changed and replaces lists", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		mine := c.deployment("merge")
		theirs := again(c, mine)
		theirs.Labels = map[string]string{"by": "them"}
		require.NoError(t, c.Update(t.Context(), theirs))

		old := mine.DeepCopy()
		mine.Annotations = map[string]string{"by": "me"}
		mine.Spec.Template.Spec.Containers = mine.Spec.Template.Spec.Containers[:1]
		require.NoError(t, c.Patch(t.Context(), mine, client.MergeFrom(old), client.FieldOwner("me")))
		require.Equal(t, map[string]string{"by": "them"}, mine.Labels)
		require.Equal(t, map[string]string{"by": "me"}, mine.Annotations)
		require.Equal(t, map[string]string{"web": "web:1"}, images(mine))
		require.Contains(t, owners(mine), "me Update ")
		require.Equal(t, again(c, mine), mine)
	})
	t.Run("a merge patch with an optimistic lock conflicts", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		mine := c.deployment("lock")
		theirs := again(c, mine)
		theirs.Labels = map[string]string{"by": "them"}
		require.NoError(t, c.Update(t.Context(), theirs))

		old := mine.DeepCopy()
		mine.Annotations = map[string]string{"by": "me"}
		lock := client.MergeFromWithOptions(old, client.MergeFromWithOptimisticLock{})
		err := c.Patch(t.Context(), mine.DeepCopy(), lock)
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.Equal(t, theirs, again(c, mine))

		mine = again(c, mine)
		old = mine.DeepCopy()
		mine.Annotations = map[string]string{"by": "me"}
		require.NoError(t, c.Patch(t.Context(), mine, client.MergeFromWithOptions(old, client.MergeFromWithOptimisticLock{})))
		require.Equal(t, map[string]string{"by": "them"}, mine.Labels)
	})
	t.Run("a strategic merge patch merges containers by name", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		mine := c.deployment("strategic")
		theirs := again(c, mine)
		theirs.Spec.Template.Spec.Containers = append(theirs.Spec.Template.Spec.Containers, corev1.Container{Name: "log", Image: "log:1"})
		require.NoError(t, c.Update(t.Context(), theirs))

		old := mine.DeepCopy()
		mine.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "web:2"}}
		require.NoError(t, c.Patch(t.Context(), mine, client.StrategicMergeFrom(old)))
		require.Equal(t, map[string]string{"web": "web:2", "log": "log:1"}, images(mine))
		require.Equal(t, int64(3), mine.Generation)
	})
	t.Run("a patch that changes nothing makes no new version", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("same")
		before := d.DeepCopy()
		require.NoError(t, c.Patch(t.Context(), d, client.StrategicMergeFrom(before)))
		require.NoError(t, c.Patch(t.Context(), d, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/spec/replicas","value":1}]`))))
		require.Equal(t, before, d)
	})
}

func TestControllerRuntimeApply(t *testing.T) {
	s := startServer(t)
	t.Run("creates, merges, conflicts and forces", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		config := func(data ...string) *coreapply.ConfigMapApplyConfiguration {
			all := map[string]string{}
			for i := 0; i < len(data); i += 2 {
				all[data[i]] = data[i+1]
			}
			return coreapply.ConfigMap("applied", "default").WithData(all)
		}
		got := func() *corev1.ConfigMap {
			return again(c, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "applied", Namespace: "default"}})
		}
		mine := config("a", "1", "b", "1")
		require.NoError(t, c.Apply(t.Context(), mine, client.FieldOwner("me")))
		require.NotNil(t, mine.UID, "the configuration is filled with the answer")
		require.NoError(t, c.Apply(t.Context(), config("b", "1", "c", "1"), client.FieldOwner("them")), "they agree on b")
		require.Equal(t, map[string]string{"a": "1", "b": "1", "c": "1"}, got().Data)

		err := c.Apply(t.Context(), config("a", "2", "c", "1"), client.FieldOwner("them"))
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.EqualError(t, err, `Apply failed with 1 conflict: conflict with "me": .data.a`)
		require.Equal(t, []metav1.StatusCause{{
			Type: metav1.CauseTypeFieldManagerConflict, Message: `conflict with "me"`, Field: ".data.a",
		}}, err.(apierrors.APIStatus).Status().Details.Causes)
		require.NoError(t, c.Apply(t.Context(), config("a", "2", "c", "1"), client.FieldOwner("them"), client.ForceOwnership))
		require.Equal(t, map[string]string{"a": "2", "b": "1", "c": "1"}, got().Data, "b is mine still")

		require.NoError(t, c.Apply(t.Context(), config(), client.FieldOwner("me")))
		require.Equal(t, map[string]string{"a": "2", "c": "1"}, got().Data, "nobody wants b any more")
		require.Equal(t, []string{"them Apply "}, owners(got()))
	})
	t.Run("merges lists of built-in kinds by their keys", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("lists")
		apply := func(images ...string) error {
			spec := coreapply.PodSpec()
			for i := 0; i < len(images); i += 2 {
				spec.WithContainers(coreapply.Container().WithName(images[i]).WithImage(images[i+1]))
			}
			return c.Apply(t.Context(), appsapply.Deployment("lists", "default").WithSpec(appsapply.DeploymentSpec().
				WithTemplate(coreapply.PodTemplateSpec().WithSpec(spec))), client.FieldOwner("me"))
		}
		require.NoError(t, apply("log", "log:1", "side", "side:1"))
		require.Equal(t, map[string]string{"web": "web:1", "side": "side:1", "log": "log:1"}, images(again(c, d)))
		err := apply("log", "log:1", "web", "web:2")
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.ErrorContains(t, err, `.spec.template.spec.containers[name="web"].image`)
		require.NoError(t, apply("side", "side:1"))
		require.Equal(t, map[string]string{"web": "web:1", "side": "side:1"}, images(again(c, d)))
	})
	t.Run("takes documents without Go types", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		widget := func(spec map[string]any) *unstructured.Unstructured {
			return &unstructured.Unstructured{Object: map[string]any{
				"apiVersion": "example.com/v1", "kind": "Widget",
				"metadata": map[string]any{"name": "w", "namespace": "default"}, "spec": spec,
			}}
		}
		first := widget(map[string]any{"size": int64(1), "color": "red"})
		require.NoError(t, c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(first), client.FieldOwner("me")))
		require.NotEmpty(t, first.GetUID())
		err := c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(widget(map[string]any{"size": int64(2)})), client.FieldOwner("them"))
		require.True(t, apierrors.IsConflict(err), "%v", err)
		require.ErrorContains(t, err, ".spec.size")
		require.NoError(t, c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(widget(map[string]any{"size": int64(1)})), client.FieldOwner("me")))
		got := again(c, widget(nil))
		require.Equal(t, map[string]any{"size": int64(1)}, got.Object["spec"])
	})
	t.Run("has owners of its own for the status", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("applied-status")
		status := appsapply.Deployment(d.Name, d.Namespace).WithStatus(appsapply.DeploymentStatus().WithReplicas(3).WithReadyReplicas(3))
		require.NoError(t, c.Status().Apply(t.Context(), status, client.FieldOwner("me")))
		got := again(c, d)
		require.Equal(t, int32(3), got.Status.ReadyReplicas)
		require.Equal(t, d.Generation, got.Generation)
		require.Contains(t, owners(got), "me Apply status")
	})
	t.Run("stores nothing in a dry run", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		config := coreapply.ConfigMap("dry", "default").WithData(map[string]string{"a": "1"})
		require.NoError(t, c.Apply(t.Context(), config, client.FieldOwner("me"), client.DryRunAll))
		require.NotNil(t, config.UID)
		err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "dry"}, &corev1.ConfigMap{})
		require.True(t, apierrors.IsNotFound(err), "%v", err)
	})
}

func TestControllerRuntimeSubresources(t *testing.T) {
	s := startServer(t)
	t.Run("writes of the status leave the rest", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("status")
		old := d.DeepCopy()
		d.Status.Replicas, d.Spec.Replicas = 1, new(int32(9))
		require.NoError(t, c.Status().Patch(t.Context(), d, client.MergeFrom(old), client.FieldOwner("controller")))
		require.Equal(t, []int32{1, 1}, []int32{*d.Spec.Replicas, d.Status.Replicas})

		d.Status.ReadyReplicas, d.Spec.Replicas = 1, new(int32(9))
		stale := d.DeepCopy()
		require.NoError(t, c.Status().Update(t.Context(), d, client.FieldOwner("controller")))
		require.Equal(t, []int32{1, 1, 1}, []int32{*d.Spec.Replicas, d.Status.Replicas, d.Status.ReadyReplicas})
		require.Equal(t, old.Generation, d.Generation)
		require.Contains(t, owners(d), "controller Update status")
		err := c.Status().Update(t.Context(), stale)
		require.True(t, apierrors.IsConflict(err), "%v", err)

		d.Status = appsv1.DeploymentStatus{}
		require.NoError(t, c.Update(t.Context(), d))
		require.Equal(t, int32(1), d.Status.ReadyReplicas, "nor does a write of the rest change the status")
	})
	t.Run("reads and writes the scale", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("scale")
		scale := &autoscalingv1.Scale{}
		require.NoError(t, c.SubResource("scale").Get(t.Context(), d, scale))
		require.Equal(t, int32(1), scale.Spec.Replicas)
		require.Equal(t, "app=scale", scale.Status.Selector)

		scale.Spec.Replicas = 4
		stale := scale.DeepCopy()
		require.NoError(t, c.SubResource("scale").Update(t.Context(), d, client.WithSubResourceBody(scale), client.FieldOwner("scaler")))
		require.Equal(t, int32(4), *again(c, d).Spec.Replicas)
		err := c.SubResource("scale").Update(t.Context(), d, client.WithSubResourceBody(stale))
		require.True(t, apierrors.IsConflict(err), "%v", err)

		old := scale.DeepCopy()
		scale.Spec.Replicas = 6
		require.NoError(t, c.SubResource("scale").Patch(t.Context(), d, client.MergeFrom(old), client.WithSubResourceBody(scale), client.FieldOwner("scaler")))
		got := again(c, d)
		require.Equal(t, int32(6), *got.Spec.Replicas)
		require.Equal(t, int64(3), got.Generation)
		require.Contains(t, owners(got), "scaler Update scale")
	})
}

func TestControllerRuntimeWrites(t *testing.T) {
	s := startServer(t)
	for name, write := range map[string]func(*runtimeClient, client.Object, controllerutil.MutateFn) (controllerutil.OperationResult, error){
		"CreateOrUpdate": func(c *runtimeClient, o client.Object, f controllerutil.MutateFn) (controllerutil.OperationResult, error) {
			return controllerutil.CreateOrUpdate(c.Context(), c, o, f)
		},
		"CreateOrPatch": func(c *runtimeClient, o client.Object, f controllerutil.MutateFn) (controllerutil.OperationResult, error) {
			return controllerutil.CreateOrPatch(c.Context(), c, o, f)
		},
	} {
		t.Run(name+" creates, then changes, then does nothing", func(t *testing.T) {
			c := newRuntimeClient(t, s)
			owner := c.deployment(map[string]string{"CreateOrUpdate": "updates", "CreateOrPatch": "patches"}[name])
			for _, step := range []struct {
				value string
				want  controllerutil.OperationResult
			}{
				{"1", controllerutil.OperationResultCreated},
				{"2", controllerutil.OperationResultUpdated},
				{"2", controllerutil.OperationResultNone},
			} {
				m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: owner.Name, Namespace: "default"}}
				result, err := write(c, m, func() error {
					m.Data = map[string]string{"k": step.value}
					return controllerutil.SetControllerReference(owner, m, c.Scheme())
				})
				require.NoError(t, err)
				require.Equal(t, step.want, result)
				got := again(c, m)
				require.Equal(t, step.value, got.Data["k"])
				require.True(t, metav1.IsControlledBy(got, owner))
			}
		})
	}
	t.Run("CreateOrPatch writes spec and status", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		d := c.deployment("both")
		result, err := controllerutil.CreateOrPatch(t.Context(), c, d, func() error {
			d.Spec.Replicas, d.Status.Replicas = new(int32(3)), 2
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, controllerutil.OperationResultUpdatedStatus, result)
		got := again(c, d)
		require.Equal(t, []int32{3, 2}, []int32{*got.Spec.Replicas, got.Status.Replicas})
	})
	t.Run("dry runs answer as if and store nothing", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		m := configMap("dry-run", "1")
		require.NoError(t, c.Create(t.Context(), m.DeepCopy(), client.DryRunAll))
		require.NoError(t, c.Create(t.Context(), m), "the name is free still")
		next := m.DeepCopy()
		next.Data["k"] = "2"
		require.NoError(t, client.NewDryRunClient(c).Update(t.Context(), next))
		require.Equal(t, "2", next.Data["k"])
		require.Equal(t, m, again(c, m))
		require.NoError(t, c.Delete(t.Context(), m, client.DryRunAll))
		require.Equal(t, m, again(c, m))
	})
	t.Run("strict validation refuses unknown fields", func(t *testing.T) {
		c := newRuntimeClient(t, s)
		bad := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "strict", "namespace": "default"},
			"datum": map[string]any{"a": "b"},
		}}
		strict := client.WithFieldValidation(c, client.FieldValidation(metav1.FieldValidationStrict))
		err := strict.Create(t.Context(), bad.DeepCopy())
		require.True(t, apierrors.IsBadRequest(err), "%v", err)
		require.ErrorContains(t, err, `unknown field "datum"`)
		require.NoError(t, c.Create(t.Context(), bad.DeepCopy(), client.FieldValidation(metav1.FieldValidationIgnore)))
		err = strict.Patch(t.Context(), bad.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"datum":{"a":"c"}}`)))
		require.ErrorContains(t, err, `unknown field "datum"`)
	})
}
