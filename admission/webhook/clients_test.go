package webhook_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

func TestConnectionsAreShared(t *testing.T) {
	s, other := newServer(t), newServer(t)
	config := configOf(t)
	compile := func() *webhook.Configuration {
		return configuration(t, "c", remote("a.example.com", s.at("/a")), remote("b.example.com", s.at("/b")))
	}
	first := compile()
	for range 3 {
		require.NoError(t, mutate(t, creation(), webhook.NewMutating(config, first)))
	}
	require.Equal(t, 1, s.connected(), "by requests and webhooks")
	second := compile()
	config.Clients.Retain(webhook.Targets(second)...)
	require.NoError(t, mutate(t, creation(), webhook.NewMutating(config, second)))
	require.Equal(t, 1, s.connected(), "by what is compiled anew")

	third := configuration(t, "c", remote("a.example.com", other.at("/a")))
	require.NoError(t, mutate(t, creation(), webhook.NewMutating(config, third)))
	config.Clients.Retain(webhook.Targets(third)...)
	require.Eventually(t, s.hungUp, 10*time.Second, time.Millisecond)
	require.NoError(t, mutate(t, creation(), webhook.NewMutating(config, second)))
	require.Equal(t, 2, s.connected(), "but closed when nothing uses it")
	require.Equal(t, 1, other.connected())
	config.Clients.Close()
	config.Clients.Close()
	require.Eventually(t, func() bool { return s.hungUp() && other.hungUp() }, 10*time.Second, time.Millisecond)
}

func TestConnectionOfACallUnderWayIsClosedBehindIt(t *testing.T) {
	for name, end := range map[string]func(*callout.Clients){
		"when its configuration is gone": func(c *callout.Clients) { c.Retain() },
		"when all is over":               func(c *callout.Clients) { c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			config := configOf(t)
			called, release := make(chan struct{}), make(chan struct{})
			s.answers(func(w http.ResponseWriter, a asked) {
				close(called)
				<-release
				allow(w, a)
			})
			stage := webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", s.at(""))))
			failure := make(chan error)
			go func() { failure <- stage.Validate(context.Background(), creation()) }()
			<-called
			end(config.Clients)
			close(release)
			require.NoError(t, <-failure)
			require.Eventually(t, s.hungUp, 10*time.Second, time.Millisecond)
		})
	}
}

func TestCallsAfterTheEndKeepNoConnection(t *testing.T) {
	s := newServer(t)
	config := configOf(t)
	config.Clients.Close()
	stage := webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", s.at(""))))
	require.NoError(t, validate(t, stage, creation()))
	require.Eventually(t, s.hungUp, 10*time.Second, time.Millisecond)
}

func TestCallsAtTheSameTimeShareAConnection(t *testing.T) {
	s := newServer(t)
	config := configOf(t)
	c := configuration(t, "c", remote("a.example.com", s.at("")), remote("b.example.com", s.at("")))
	require.NoError(t, mutate(t, creation(), webhook.NewMutating(config, c)))
	stage := webhook.NewValidating(config, c)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := stage.Validate(t.Context(), creation()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, s.connected(), "HTTP/2 needs no more")
}

func TestServiceIsCalledByItsName(t *testing.T) {
	s := newServer(t)
	config := configOf(t)
	var asked []string
	config.Clients.Service = func(_ context.Context, namespace, name string, port int32) (string, error) {
		asked = append(asked, fmt.Sprintf("%s/%s:%d", namespace, name, port))
		return s.Listener.Addr().String(), nil
	}
	client := webhook.ClientConfig{Service: &webhook.Service{Namespace: "infra", Name: "hooks", Path: text("/check"), Port: seconds(8443)}, CABundle: s.bundle()}
	stage := webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", client)))
	err := validate(t, stage, creation())
	require.ErrorContains(t, err, "not hooks.infra.svc", "the certificate has to be that of the service")
	require.Equal(t, []string{"infra/hooks:8443"}, asked)
}

// TestWebhookThatHangs is about sockets, so that it takes the second that is the shortest timeout.
func TestWebhookThatHangs(t *testing.T) {
	s := newServer(t)
	release := make(chan struct{})
	s.answers(func(w http.ResponseWriter, a asked) { <-release })
	defer close(release)
	one := func(h *webhook.Hook) { h.TimeoutSeconds = seconds(1) }
	err := validate(t, validating(t, remote("a.example.com", s.at(""), one)), creation())
	require.EqualError(t, err, fmt.Sprintf(`Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "%s/?timeout=1s": context deadline exceeded`, s.URL))

	fails, ignores := remote("a.example.com", s.at("")), remote("a.example.com", s.at(""), ignoring)
	for _, h := range []webhook.Hook{fails, ignores} { // the request ends before the webhook fails
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		err = validating(t, h).Validate(ctx, creation())
		require.EqualError(t, err, "Timeout: request did not complete within requested timeout")
		cancel()

		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(10*time.Millisecond, cancel)
		require.ErrorIs(t, validating(t, h).Validate(ctx, creation()), context.Canceled)
	}
}

// TestAnswerThatStopsInTheMiddle has a body that is shorter than announced.
func TestAnswerThatStopsInTheMiddle(t *testing.T) {
	s := newServer(t)
	s.answers(func(w http.ResponseWriter, a asked) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.Copy(w, strings.NewReader("{"))
	})
	require.ErrorContains(t, validate(t, validating(t, remote("a.example.com", s.at(""))), creation()), "failed to call webhook: reading the answer: ")
}

func TestServiceThatCannotBeDialled(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	config := configOf(t)
	config.Clients.Service = func(context.Context, string, string, int32) (string, error) { return address, nil }
	stage := webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", webhook.ClientConfig{Service: &webhook.Service{Namespace: "a", Name: "b"}})))
	require.ErrorContains(t, validate(t, stage, creation()), `Post "https://b.a.svc:443/?timeout=10s": dial tcp `+address)
}
