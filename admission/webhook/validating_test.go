package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

func TestVerdictIsWordedAsTheAPIDoes(t *testing.T) {
	s := newServer(t)
	stage := validating(t, remote("judge.example.com", s.at("")))
	const denied = `admission webhook "judge.example.com" denied the request`
	failure := func(code int, reason, message, rest string) string {
		if reason != "" {
			reason = fmt.Sprintf(`,"reason":%q`, reason)
		}
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Status","status":"Failure","code":%d%s,"message":%q%s}`, code, reason, denied+message, rest)
	}
	const plain = `,"metadata":{}`
	for _, c := range []struct{ name, response, want string }{
		{"yes", `"allowed":true`, ""},
		{"yes whatever the status", `"allowed":true,"status":{"code":403,"message":"ignored"}`, ""},
		{"plain no", `"allowed":false`, failure(400, "", " without explanation", plain)},
		{"nothing is no", ``, failure(400, "", " without explanation", plain)},
		{"message", `"status":{"message":"not today"}`, failure(400, "", ": not today", plain)},
		{"code", `"status":{"code":409,"message":"taken"}`, failure(409, "", ": taken", plain)},
		{"reason", `"status":{"reason":"Invalid","message":"odd"}`, failure(400, "Invalid", ": odd", plain)},
		{"reason in place of a message", `"status":{"reason":"Expired"}`, failure(400, "Expired", ": Expired", plain)},
		{"code and a reason of its own", `"status":{"code":422,"reason":"Weird","message":"own reason"}`, failure(422, "Weird", ": own reason", plain)},
		{"code of success", `"status":{"code":200,"status":"Success","message":"strange"}`, failure(400, "", ": strange", plain)},
		{"code of a redirect", `"status":{"code":307,"message":"elsewhere"}`, failure(400, "", ": elsewhere", plain)},
		{"everything", `"status":{"status":"Failure","code":429,"reason":"TooManyRequests","message":"slow down","metadata":{"resourceVersion":"5"},
			"details":{"name":"other","kind":"things","retryAfterSeconds":3,"causes":[{"reason":"Because","message":"why","field":"spec.x"}]}}`,
			failure(429, "TooManyRequests", ": slow down", `,"metadata":{"resourceVersion":"5"},
			"details":{"name":"other","kind":"things","retryAfterSeconds":3,"causes":[{"reason":"Because","message":"why","field":"spec.x"}]}`)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answers(respondWith(c.response))
			err := validate(t, stage, creation())
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			status, err := object.From(object.AsStatus(err))
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(object.AppendJSON(nil, status)))
		})
	}
}

