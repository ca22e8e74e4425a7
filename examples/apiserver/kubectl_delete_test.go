package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// workload is a deployment that owns a replica set, which owns a pod, in a namespace of
// their own, next to others that nobody owns.
type workload struct {
	*kubectl
	client    kubernetes.Interface
	namespace string
}

func newWorkload(t *testing.T, s *runningServer, namespace string) *workload {
	t.Helper()
	w := &workload{newKubectl(t, s), s.client(t, ""), namespace}
	_, err := w.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)

	labels := map[string]string{"app": "web"}
	pod := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	deployment, err := w.client.AppsV1().Deployments(namespace).Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: pod},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	replicas, err := w.client.AppsV1().ReplicaSets(namespace).Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: owned("web-1", deployment, "Deployment"), Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: pod},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	_, err = w.client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
		ObjectMeta: owned("web-1-a", replicas, "ReplicaSet"), Spec: pod.Spec,
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	w.configMap("bystander")
	return w
}

func owned(name string, owner metav1.Object, kind string) metav1.ObjectMeta {
	ref := metav1.NewControllerRef(owner, appsv1.SchemeGroupVersion.WithKind(kind))
	return metav1.ObjectMeta{Name: name, OwnerReferences: []metav1.OwnerReference{*ref}}
}

func (w *workload) configMap(name string, finalizers ...string) {
	w.Helper()
	_, err := w.client.CoreV1().ConfigMaps(w.namespace).Create(w.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Finalizers: finalizers, Labels: map[string]string{"app": "config"}},
	}, metav1.CreateOptions{})
	require.NoError(w, err)
}

// left are the objects that there are, with their owners.
func (w *workload) left() string {
	w.Helper()
	return w.run("get", "deployments,replicasets,pods,configmaps", "-n", w.namespace, "-o",
		`go-template={{range .items}}{{.metadata.name}}{{range .metadata.ownerReferences}}<{{.name}}{{end}} {{end}}`)
}

func (w *workload) delete(args ...string) string {
	w.Helper()
	return w.run(append([]string{"delete", "-n", w.namespace}, args...)...)
}

func (w *workload) awaitDeletion(names ...string) {
	w.Helper()
	w.run(append([]string{"wait", "--for=delete", "--timeout=20s", "-n", w.namespace}, names...)...)
}

// letGo takes the finalizers from a ConfigMap.
func (w *workload) letGo(name string) {
	w.Helper()
	_, err := w.client.CoreV1().ConfigMaps(w.namespace).Patch(w.Context(), name, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	require.NoError(w, err)
}

func TestKubectlDeletesWhatAnOwnerOwns(t *testing.T) {
	s := startServer(t)
	const all = "web web-1<web web-1-a<web-1 bystander "
	for _, c := range []struct {
		name, namespace, flag string
		left                  string
		soon                  bool // the command doesn't wait for the dependents
	}{
		{"by default in the background", "default-cascade", "--wait", "bystander ", true},
		{"in the background", "background", "--cascade=background", "bystander ", true},
		{"in the foreground and waits for all", "foreground", "--cascade=foreground", "bystander ", false},
		{"or leaves orphans", "orphan", "--cascade=orphan", "web-1 web-1-a<web-1 bystander ", false},
		{"or nothing in a dry run", "dry-run", "--dry-run=server", all, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkload(t, s, c.namespace)
			require.Contains(t, w.delete("deployment", "web", c.flag), `deployment.apps "web" deleted`)
			if c.soon {
				w.awaitDeletion("replicaset/web-1", "pod/web-1-a")
			}
			require.Equal(t, c.left, w.left())
		})
	}
}

func TestKubectlDeletesInTheForegroundOnlyAfterDependentsAreGone(t *testing.T) {
	s := startServer(t)
	w := newWorkload(t, s, "held")
	deployment, err := w.client.AppsV1().Deployments(w.namespace).Get(t.Context(), "web", metav1.GetOptions{})
	require.NoError(t, err)
	held := &corev1.ConfigMap{ObjectMeta: owned("held", deployment, "Deployment")}
	held.Finalizers = []string{"example.com/hold"}
	_, err = w.client.CoreV1().ConfigMaps(w.namespace).Create(t.Context(), held, metav1.CreateOptions{})
	require.NoError(t, err)

	require.Contains(t, w.fail("delete", "deployment", "web", "-n", w.namespace, "--cascade=foreground", "--timeout=1s"),
		"timed out waiting for the condition on deployments/web")
	w.awaitDeletion("replicaset/web-1", "pod/web-1-a")
	require.Equal(t, "web bystander held<web ", w.left())
	w.letGo("held")
	w.awaitDeletion("deployment/web")
	require.Equal(t, "bystander ", w.left())
}

