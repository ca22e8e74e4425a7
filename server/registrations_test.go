package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

const registrationPath = "/apis/admissionregistration.k8s.io/v1/"

// register stores a document of one of the kinds of admission; fields are those below metadata.
func register(t testing.TB, s *Server, kind, plural, name, fields string) {
	t.Helper()
	r := requestOf(t, s, http.MethodPost, registrationPath+plural,
		fmt.Sprintf(`{"apiVersion":"admissionregistration.k8s.io/v1","kind":%q,"metadata":{"name":%q},%s}`, kind, name, fields))
	require.Equal(t, http.StatusCreated, r.Code, "%s", r.Body)
}

// registerPolicy stores a policy for widgets with a binding. more is the rest of the spec.
func registerPolicy(t testing.TB, s *Server, name, more, bindingMore string) {
	t.Helper()
	register(t, s, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", name,
		`"spec":{"policyName":"`+name+`","validationActions":["Deny"]`+bindingMore+`}`)
	register(t, s, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", name, `"spec":{"matchConstraints":{"resourceRules":[
		{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["CREATE"],"resources":["widgets"]}]},`+more+`}`)
}

func createWidget(t testing.TB, s *Server, name string, pairs ...any) error {
	t.Helper()
	_, err := s.Create(t.Context(), target(""), widget(name, pairs...), WriteOptions{})
	return err
}

func TestPolicyIsInForceOnceItIsStored(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets())...)
	for i := range 20 {
		name := fmt.Sprint("p", i)
		require.NoError(t, createWidget(t, s, fmt.Sprint("before", i)))
		registerPolicy(t, s, name, `"validations":[{"expression":"false","message":"none today"}]`, "")
		var group sync.WaitGroup
		for j := range 8 { // whichever of them reads the policies
			group.Go(func() {
				if err := createWidget(t, s, fmt.Sprintf("w%d-%d", i, j)); !strings.Contains(fmt.Sprint(err), "none today") {
					t.Errorf("a policy that is stored was not in force: %v", err)
				}
			})
		}
		group.Wait()
		require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, registrationPath+"validatingadmissionpolicybindings/"+name, "").Code)
	}
}

func TestPoliciesNeverJudgeThemselves(t *testing.T) {
	s := newWorld(t, AdmissionKinds()...)
	register(t, s, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", "all", `"spec":{"policyName":"all","validationActions":["Deny"]}`)
	register(t, s, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", "all", `"spec":{"validations":[{"expression":"false"}],
		"matchConstraints":{"resourceRules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}]}}`)
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, registrationPath+"validatingadmissionpolicies/all", "").Code)
}

// TestParametersCountRightAfterARestart: a policy whose parameters are custom resources judges
// the first request of a new process.
func TestParametersCountRightAfterARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects.db")
	open := func() (s *Server, close func()) {
		backend, err := bolt.Open(file)
		require.NoError(t, err)
		store, err := storage.New(backend, nil)
		require.NoError(t, err)
		s, err = New(Config{
			Store: store, Resources: append(AdmissionKinds(), widgets()), CustomResources: &CustomResources{}, Logger: slog.New(slog.DiscardHandler),
		})
		require.NoError(t, err)
		return s, func() {
			require.NoError(t, s.Shutdown(context.Background()))
			require.NoError(t, store.Close())
		}
	}
	s, stop := open()
	define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, gear("limits")).Code)
	registerPolicy(t, s, "p", `"paramKind":{"apiVersion":"ex.org/v1","kind":"Gear"},"validations":[{"expression":"object.spec.size <= params.spec.teeth"}]`,
		`,"paramRef":{"name":"limits","parameterNotFoundAction":"Deny"}`)
	judge := func() {
		require.NoError(t, createWidget(t, s, "small"+fmt.Sprint(s.config.Store.Version()), "size", int64(3)))
		require.ErrorContains(t, createWidget(t, s, "large", "size", int64(4)), "failed expression: object.spec.size <= params.spec.teeth")
	}
	judge()
	stop()
	s, stop = open()
	defer stop()
	judge()
}

