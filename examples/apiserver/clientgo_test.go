package main

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientfeatures "k8s.io/client-go/features"
	featuretesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"
)

// client gives client-go against the server, with its own defaults (protobuf), or
// with JSON.
func (s *runningServer) client(t *testing.T, contentType string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	require.NoError(t, err)
	if contentType != "" {
		config.ContentType, config.AcceptContentTypes = contentType, contentType
	}
	config.QPS, config.Burst = -1, -1
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{"by": "test"}},
		Data:       map[string]string{"k": value},
	}
}

func TestClientGo(t *testing.T) {
	s := startServer(t)
	for name, contentType := range map[string]string{
		"with its defaults": "",
		"with protobuf":     "application/vnd.kubernetes.protobuf",
		"with JSON":         "application/json",
	} {
		t.Run(name, func(t *testing.T) {
			maps := s.client(t, contentType).CoreV1().ConfigMaps("default")
			created, err := maps.Create(t.Context(), configMap("typed", "1"), metav1.CreateOptions{FieldValidation: "Strict"})
			require.NoError(t, err)
			require.NotEmpty(t, created.UID)

			created.Data["k"] = "2"
			updated, err := maps.Update(t.Context(), created, metav1.UpdateOptions{})
			require.NoError(t, err)
			_, err = maps.Update(t.Context(), created, metav1.UpdateOptions{})
			require.True(t, apierrors.IsConflict(err), "%v", err)

			got, err := maps.Get(t.Context(), "typed", metav1.GetOptions{})
			require.NoError(t, err)
			require.Equal(t, updated, got)
			list, err := maps.List(t.Context(), metav1.ListOptions{LabelSelector: "by=test"})
			require.NoError(t, err)
			require.Equal(t, []corev1.ConfigMap{*got}, list.Items)

			another := metav1.NewUIDPreconditions("another")
			err = maps.Delete(t.Context(), "typed", metav1.DeleteOptions{Preconditions: another})
			require.True(t, apierrors.IsConflict(err), "%v", err)
			require.NoError(t, maps.Delete(t.Context(), "typed", metav1.DeleteOptions{}))
			_, err = maps.Get(t.Context(), "typed", metav1.GetOptions{})
			require.True(t, apierrors.IsNotFound(err), "%v", err)
		})
	}
}

func TestPaging(t *testing.T) {
	s := startServer(t)
	client := s.client(t, "")
	for i := range 25 {
		_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap(fmt.Sprintf("page-%02d", i), ""), metav1.CreateOptions{})
		require.NoError(t, err)
	}
	pages := pager.New(pager.SimplePageFunc(func(opts metav1.ListOptions) (runtime.Object, error) {
		return client.CoreV1().ConfigMaps("default").List(t.Context(), opts)
	}))
	pages.PageSize = 10
	var names []string
	require.NoError(t, pages.EachListItem(t.Context(), metav1.ListOptions{}, func(o runtime.Object) error {
		names = append(names, o.(*corev1.ConfigMap).Name)
		return nil
	}))
	require.Len(t, names, 25)
	require.IsIncreasing(t, names)
}

func TestInformer(t *testing.T) {
	for name, streaming := range map[string]bool{"with a streaming list": true, "with a list and a watch": false} {
		t.Run(name, func(t *testing.T) {
			featuretesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, streaming)
			s := startServer(t)
			client := s.client(t, "")
			create(t, client, "before", "1")

			seen := newSeen()
			factory := informers.NewSharedInformerFactory(client, 0)
			informer := factory.Core().V1().ConfigMaps().Informer()
			_, err := informer.AddEventHandler(seen.handler())
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(t.Context())
			factory.Start(ctx.Done())
			defer factory.Shutdown()
			defer cancel()
			require.True(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))

			seen.expect(t, "add before=1")
			create(t, client, "after", "1")
			seen.expect(t, "add after=1")
			update(t, client, "after", "2")
			seen.expect(t, "update after=2")
			require.NoError(t, client.CoreV1().ConfigMaps("default").Delete(ctx, "before", metav1.DeleteOptions{}))
			seen.expect(t, "delete before=1")
		})
	}
}

// TestInformerSurvivesARestart: an informer whose server goes away and comes back
// goes on where it was.
func TestInformerSurvivesARestart(t *testing.T) {
	dir := t.TempDir()
	flags := []string{"--data", dir + "/objects.db"}
	s := startServer(t, flags...)
	client := s.client(t, "")
	create(t, client, "kept", "1")

	seen := newSeen()
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err := factory.Core().V1().ConfigMaps().Informer().AddEventHandler(seen.handler())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	defer cancel()
	seen.expect(t, "add kept=1")

	require.NoError(t, s.stop())
	again := startServer(t, append(flags, "--listen", s.address())...)
	update(t, again.client(t, ""), "kept", "2")
	seen.expect(t, "update kept=2")
}

func create(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), configMap(name, value), metav1.CreateOptions{})
	require.NoError(t, err)
}

func update(t *testing.T, client kubernetes.Interface, name, value string) {
	t.Helper()
	_, err := client.CoreV1().ConfigMaps("default").Update(t.Context(), configMap(name, value), metav1.UpdateOptions{})
	require.NoError(t, err)
}

// seen collects what the handlers of an informer are told about ConfigMaps.
type seen struct{ events chan string }

func newSeen() *seen { return &seen{make(chan string, 1000)} }

func (s *seen) handler() cache.ResourceEventHandler {
	tell := func(what string, o any) {
		if gone, ok := o.(cache.DeletedFinalStateUnknown); ok {
			o = gone.Obj
		}
		if m, ok := o.(*corev1.ConfigMap); ok {
			s.events <- fmt.Sprintf("%s %s=%s", what, m.Name, m.Data["k"])
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { tell("add", o) },
		UpdateFunc: func(_, o any) { tell("update", o) },
		DeleteFunc: func(o any) { tell("delete", o) },
	}
}

func (s *seen) expect(t *testing.T, want string) {
	t.Helper()
	select {
	case got := <-s.events:
		require.Equal(t, want, got)
	case <-time.After(30 * time.Second):
		t.Fatalf("%q did not come", want)
	}
}
