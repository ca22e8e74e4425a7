package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// asCollector makes this test binary be the program, so that it can be killed.
const asCollector = "TEST_AS_COLLECTOR"

func TestMain(m *testing.M) {
	if os.Getenv(asCollector) == "" {
		os.Exit(m.Run())
	}
	main()
}

// world is a server that collects nothing.
type world struct {
	*testing.T
	kubeconfig string
	client     kubernetes.Interface
	dynamic    dynamic.Interface
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	server := filepath.Join(t.TempDir(), "apiserver")
	out, err := exec.Command("go", "build", "-o", server, "../apiserver").CombinedOutput()
	require.NoError(t, err, "%s", out)
	started := w.start(exec.Command(server, "--listen", "127.0.0.1:0", "--data", "memory", "--kubeconfig", w.kubeconfig, "--controllers=false"),
		func(c *exec.Cmd) (io.Reader, error) { return c.StdoutPipe() }, "kubectl ")
	w.await(started)
	config, err := clientcmd.BuildConfigFromFlags("", w.kubeconfig)
	require.NoError(t, err)
	config.QPS = -1
	w.client, err = kubernetes.NewForConfig(config)
	require.NoError(t, err)
	w.dynamic, err = dynamic.NewForConfig(config)
	require.NoError(t, err)
	return w
}

// start runs a program until the test ends. The channel is closed when it prints a text.
func (w *world) start(c *exec.Cmd, pipe func(*exec.Cmd) (io.Reader, error), text string) <-chan struct{} {
	w.Helper()
	out, err := pipe(c)
	require.NoError(w, err)
	require.NoError(w, c.Start())
	w.Cleanup(func() { kill(c) })
	found := make(chan struct{})
	go func() { // ends with the program
		lines := bufio.NewScanner(out)
		for seen := false; lines.Scan(); {
			if !seen && strings.Contains(lines.Text(), text) {
				seen = true
				close(found)
			}
		}
	}()
	return found
}

// await waits for a program.
func (w *world) await(printed <-chan struct{}) {
	w.Helper()
	select {
	case <-printed:
	case <-time.After(30 * time.Second):
		w.Fatal("the program did not say what it had to")
	}
}

// run runs a part of a test.
func (w *world) run(name string, test func(w *world)) {
	w.Run(name, func(t *testing.T) {
		part := *w
		part.T = t
		test(&part)
	})
}

func kill(c *exec.Cmd) {
	_ = c.Process.Kill()
	_ = c.Wait()
}

// collect runs the program; the channel is closed when it holds the lease.
func (w *world) collect() (*exec.Cmd, <-chan struct{}) {
	w.Helper()
	c := exec.Command(os.Args[0], "--kubeconfig", w.kubeconfig, "--lease-namespace", "default", "--lease-duration", "2s")
	c.Env = append(os.Environ(), asCollector+"=1")
	return c, w.start(c, func(c *exec.Cmd) (io.Reader, error) { return c.StderrPipe() }, "holding the lease")
}

func (w *world) deployment(name string) *appsv1.Deployment {
	w.Helper()
	labels := map[string]string{"app": name}
	d, err := w.client.AppsV1().Deployments("default").Create(w.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}, metav1.CreateOptions{})
	require.NoError(w, err)
	return d
}

// add creates a ConfigMap with owners, for which their deletion in the foreground waits.
func (w *world) add(name string, owners ...metav1.OwnerReference) metav1.OwnerReference {
	w.Helper()
	m, err := w.client.CoreV1().ConfigMaps("default").Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, OwnerReferences: owners},
	}, metav1.CreateOptions{})
	require.NoError(w, err)
	return blocking(m, "v1", "ConfigMap")
}

func blocking(owner metav1.Object, apiVersion, kind string) metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &yes}
}

func (w *world) names() string {
	list, err := w.client.CoreV1().ConfigMaps("default").List(w.Context(), metav1.ListOptions{})
	if err != nil {
		return err.Error()
	}
	var names []string
	for _, o := range list.Items {
		text := o.Name
		for _, ref := range o.OwnerReferences {
			text += "<" + ref.Name
		}
		names = append(names, text)
	}
	return strings.Join(names, " ")
}

// until waits until there are these ConfigMaps.
func (w *world) until(names string) {
	w.Helper()
	require.Eventually(w, func() bool { return w.names() == names }, 30*time.Second, 20*time.Millisecond, "there are not only %q", names)
}

func (w *world) remove(name string, policy metav1.DeletionPropagation) {
	w.Helper()
	require.NoError(w, w.client.AppsV1().Deployments("default").Delete(w.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}))
}