func TestFailureFollowsThePolicy(t *testing.T) {
	s := newServer(t)
	fails := validating(t, remote("hook.example.com", s.at("/x")))
	ignores := validating(t, remote("hook.example.com", s.at("/x"), ignoring))
	const call, response = "failed to call webhook: ", "received invalid webhook response: "
	for _, c := range []struct {
		name    string
		respond func(w http.ResponseWriter, a asked)
		want    string
	}{
		{"error", respondRaw(500, "broken inside"), call + `an error on the server ("unknown") has prevented the request from succeeding`},
		{"error in words", func(w http.ResponseWriter, _ asked) { http.Error(w, "out of order", http.StatusBadGateway) },
			call + `an error on the server ("out of order") has prevented the request from succeeding`},
		{"not found", respondRaw(404, "no such page"), call + "the server could not find the requested resource"},
		{"forbidden", func(w http.ResponseWriter, _ asked) { http.Error(w, "not you", http.StatusForbidden) }, call + "not you"},
		{"forbidden without a text", respondRaw(403, `{"a":1}`), call + "unknown"},
		{"an odd code", respondRaw(418, ""), call + "the server responded with the status code 418 but did not return more information"},
		{"error with a status", respondRaw(403, `{"apiVersion":"v1","kind":"Status","status":"Failure","message":"go away"}`), call + "go away"},
		{"redirect", func(w http.ResponseWriter, _ asked) { w.Header().Set("Location", "/elsewhere"); w.WriteHeader(307) },
			call + "the server responded with the status code 307 but did not return more information"},
		{"no JSON", respondRaw(200, "hello"), call + "couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value"},
		{"no text", respondRaw(200, ""), call + "0-length response with status code: 200 and content type: "},
		{"no document", respondRaw(200, "[]"), call + "couldn't get version/kind; json parse error: "},
		{"huge", func(w http.ResponseWriter, _ asked) { _, _ = w.Write(make([]byte, 3<<20+1)) }, call + "the answer has more than 3145728 bytes"},
		{"broken off", func(w http.ResponseWriter, _ asked) { panic(http.ErrAbortHandler) }, call + `Post "` + s.URL + `/x?timeout=10s": `},
		{"nothing", respondRaw(200, "{}"), response + "webhook response was absent"},
		{"no response", respondRaw(200, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":null}`), response + "webhook response was absent"},
		{"another uid", respondRaw(200, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"other"}}`), `", got "other"`},
		{"another version", func(w http.ResponseWriter, a asked) {
			a.review["apiVersion"] = "admission.k8s.io/v1beta1"
			allow(w, a)
		}, call + "converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion"},
		{"an unknown version", func(w http.ResponseWriter, a asked) {
			a.review["apiVersion"] = "admission.k8s.io/v9"
			allow(w, a)
		}, call + `no kind "AdmissionReview" is registered for version "admission.k8s.io/v9" in scheme "pkg/runtime/scheme.go:111"`},
		{"no version", func(w http.ResponseWriter, a asked) {
			delete(a.review, "apiVersion")
			allow(w, a)
		}, response + "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview"},
		{"a patch", respondWithPatch("[]"), response + "validating webhook may not return response.patch"},
		{"a type of patch", respondWith(`"patchType":"JSONPatch"`), response + "validating webhook may not return response.patchType"},
		{"a word for a truth", respondWith(`"allowed":"yes"`), response + "response.allowed is of type string where bool is wanted"},
		{"a number for a text", respondWith(`"warnings":[5]`), response + "response.warnings is of type array where array of string is wanted"},
		{"a list for a map", respondWith(`"auditAnnotations":[]`), response + "response.auditAnnotations is of type array where object is wanted"},
		{"a status that is none", respondWith(`"status":{"code":"x"}`), response + "response.status: "},
		{"no base64", respondWith(`"patch":"-"`), response + "response.patch: illegal base64 data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answers(c.respond)
			err := validate(t, fails, creation())
			require.ErrorContains(t, err, `Internal error occurred: failed calling webhook "hook.example.com": `)
			require.ErrorContains(t, err, c.want)
			require.ErrorIs(t, err, object.ErrInternal)
			status := object.AsStatus(err)
			require.Equal(t, "Internal error occurred: "+status.Details.Causes[0].Message, status.Message)

			req := creation()
			require.NoError(t, validate(t, ignores, req))
			require.Equal(t, map[string]string{"failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "hook.example.com"}, req.Annotations())
			require.Contains(t, req.Trace.String(), `  webhook hook.example.com of c: ignored: failed calling webhook`)
		})
	}
	s.answers(respondRaw(201, ""))
	s.answers(func(w http.ResponseWriter, a asked) { w.WriteHeader(201); allow(w, a) })
	require.NoError(t, validate(t, fails, creation()), "201 is fine")
	s.answers(respondWith(`"status":{"message":"no"}`))
	require.EqualError(t, validate(t, ignores, creation()), `admission webhook "hook.example.com" denied the request: no`, "a no is no failure")
}

func TestWebhookThatCannotBeReached(t *testing.T) {
	s := newServer(t)
	elsewhere := "https://127.0.0.1:1/x"
	noBundle, notFound := s.at("/x"), webhook.ClientConfig{Service: &webhook.Service{Namespace: "ns", Name: "missing", Path: text("x")}}
	noBundle.CABundle = nil
	badBundle := s.at("/x")
	badBundle.CABundle = []byte("not a certificate")
	config := configOf(t)
	config.Clients.Service = func(_ context.Context, _, name string, _ int32) (string, error) {
		return "", fmt.Errorf("service %q not found", name)
	}
	for _, c := range []struct {
		name   string
		client webhook.ClientConfig
		want   string
	}{
		{"nobody is there", webhook.ClientConfig{URL: &elsewhere}, `failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp`},
		{"its certificate is not trusted", noBundle, "certificate signed by unknown authority"},
		{"what is trusted are no certificates", badBundle, "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block"},
		{"there is no such service", notFound, `failed to call webhook: Post "https://missing.ns.svc:443/x?timeout=10s": service "missing" not found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			notFound.Service.Path = text("/x")
			stage := webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", c.client)))
			require.ErrorContains(t, validate(t, stage, creation()), c.want)
			stage = webhook.NewValidating(config, configuration(t, "c", remote("a.example.com", c.client, ignoring)))
			require.NoError(t, validate(t, stage, creation()))
		})
	}
	notFound.Service.Port = seconds(8443)
	stage := webhook.NewValidating(webhook.Config{Clients: &callout.Clients{}}, configuration(t, "c", remote("a.example.com", notFound)))
	require.ErrorContains(t, validate(t, stage, creation()), `"https://missing.ns.svc:8443/x?timeout=10s": service "missing" not found`)
	stage = webhook.NewValidating(webhook.Config{}, configuration(t, "c", remote("a.example.com", s.at(""))))
	require.ErrorContains(t, validate(t, stage, creation()), "could not get REST client: there are no clients")
}

// TestWebhooksThatValidateAreAskedSideBySide has each wait for all others.
func TestWebhooksThatValidateAreAskedSideBySide(t *testing.T) {
	const n = 8
	var all sync.WaitGroup
	all.Add(n)
	s := newServer(t)
	s.answers(func(w http.ResponseWriter, a asked) {
		all.Done()
		all.Wait()
		respondWith(fmt.Sprintf(`"status":{"message":%q},"warnings":[%q,"all"]`, a.uri, a.uri))(w, a)
	})
	meet := func(context.Context, *webhook.Review) (webhook.Answer, error) {
		all.Done()
		all.Wait()
		return webhook.Allow("from a function"), nil
	}
	var hooks []webhook.Hook
	for i := range n - 1 {
		hooks = append(hooks, remote(fmt.Sprintf("%d.example.com", i), s.at(fmt.Sprintf("/%d", i))))
	}
	hooks = append(hooks, function("last.example.com", meet))
	req := creation()
	err := validate(t, validating(t, hooks...), req)
	require.EqualError(t, err, `admission webhook "0.example.com" denied the request: /0?timeout=10s`, "the first in order counts")
	require.Equal(t, []string{"/0?timeout=10s", "all", "/1?timeout=10s", "/2?timeout=10s", "/3?timeout=10s", "/4?timeout=10s", "/5?timeout=10s", "/6?timeout=10s", "from a function"}, req.Warnings())
}

func TestWarningsAndAnnotationsReachTheRequest(t *testing.T) {
	s := newServer(t)
	s.answers(respondWith(`"warnings":["first \"quoted\"","",null,"second","second"],"auditAnnotations":{"kept":"yes","not a key!":"x","with/slash":"x"}`))
	req := creation()
	require.Error(t, validate(t, validating(t, remote("a.example.com", s.at(""))), req))
	require.Equal(t, []string{`first "quoted"`, "second"}, req.Warnings())
	require.Equal(t, map[string]string{"a.example.com/kept": "yes"}, req.Annotations())
	require.Contains(t, req.Trace.String(), `audit annotation "a.example.com/not a key!" left out: `)
}

func TestOldReviewsAreReadWithIndulgence(t *testing.T) {
	s := newServer(t)
	s.answers(respondRaw(200, `{"response":{"allowed":true,"patch":"W3sib3AiOiJhZGQiLCJwYXRoIjoiL2RhdGEveCIsInZhbHVlIjoieSJ9XQ=="}}`))
	old := func(h *webhook.Hook) { h.AdmissionReviewVersions = []string{"v1beta1", "v1"} }
	require.NoError(t, validate(t, validating(t, remote("a.example.com", s.at(""), old)), creation()))
	req := creation()
	require.NoError(t, mutate(t, req, mutating(t, remote("a.example.com", s.at(""), old))))
	require.Equal(t, map[string]any{"a": "b", "x": "y"}, req.Object["data"])
}

func TestRequestThatRanOutOfTimeAsksNobody(t *testing.T) {
	calls := 0
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	err := validating(t, function("a.example.com", count(&calls))).Validate(ctx, creation())
	require.EqualError(t, err, "Timeout: request did not complete within requested timeout")
	require.Zero(t, calls)
}

func TestFailureOfEndedRequestIsNotIgnored(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hangUp := function("a.example.com", func(context.Context, *webhook.Review) (webhook.Answer, error) {
		cancel()
		return webhook.Answer{}, errors.New("too late")
	}, ignoring)
	for _, run := range []func(*admission.Request) error{
		func(req *admission.Request) error { return validating(t, hangUp).Validate(ctx, req) },
		func(req *admission.Request) error { return mutating(t, hangUp).Mutate(ctx, req) },
	} {
		require.ErrorIs(t, run(creation()), context.Canceled)
	}
}
