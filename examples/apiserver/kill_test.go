package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// TestACascadeSurvivesKills kills the server over and over while it collects what two
// owners of thousands have left behind. Whenever it comes back, it goes on.
func TestACascadeSurvivesKills(t *testing.T) {
	const dependents, bystanders, kills = 2000, 50, 4
	data := filepath.Join(t.TempDir(), "objects.db")
	kept := plant(t, data, dependents, bystanders)

	s := startProcess(t, data)
	s.delete(t, "back", metav1.DeletePropagationBackground)
	s.delete(t, "fore", metav1.DeletePropagationForeground)
	list := s.list(t)
	for i := range kills {
		s.await(t, list, dependents/20, len(kept))
		s.kill()
		s = startProcess(t, data)
		list = s.list(t)
		left := names(list)
		t.Logf("kill %d left %d objects", i+1, len(left))
		require.Subset(t, left, kept)
		if !slices.Contains(left, "fore") {
			require.False(t, slices.ContainsFunc(left, func(name string) bool { return strings.HasPrefix(name, "fore-") }),
				"a foreground deletion ends with the owner")
		}
	}
	s.await(t, list, math.MaxInt, len(kept))
	list = s.list(t)
	require.Equal(t, kept, names(list))
	for _, o := range list.Items {
		if strings.HasPrefix(o.Name, "shared-") {
			require.Len(t, o.OwnerReferences, 1, o.Name)
			require.Equal(t, "alive", o.OwnerReferences[0].Name)
		}
	}
}

// plant fills a file with three owners, many objects of each of the two that are to be deleted,
// and some that are to stay: it gives the names of these.
func plant(t *testing.T, data string, dependents, bystanders int) (kept []string) {
	t.Helper()
	store, err := openStore(data)
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	api, err := newServer(&options{token: "secret"}, store, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, createNamespaces(t.Context(), api))

	back, fore, alive := add(t, api, "back"), add(t, api, "fore"), add(t, api, "alive")
	kept = append(kept, "alive")
	yes := true
	fore.BlockOwnerDeletion = &yes
	var all sync.WaitGroup
	turn := make(chan struct{}, 64) // many at once share a commit
	later := func(name string, owners ...object.OwnerReference) {
		turn <- struct{}{}
		all.Go(func() {
			add(t, api, name, owners...)
			<-turn
		})
	}
	for i := range dependents {
		later(fmt.Sprint("back-", i), back)
		later(fmt.Sprint("fore-", i), fore)
	}
	for i := range bystanders {
		for name, owners := range map[string][]object.OwnerReference{
			"free": nil, "alives": {alive}, "shared-back": {back, alive}, "shared-fore": {alive, fore},
		} {
			name = fmt.Sprint(name, "-", i)
			later(name, owners...)
			kept = append(kept, name)
		}
	}
	all.Wait()
	slices.Sort(kept)
	return kept
}

func add(t *testing.T, api *server.Server, name string, owners ...object.OwnerReference) object.OwnerReference {
	target := server.Target{
		Resource: object.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Namespace: "default",
		User: object.User{Name: "test", Groups: []string{masters}},
	}
	o := object.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}}
	o.SetOwnerReferences(owners)
	created, err := api.Create(t.Context(), target, o, server.WriteOptions{})
	if err != nil {
		t.Error(err) // on whatever goroutine
		return object.OwnerReference{}
	}
	return object.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: name, UID: created.UID()}
}

// process is the program as a process of its own.
type process struct {
	*exec.Cmd
	client kubernetes.Interface
}

func startProcess(t *testing.T, data string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], "--http", "--listen", "127.0.0.1:0", "--data", data, "--token", "secret")}
	p.Env = append(os.Environ(), asServer+"=1")
	p.Stderr = os.Stderr
	out, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	t.Cleanup(p.kill)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "address:"); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }() // ends with the process
			p.client, err = kubernetes.NewForConfig(&rest.Config{Host: strings.TrimSpace(address), BearerToken: "secret", QPS: -1})
			require.NoError(t, err)
			return p
		}
	}
	t.Fatal("the server did not start")
	return nil
}

// kill ends the process without a chance to end anything; it may have been killed already.
func (p *process) kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
}

// await waits until so many of the objects of a list are deleted, or no more than are kept are left.
func (p *process) await(t *testing.T, list *corev1.ConfigMapList, deletions, kept int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	changes, err := p.client.CoreV1().ConfigMaps("default").Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	require.NoError(t, err)
	defer changes.Stop()
	left := len(list.Items)
	for deletions > 0 && left > kept {
		e, ok := <-changes.ResultChan()
		require.True(t, ok, "only %d are left, and %d more were to go", left, deletions)
		if e.Type == watch.Deleted {
			deletions, left = deletions-1, left-1
		}
	}
}

func (p *process) delete(t *testing.T, name string, policy metav1.DeletionPropagation) {
	t.Helper()
	require.NoError(t, p.client.CoreV1().ConfigMaps("default").Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}))
}

func (p *process) list(t *testing.T) *corev1.ConfigMapList {
	t.Helper()
	list, err := p.client.CoreV1().ConfigMaps("default").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	return list
}

func names(list *corev1.ConfigMapList) (names []string) {
	for _, o := range list.Items {
		names = append(names, o.Name)
	}
	slices.Sort(names)
	return names
}