func TestCollectorInAProcessOfItsOwn(t *testing.T) {
	w := newWorld(t)
	_, leads := w.collect()
	w.await(leads)
	w.run("collects in the background", func(w *world) {
		owner := blocking(w.deployment("a"), "apps/v1", "Deployment")
		w.add("of-of-a", w.add("of-a", owner))
		w.add("other")
		w.remove("a", metav1.DeletePropagationBackground)
		w.until("other")
	})
	w.run("ends a deletion in the foreground after all", func(w *world) {
		owner := blocking(w.deployment("b"), "apps/v1", "Deployment")
		w.add("of-b", owner)
		hold := w.add("of-b-held", owner)
		_, err := w.client.CoreV1().ConfigMaps("default").Patch(w.Context(), hold.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/hold"]}}`), metav1.PatchOptions{})
		require.NoError(w, err)
		w.remove("b", metav1.DeletePropagationForeground)
		w.until("of-b-held<b other")
		_, err = w.client.AppsV1().Deployments("default").Get(w.Context(), "b", metav1.GetOptions{})
		require.NoError(w, err)
		_, err = w.client.CoreV1().ConfigMaps("default").Patch(w.Context(), hold.Name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		require.NoError(w, err)
		w.untilGone("b")
		w.until("other")
	})
	w.run("leaves orphans", func(w *world) {
		w.add("of-c", blocking(w.deployment("c"), "apps/v1", "Deployment"))
		w.remove("c", metav1.DeletePropagationOrphan)
		w.untilGone("c")
		require.Equal(w, "of-c other", w.names())
	})
	w.run("reports owners in other namespaces", func(w *world) {
		owner, err := w.client.CoreV1().Secrets("kube-public").Create(w.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "far"}}, metav1.CreateOptions{})
		require.NoError(w, err)
		w.add("of-far", blocking(owner, "v1", "Secret"))
		w.until("of-c other")
		events, err := w.client.CoreV1().Events("default").List(w.Context(), metav1.ListOptions{})
		require.NoError(w, err)
		require.Len(w, events.Items, 1)
		require.Equal(w, "OwnerRefInvalidNamespace", events.Items[0].Reason)
		require.Equal(w, "of-far", events.Items[0].InvolvedObject.Name)
	})
	w.run("learns of new kinds", func(w *world) {
		gear := w.gear("g")
		w.add("of-gear", blocking(gear, "example.com/v1", "Gear"))
		require.NoError(w, w.gears().Delete(w.Context(), "g", metav1.DeleteOptions{}))
		w.until("of-c other")
		require.NoError(w, w.dynamic.Resource(definitions).Delete(w.Context(), "gears.example.com", metav1.DeleteOptions{}))
		owner := blocking(w.deployment("d"), "apps/v1", "Deployment")
		w.add("of-d", owner)
		w.remove("d", metav1.DeletePropagationForeground)
		w.untilGone("d")
		w.until("of-c other")
	})
}

// TestAnotherCollectorTakesOver kills the one that works.
func TestAnotherCollectorTakesOver(t *testing.T) {
	w := newWorld(t)
	first, leads := w.collect()
	w.await(leads)
	_, next := w.collect()
	owner := blocking(w.deployment("a"), "apps/v1", "Deployment")
	w.add("of-a", owner)
	w.remove("a", metav1.DeletePropagationBackground)
	w.until("")
	select {
	case <-next:
		t.Fatal("both work")
	default:
	}

	owner = blocking(w.deployment("b"), "apps/v1", "Deployment")
	w.add("kept")
	for i := range 200 {
		w.add(fmt.Sprint("of-b-", i), owner)
	}
	w.remove("b", metav1.DeletePropagationForeground)
	kill(first)
	w.await(next)
	w.untilGone("b")
	w.until("kept")
}

func (w *world) untilGone(deployment string) {
	w.Helper()
	require.Eventually(w, func() bool {
		_, err := w.client.AppsV1().Deployments("default").Get(w.Context(), deployment, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, 30*time.Second, 20*time.Millisecond)
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

func (w *world) gears() dynamic.ResourceInterface {
	return w.dynamic.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gears"}).Namespace("default")
}

// gear creates one, after its kind.
func (w *world) gear(name string) *unstructured.Unstructured {
	w.Helper()
	_, err := w.dynamic.Resource(definitions).Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gears.example.com"},
		"spec": map[string]any{
			"group": "example.com", "scope": "Namespaced", "names": map[string]any{"plural": "gears", "kind": "Gear"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}},
			}},
		},
	}}, metav1.CreateOptions{})
	require.NoError(w, err)
	var gear *unstructured.Unstructured
	require.Eventually(w, func() bool {
		gear, err = w.gears().Create(w.Context(), &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "example.com/v1", "kind": "Gear", "metadata": map[string]any{"name": name},
		}}, metav1.CreateOptions{})
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
	return gear
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		args []string
		err  string
	}{
		{[]string{"--lease-duration", "10ms"}, "--lease-duration is less than a second"},
		{[]string{"more"}, `unknown argument "more"`},
	} {
		_, err := parseOptions(c.args, io.Discard)
		require.EqualError(t, err, c.err)
	}
	require.True(t, errors.Is(run(context.Background(), []string{"--kubeconfig", "missing"}, io.Discard), os.ErrNotExist))
}
