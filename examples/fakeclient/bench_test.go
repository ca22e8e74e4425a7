package fakeclient

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/seed-6c0fa0ad/plinth/examples/controllertest"
)

// clients are those that are measured, each new and empty.
func clients(b *testing.B) map[string]func(t testing.TB) client.Client {
	scheme := newScheme(b)
	return map[string]func(t testing.TB) client.Client{
		"plinth": func(t testing.TB) client.Client {
			return controllertest.Client(t, controllertest.New(t), scheme)
		},
		"fake": func(testing.TB) client.Client { return fake.NewClientBuilder().WithScheme(scheme).Build() },
	}
}

// scope is a part of a test with an end of its own.
type scope struct {
	testing.TB
	atEnd []func()
}

func (s *scope) Cleanup(f func()) { s.atEnd = append(s.atEnd, f) }

func (s *scope) end() {
	for _, f := range slices.Backward(s.atEnd) {
		f()
	}
}

// pod is about as large as pods are: 4 KB of JSON.
func pod(name string) *corev1.Pod {
	labels := map[string]string{"app.kubernetes.io/name": "shop", "app.kubernetes.io/instance": name, "pod-template-hash": "5d4f8c7b9"}
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: labels},
		Spec: corev1.PodSpec{
			ServiceAccountName: "shop", NodeSelector: map[string]string{"kubernetes.io/os": "linux"},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: new(int64(300))}},
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "shop"}}}},
				{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
			},
		},
	}
	for _, container := range []string{"web", "worker", "proxy"} {
		c := corev1.Container{
			Name: container, Image: "registry.example.com/shop/" + container + ":v1.2.3", Args: []string{"--config=/etc/shop/config.yaml", "--verbose"},
			Ports: []corev1.ContainerPort{{Name: "http-" + container, ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
				Limits:   corev1.ResourceList{"memory": resource.MustParse("256Mi")},
			},
			VolumeMounts:   []corev1.VolumeMount{{Name: "config", MountPath: "/etc/shop", ReadOnly: true}, {Name: "scratch", MountPath: "/tmp"}},
			ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10},
		}
		for i := range 8 {
			c.Env = append(c.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: "a value of some length"})
		}
		p.Spec.Containers = append(p.Spec.Containers, c)
	}
	return p
}

// podConfiguration is the same as what a manager applies.
func podConfiguration(b *testing.B, name, image string) *coreapply.PodApplyConfiguration {
	b.Helper()
	p := pod(name)
	p.Spec.Containers[0].Image = image
	text, err := json.Marshal(p)
	require.NoError(b, err)
	c := coreapply.Pod(name, "default")
	require.NoError(b, json.Unmarshal(text, c))
	c.Status = nil
	return c
}

func BenchmarkClients(b *testing.B) {
	for _, name := range []string{"plinth", "fake"} {
		b.Run(name, func(b *testing.B) { benchmark(b, clients(b)[name]) })
	}
}

func benchmark(b *testing.B, build func(t testing.TB) client.Client) {
	b.Run("build and create", func(b *testing.B) {
		for b.Loop() {
			one := &scope{TB: b}
			require.NoError(b, build(one).Create(b.Context(), pod("a")))
			one.end()
		}
	})
	b.Run("create", func(b *testing.B) {
		c := build(b)
		for i := 0; b.Loop(); i++ {
			require.NoError(b, c.Create(b.Context(), pod(fmt.Sprintf("p%d", i))))
		}
	})
	b.Run("get", func(b *testing.B) {
		c := build(b)
		require.NoError(b, c.Create(b.Context(), pod("a")))
		for b.Loop() {
			require.NoError(b, c.Get(b.Context(), client.ObjectKey{Namespace: "default", Name: "a"}, &corev1.Pod{}))
		}
	})
	b.Run("list of 1000", func(b *testing.B) {
		c := build(b)
		for i := range 1000 {
			require.NoError(b, c.Create(b.Context(), pod(fmt.Sprintf("p%d", i))))
		}
		for b.Loop() {
			list := &corev1.PodList{}
			require.NoError(b, c.List(b.Context(), list, client.InNamespace("default")))
			require.Len(b, list.Items, 1000)
		}
	})
	b.Run("update", func(b *testing.B) {
		c, p := build(b), pod("a")
		require.NoError(b, c.Create(b.Context(), p))
		for i := 0; b.Loop(); i++ {
			p.Spec.Containers[0].Image = fmt.Sprintf("image:%d", i)
			require.NoError(b, c.Update(b.Context(), p))
		}
	})
	b.Run("patch", func(b *testing.B) {
		c, p := build(b), pod("a")
		require.NoError(b, c.Create(b.Context(), p))
		for i := 0; b.Loop(); i++ {
			patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"n":"%d"}}}`, i)
			require.NoError(b, c.Patch(b.Context(), p, client.RawPatch(types.MergePatchType, patch)))
		}
	})
	b.Run("apply", func(b *testing.B) {
		c := build(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			config := podConfiguration(b, "a", fmt.Sprintf("image:%d", i))
			b.StartTimer()
			require.NoError(b, c.Apply(b.Context(), config, client.FieldOwner("me")))
		}
	})
}