// TestBrokenPolicyFailsWhatItMatches: a document that no check has seen, as one of a program
// that describes the kind without any.
func TestBrokenPolicyFailsWhatItMatches(t *testing.T) {
	kinds := AdmissionKinds()
	for i := range kinds {
		kinds[i].Validate = nil
	}
	s := newWorld(t, append(kinds, widgets())...)
	registerPolicy(t, s, "ignored", `"failurePolicy":"Ignore","validations":[{"expression":"no( expression"}]`, "")
	require.NoError(t, createWidget(t, s, "a"))
	registerPolicy(t, s, "broken", `"validations":[{"expression":"no( expression"}]`, "")
	require.ErrorContains(t, createWidget(t, s, "b"), "broken")
	_, err := s.Update(t.Context(), target("a"), widget("a", "size", int64(1)), WriteOptions{})
	require.NoError(t, err, "which it does not match")
}

func TestMutatingPolicyFillsIn(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets())...)
	register(t, s, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", "p", `"spec":{"policyName":"p"}`)
	register(t, s, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "p", `"spec":{"reinvocationPolicy":"Never",
		"matchConstraints":{"resourceRules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["CREATE"],"resources":["widgets"]}]},
		"mutations":[
			{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op:'add',path:'/spec/color',value:'red'}]"}},
			{"patchType":"ApplyConfiguration","applyConfiguration":{"expression":"Object{metadata: Object.metadata{labels: {'color': string(object.spec.color)}}}"}}]}`)
	o, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, "red", colorOf(o))
	require.Equal(t, map[string]string{"color": "red"}, o.Labels())
}

func TestWebhooksAreAskedOverTLS(t *testing.T) {
	var asked []string
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct {
			Request struct {
				UID, Name, Operation string
				Object               object.Object
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			t.Error(err)
		}
		asked = append(asked, r.URL.Path+" "+review.Request.Operation+" "+review.Request.Name+" "+colorOf(review.Request.Object))
		response := map[string]any{"uid": review.Request.UID, "allowed": review.Request.Name != "unwanted", "warnings": []string{"asked"}}
		if r.URL.Path == "/mutate" {
			response["allowed"], response["patchType"] = true, "JSONPatch"
			response["patch"] = base64.StdEncoding.EncodeToString([]byte(`[{"op":"add","path":"/spec/color","value":"blue"}]`))
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}); err != nil {
			t.Error(err)
		}
	}))
	defer hook.Close()
	ca := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}))
	s := newWorldOf(t, Config{Resources: append(AdmissionKinds(), widgets()), Service: func(_ context.Context, namespace, name string, port int32) (string, error) {
		require.Equal(t, "ns/hook/443", fmt.Sprint(namespace, "/", name, "/", port))
		return hook.Listener.Addr().String(), nil
	}})
	webhooks := func(client string) string {
		return `"webhooks":[{"name":"h.example.com","clientConfig":{` + client + `,"caBundle":"` + ca + `"},"sideEffects":"None","admissionReviewVersions":["v1"],
			"rules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["*"],"resources":["widgets"]}]}]`
	}
	register(t, s, "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", "m", webhooks(`"url":"`+hook.URL+`/mutate"`))
	register(t, s, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "v", webhooks(`"url":"`+hook.URL+`/validate"`))

	o, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, "blue", colorOf(o))
	require.Equal(t, []string{"/mutate CREATE a ", "/validate CREATE a blue"}, asked)

	r := ask(t, s, http.MethodPost, widgetsPath, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"unwanted"},"spec":{}}`)
	require.Equal(t, http.StatusBadRequest, r.StatusCode)
	require.Equal(t, []string{`299 - "asked"`}, r.Header.Values("Warning"))

	register(t, s, "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", "s", webhooks(`"service":{"namespace":"ns","name":"hook","path":"/by-service"}`))
	require.ErrorContains(t, createWidget(t, s, "b"), `failed calling webhook "h.example.com"`, "the certificate is not that of the service")
}

// TestDefinitionsTakeTheirObjectsAlongUnderAdmission: what the server deletes by itself is
// reviewed, too.
func TestDefinitionsTakeTheirObjectsAlongUnderAdmission(t *testing.T) {
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	var w witness
	s.Admit(w.chain())
	define(t, s, gears("ex.org", `"teeth":{"type":"integer"}`))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, gear("a")).Code)
	require.Equal(t, http.StatusOK, requestOf(t, s, http.MethodDelete, definitionsPath+"/gears.ex.org", "").Code)
	require.Eventually(t, func() bool {
		return requestOf(t, s, http.MethodGet, definitionsPath+"/gears.ex.org", "").Code == http.StatusNotFound
	}, 10*time.Second, time.Millisecond)
	require.Contains(t, w.take(), "validate DELETE gears / object=false old=true")
}