func TestKubectlWaitsForFinalizers(t *testing.T) {
	s := startServer(t)
	t.Run("until a timeout", func(t *testing.T) {
		w := newWorkload(t, s, "timeout")
		w.configMap("held", "example.com/hold")
		require.Contains(t, w.fail("delete", "cm", "held", "-n", w.namespace, "--timeout=1s"), "timed out waiting for the condition on configmaps/held")
		require.Regexp(t, `^20.*Z 0$`, w.run("get", "cm", "held", "-n", w.namespace, "-o",
			"jsonpath={.metadata.deletionTimestamp} {.metadata.deletionGracePeriodSeconds}"))
	})
	t.Run("until they are removed", func(t *testing.T) {
		w := newWorkload(t, s, "removed")
		w.configMap("held", "example.com/hold")
		changes, err := w.client.CoreV1().ConfigMaps(w.namespace).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=held"})
		require.NoError(t, err)
		defer changes.Stop()
		deleting := w.command("delete", "cm", "held", "-n", w.namespace)
		var out bytes.Buffer
		deleting.Stdout, deleting.Stderr = &out, &out
		require.NoError(t, deleting.Start())
		for e := range changes.ResultChan() {
			if e.Type == watch.Modified {
				break
			}
		}
		w.letGo("held")
		require.NoError(t, deleting.Wait(), &out)
		require.Equal(t, "configmap \"held\" deleted from removed namespace\n", out.String())
		require.Contains(t, w.fail("get", "cm", "held", "-n", w.namespace), "NotFound")
	})
	t.Run("unless told not to", func(t *testing.T) {
		w := newWorkload(t, s, "no-wait")
		w.configMap("held", "example.com/hold")
		require.Equal(t, "configmap \"held\" deleted from no-wait namespace\n", w.delete("cm", "held", "--wait=false"))
		require.Contains(t, w.left(), "held ")
		require.Equal(t, "configmap/held patched\n", w.run("patch", "cm", "held", "-n", w.namespace, "--type=json",
			"-p", `[{"op":"remove","path":"/metadata/finalizers"}]`))
		require.NotContains(t, w.left(), "held ")
	})
}

func TestKubectlDeletesAtOnce(t *testing.T) {
	s := startServer(t)
	w := newWorkload(t, s, "now")
	for _, c := range []struct {
		name  string
		args  []string
		print string
	}{
		{"with force", []string{"--grace-period=0", "--force"},
			"Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.\n" +
				"configmap \"a\" force deleted from now namespace\n"},
		{"with now", []string{"--now"}, "configmap \"a\" deleted from now namespace\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.configMap("a")
			out, err := w.command(append([]string{"delete", "cm", "a", "-n", w.namespace}, c.args...)...).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, c.print, string(out))
			require.NotContains(t, w.left(), " a ")
		})
	}
}

func TestKubectlDeletesManyAtOnce(t *testing.T) {
	s := startServer(t)
	const file = `
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b}
`
	for _, c := range []struct {
		name, namespace string
		args            []string
		left            string
	}{
		{"those of a file", "files", []string{"-f", "two.yaml"}, "web web-1<web web-1-a<web-1 bystander c "},
		{"all of a kind in the namespace", "all", []string{"cm", "--all"}, "web web-1<web web-1-a<web-1 "},
		{"those with a label", "labels", []string{"cm,pods", "-l", "app in (config, web)"}, "web web-1<web web-1-a<web-1 "},
		{"those with a name, of several kinds", "names", []string{"cm/a", "deployment/web", "--cascade=foreground"}, "b bystander c "},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorkload(t, s, c.namespace)
			w.file("two.yaml", file)
			for _, name := range []string{"a", "b", "c"} {
				w.configMap(name)
			}
			w.delete(c.args...)
			require.Equal(t, c.left, w.left())
		})
	}
	_, err := s.client(t, "").CoreV1().ConfigMaps("files").Get(t.Context(), "c", metav1.GetOptions{})
	require.NoError(t, err, "what is in other namespaces stays")
}
