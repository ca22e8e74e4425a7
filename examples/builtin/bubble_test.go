package builtin_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// world is a control plane, in memory and without a socket.
type world struct {
	client kubernetes.Interface // over a line that can be cut
	line   *line
	direct kubernetes.Interface
}

// inBubble runs a test in a world where time passes as soon as everybody waits.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		store, err := storage.New(memory.New(), nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, store.Close()) }()
		api, err := server.New(server.Config{Store: store, Resources: builtin.Resources(), Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		defer func() { require.NoError(t, api.Shutdown(context.Background())) }()
		_, err = api.Create(t.Context(), server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
			object.Object{"metadata": map[string]any{"name": "default"}}, server.WriteOptions{})
		require.NoError(t, err)

		l := &line{transport: server.Transport(api)}
		l.restore()
		test(t, &world{client: connect(t, l), line: l, direct: connect(t, server.Transport(api))})
	})
}

func connect(t *testing.T, transport http.RoundTripper) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "http://plinth", Transport: transport, QPS: -1})
	require.NoError(t, err)
	return client
}

// line is a connection that can be cut, which ends what goes over it.
type line struct {
	transport http.RoundTripper
	up        atomic.Value // of cuttable
}

type cuttable struct {
	context.Context
	cut context.CancelFunc
}

func (l *line) cut() { l.up.Load().(cuttable).cut() }

func (l *line) restore() {
	ctx, cancel := context.WithCancel(context.Background())
	l.up.Store(cuttable{ctx, cancel})
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	up := l.up.Load().(cuttable)
	if up.Err() != nil {
		return nil, errors.New("the line is cut")
	}
	ctx, cancel := context.WithCancel(r.Context())
	context.AfterFunc(up, cancel)
	return l.transport.RoundTrip(r.WithContext(ctx))
}

func TestAnInformerSeesEventsExpire(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		client := w.client
		factory := informers.NewSharedInformerFactory(client, 0)
		events := factory.Core().V1().Events()
		var deletedAfter time.Duration
		start := time.Now()
		_, err := events.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			DeleteFunc: func(any) { deletedAfter = time.Since(start) },
		})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		factory.Start(ctx.Done())
		defer factory.Shutdown()
		defer cancel()
		require.True(t, cache.WaitForCacheSync(ctx.Done(), events.Informer().HasSynced))
		start = time.Now()

		_, err = client.CoreV1().Events("default").Create(ctx, &corev1.Event{
			ObjectMeta:     metav1.ObjectMeta{Name: "e"},
			InvolvedObject: corev1.ObjectReference{Namespace: "default"},
		}, metav1.CreateOptions{})
		require.NoError(t, err)

		time.Sleep(59 * time.Minute)
		list, err := client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.Len(t, list.Items, 1)

		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.GreaterOrEqual(t, deletedAfter, time.Hour)
		list, err = client.EventsV1().Events("default").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		require.Empty(t, list.Items)
	})
}

func TestALeaseExpiresAfterAnHour(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		client := w.client
		start := time.Now()
		led := make(chan string, 10)
		run := func(ctx context.Context, name string) {
			elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "boss"}, Client: client.CoordinationV1(),
					LockConfig: resourcelock.ResourceLockConfig{Identity: name},
				},
				LeaseDuration: time.Hour, RenewDeadline: 50 * time.Minute, RetryPeriod: time.Minute,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { led <- fmt.Sprint(name, " ", time.Since(start).Round(10*time.Minute)) },
					OnStoppedLeading: func() {},
				},
			})
			require.NoError(t, err)
			elector.Run(ctx)
		}
		first, killFirst := context.WithCancel(t.Context())
		second, stopSecond := context.WithCancel(t.Context())
		defer stopSecond()
		go run(first, "first")
		require.Equal(t, "first 0s", <-led)
		go run(second, "second")
		time.Sleep(3 * time.Hour) // while it is renewed, nobody else gets it
		require.Empty(t, led)

		killFirst()
		require.Equal(t, "second 4h0m0s", <-led)
	})
}

func TestAnInformerListsAnewWhenItsVersionIsGone(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		factory := informers.NewSharedInformerFactory(w.client, 0)
		maps := factory.Core().V1().ConfigMaps()
		ctx, cancel := context.WithCancel(t.Context())
		informer := maps.Informer()
		// The default handler paces itself by a clock from outside the bubble.
		require.NoError(t, informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
		factory.Start(ctx.Done())
		defer factory.Shutdown()
		defer cancel()
		require.True(t, cache.WaitForCacheSync(ctx.Done(), informer.HasSynced))

		w.line.cut()
		for i := range 20 {
			time.Sleep(time.Minute)
			m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("m-%02d", i)}}
			_, err := w.direct.CoreV1().ConfigMaps("default").Create(ctx, m, metav1.CreateOptions{})
			require.NoError(t, err)
		}
		w.line.restore()
		time.Sleep(10 * time.Minute)
		list, err := maps.Lister().ConfigMaps("default").List(labels.Everything())
		require.NoError(t, err)
		require.Len(t, list, 20)
	})
}
