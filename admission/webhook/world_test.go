package webhook_test

import (
	"context"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// asked is a review that a server got.
type asked struct {
	uri     string
	review  object.Object
	request object.Object
}

// server is a webhook over TLS. It allows everything until it is told otherwise.
type server struct {
	*httptest.Server
	mu          sync.Mutex
	respond     func(w http.ResponseWriter, a asked)
	got         []asked
	connections int // that were made
	closed      int // of them
}

func newServer(t testing.TB) *server {
	s := &server{respond: allow}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch state {
		case http.StateNew:
			s.connections++
		case http.StateClosed:
			s.closed++
		}
	}
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	review, err := object.Decode(body)
	if err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		http.Error(w, "no review", http.StatusBadRequest)
		return
	}
	request, _ := review["request"].(map[string]any)
	a := asked{r.RequestURI, review, request}
	s.mu.Lock()
	s.got = append(s.got, a)
	respond := s.respond
	s.mu.Unlock()
	respond(w, a)
}

// answers makes it answer otherwise.
func (s *server) answers(respond func(w http.ResponseWriter, a asked)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.respond = respond
}

// seen gives what it was asked since the last time.
func (s *server) seen() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

func (s *server) connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connections
}

// hungUp says whether no connection is open any more.
func (s *server) hungUp() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed == s.connections
}

func (s *server) bundle() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

// at says where it is.
func (s *server) at(path string) webhook.ClientConfig {
	url := s.URL + path
	return webhook.ClientConfig{URL: &url, CABundle: s.bundle()}
}

// respondWith answers with fields of a response, as JSON behind its uid.
func respondWith(fields string) func(w http.ResponseWriter, a asked) {
	if fields != "" {
		fields = "," + fields
	}
	return func(w http.ResponseWriter, a asked) {
		fmt.Fprintf(w, `{"apiVersion":%q,"kind":"AdmissionReview","response":{"uid":%q%s}}`, a.review.APIVersion(), a.request["uid"], fields)
	}
}

func respondWithPatch(patch string) func(w http.ResponseWriter, a asked) {
	return respondWith(fmt.Sprintf(`"allowed":true,"patchType":"JSONPatch","patch":%q`, base64.StdEncoding.EncodeToString([]byte(patch))))
}

func respondRaw(code int, text string) func(w http.ResponseWriter, a asked) {
	return func(w http.ResponseWriter, a asked) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

func allow(w http.ResponseWriter, a asked) { respondWith(`"allowed":true`)(w, a) }

// patcher applies patches and gives each object a default.
type patcher struct{}

func (patcher) JSONPatch(_ context.Context, o object.Object, text []byte) (object.Object, error) {
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	patched, err := patch.Apply(object.AppendJSON(nil, o))
	if err != nil {
		return nil, err
	}
	next, err := object.Decode(patched)
	if err == nil && next["immutable"] == nil && next["data"] != nil {
		next["immutable"] = false
	}
	return next, err
}

func text(s string) *string { return &s }

func seconds(n int32) *int32 { return &n }

// remote makes a hook for config maps that a server answers.
func remote(name string, client webhook.ClientConfig, change ...func(h *webhook.Hook)) webhook.Hook {
	h := webhook.Hook{
		Name: name, ClientConfig: client, SideEffects: "None", AdmissionReviewVersions: []string{"v1"},
		Rules: []match.Rule{match.For("*").Of("", "configmaps")},
	}
	for _, c := range change {
		c(&h)
	}
	return h
}

// function makes a hook for config maps that a function answers.
func function(name string, call webhook.Func, change ...func(h *webhook.Hook)) webhook.Hook {
	h := webhook.Hook{Name: name, Call: call, Rules: []match.Rule{match.For("*").Of("", "configmaps")}}
	for _, c := range change {
		c(&h)
	}
	return h
}

func ignoring(h *webhook.Hook) { h.FailurePolicy = "Ignore" }

func again(h *webhook.Hook) { h.ReinvocationPolicy = "IfNeeded" }

func configuration(t testing.TB, name string, hooks ...webhook.Hook) *webhook.Configuration {
	c, err := webhook.New(name, hooks...)
	require.NoError(t, err)
	return c
}

// configOf has clients that are closed at the end of the test.
func configOf(t testing.TB) webhook.Config {
	clients := &callout.Clients{}
	t.Cleanup(clients.Close)
	return webhook.Config{Clients: clients, Patcher: patcher{}}
}

// validating makes a stage of hooks.
func validating(t testing.TB, hooks ...webhook.Hook) *webhook.Validating {
	return webhook.NewValidating(configOf(t), configuration(t, "c", hooks...))
}

func mutating(t testing.TB, hooks ...webhook.Hook) *webhook.Mutating {
	return webhook.NewMutating(configOf(t), configuration(t, "c", hooks...))
}

// creation makes the request for a config map.
func creation() *admission.Request {
	return &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		Kind:      object.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Name:      "a", Namespace: "ns",
		User:    object.User{Name: "jo", UID: "u-17", Groups: []string{"cooks"}, Extra: map[string][]string{"scopes": {"read", "write"}}},
		Options: object.Object{"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions", "fieldManager": "me"},
		Object: object.Object{
			"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "b"},
			"metadata": map[string]any{"name": "a", "namespace": "ns", "labels": map[string]any{"mode": "strict"}},
		},
		FindNamespace: func() object.Object {
			return object.Object{"metadata": map[string]any{"name": "ns", "labels": map[string]any{"env": "prod"}}}
		},
		Trace: &admission.Trace{},
	}
}

func deletion() *admission.Request {
	req := creation()
	req.Operation, req.Object, req.OldObject = admission.Delete, nil, req.Object
	req.Options = object.Object{"apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions"}
	return req
}

// validate runs a stage as a chain does.
func validate(t testing.TB, v admission.Validator, req *admission.Request) error {
	chain := admission.Chain{Validators: []admission.Validator{v}}
	return chain.Validate(t.Context(), req)
}

func mutate(t testing.TB, req *admission.Request, stages ...admission.Mutator) error {
	chain := admission.Chain{Mutators: stages}
	return chain.Mutate(t.Context(), req)
}
