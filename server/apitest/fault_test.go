package apitest_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

const (
	gadgetsPath = "/apis/example.com/v1/namespaces/lab/gadgets"
	firstPath   = gadgetsPath + "/first"
)

// ask makes a request without a socket.
func ask(t testing.TB, srv *apitest.Server, method, path, body string) *http.Response {
	t.Helper()
	answer, err := try(t, srv, method, path, body)
	require.NoError(t, err)
	return answer
}

func try(t testing.TB, srv *apitest.Server, method, path, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://api"+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("User-Agent", "tester/1")
	r.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		r.Header.Set("Content-Type", "application/merge-patch+json")
	}
	return srv.Transport().RoundTrip(r)
}

// code is that of an answer, read to its end.
func code(t testing.TB, answer *http.Response) int {
	t.Helper()
	bodyOf(t, answer)
	return answer.StatusCode
}

func bodyOf(t testing.TB, answer *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return string(body)
}

func TestFaultsAnswerAsTheAPIDoes(t *testing.T) {
	for _, test := range []struct {
		name, fault, method, path, want string
	}{
		{"conflict", `{"status":409}`, "PATCH", firstPath,
			`409 Conflict: Operation cannot be fulfilled on gadgets.example.com "first": the object has been modified; please apply your changes to the latest version and try again`},
		{"taken name", `{"status":409,"verb":"create"}`, "POST", gadgetsPath, `409 AlreadyExists: gadgets.example.com "" already exists`},
		{"too many", `{"status":429,"retryAfter":"1.5s"}`, "GET", firstPath, `429 TooManyRequests: Too many requests, please try again later. (2s)`},
		{"internal", `{"status":500}`, "GET", firstPath, `500 InternalError: Internal error occurred: this failure was asked for`},
		{"expired", `{"status":410,"verb":"watch"}`, "GET", gadgetsPath + "?watch=1", `410 Expired: The resourceVersion for the provided watch is too old.`},
		{"unavailable", `{"status":503,"resource":"gadgets.example.com"}`, "GET", firstPath, `503 ServiceUnavailable: the server is currently unable to handle the request`},
		{"timeout", `{"status":504}`, "GET", firstPath, `504 Timeout: Timeout: request did not complete within requested timeout - context deadline exceeded`},
		{"absent", `{"status":404}`, "GET", firstPath, `404 NotFound: gadgets.example.com "first" not found`},
		{"no such path", `{"status":404}`, "GET", gadgetsPath, `404 NotFound: the server could not find the requested resource`},
		{"forbidden", `{"status":403}`, "GET", firstPath, `403 Forbidden: gadgets.example.com "first" is forbidden: this failure was asked for`},
		{"unauthorized", `{"status":401}`, "GET", firstPath, `401 Unauthorized: Unauthorized`},
		{"bad request", `{"status":400}`, "GET", firstPath, `400 BadRequest: this failure was asked for`},
		{"invalid", `{"status":422}`, "GET", firstPath, `422 Invalid: this failure was asked for`},
		{"own words", `{"status":500,"message":"etcdserver: leader changed"}`, "GET", firstPath, `500 InternalError: etcdserver: leader changed`},
		{"another code", `{"status":418}`, "GET", firstPath, `418 : I'm a teapot`},
		{"discovery", `{"status":503}`, "GET", "/apis", `503 ServiceUnavailable: the server is currently unable to handle the request`},
	} {
		t.Run(test.name, func(t *testing.T) {
			srv := newWorld(t)
			var fault apitest.Fault
			require.NoError(t, json.Unmarshal([]byte(test.fault), &fault))
			in := srv.Inject(fault)
			answer := ask(t, srv, test.method, test.path, "{}")
			body := bodyOf(t, answer)
			var status object.Status
			require.NoError(t, json.Unmarshal([]byte(body), &status), body)
			text := strings.Split(answer.Status, " ")[0] + " " + string(status.Reason) + ": " + status.Message
			if after := answer.Header.Get("Retry-After"); after != "" {
				text += " (" + after + "s)"
			}
			require.Equal(t, test.want, text)
			require.Equal(t, answer.StatusCode, status.Code)
			require.Equal(t, 1, in.Hits())
		})
	}
}

func TestFaultsAreData(t *testing.T) {
	fault := apitest.Fault{
		Verb: "watch", Resource: "gadgets", Subresource: "s", Namespace: "n", Name: "a", Skip: 1, Count: 2, Latency: time.Minute,
		Status: 429, Message: "m", RetryAfter: 1500 * time.Millisecond, Hang: true, Drop: true, Events: 3, Stale: true,
	}
	text, err := json.Marshal(fault)
	require.NoError(t, err)
	var read apitest.Fault
	require.NoError(t, json.Unmarshal(text, &read))
	require.Equal(t, fault, read)

	text, err = json.Marshal([]apitest.Fault{{Status: 500}})
	require.NoError(t, err)
	require.Equal(t, `[{"status":500}]`, string(text))
	for text, want := range map[string]string{
		`{"state":500}`:       `reading a fault: json: unknown field "state"`,
		`{"latency":"1"}`:     `reading a fault: time: missing unit in duration "1"`,
		`{"retryAfter":3}`:    "reading a fault: json: cannot unmarshal number into Go struct field faultText.retryAfter of type string",
		`{"status":"broken"}`: "reading a fault: json: cannot unmarshal string into Go struct field faultText.",
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &read), want)
	}
}

func TestFaultsThatMakeNoSenseFailTheTest(t *testing.T) {
	for _, test := range []struct {
		fault apitest.Fault
		want  string
	}{
		{apitest.Fault{}, "it does nothing"},
		{apitest.Fault{Verb: "apply", Status: 409}, `there is no verb "apply"; an apply is a patch`},
		{apitest.Fault{Status: 200}, "200 is not the status of a failure"},
		{apitest.Fault{Status: 500, Count: -1}, "skip, count, events, latency and retryAfter must not be negative"},
		{apitest.Fault{Hang: true, Message: "no"}, "message and retryAfter belong to a status, which is missing"},
		{apitest.Fault{Status: 500, Events: 1}, "events says when to drop a watch, but drop is not set"},
		{apitest.Fault{Verb: "watch", Stale: true}, "only get and list can be stale, not watch"},
		{apitest.Fault{Status: 500, Drop: true}, "it can have only one of status, hang, drop and stale; inject several faults"},
	} {
		inner := &life{TB: t}
		srv := apitest.New(inner)
		require.Zero(t, srv.Inject(test.fault).Hits())
		require.Equal(t, 200, code(t, ask(t, srv, "GET", "/api/v1/namespaces/default", "")))
		require.Contains(t, inner.end(), "injecting a fault: "+test.want+"\n")
	}
}

func TestFaultsHitTheRequestsTheySay(t *testing.T) {
	srv := newWorld(t)
	in := srv.Inject(apitest.Fault{Verb: "get", Resource: "gadgets", Name: "first", Skip: 1, Count: 2, Status: 500})
	var codes []int
	for range 5 {
		codes = append(codes, code(t, ask(t, srv, "GET", firstPath, "")))
		require.Equal(t, 200, code(t, ask(t, srv, "GET", gadgetsPath, "")))
		require.Equal(t, 200, code(t, ask(t, srv, "PATCH", firstPath, "{}")))
		require.Equal(t, 200, code(t, ask(t, srv, "GET", "/api/v1/namespaces/lab", "")))
	}
	require.Equal(t, []int{200, 500, 500, 200, 200}, codes)
	require.Equal(t, 2, in.Hits())

	always := srv.Inject(apitest.Fault{Namespace: "lab", Status: 503})
	require.Equal(t, 503, code(t, ask(t, srv, "GET", firstPath, "")))
	always.Remove()
	always.Remove()
	require.Equal(t, 200, code(t, ask(t, srv, "GET", firstPath, "")))

	srv.Inject(apitest.Fault{Subresource: "status", Status: 500})
	require.Equal(t, 500, code(t, ask(t, srv, "PATCH", firstPath+"/status", "{}")))
	require.Equal(t, 200, code(t, ask(t, srv, "PATCH", firstPath, "{}")))
	srv.Inject(apitest.Fault{Resource: "gadgets.other.example.com", Status: 500})
	require.Equal(t, 200, code(t, ask(t, srv, "GET", firstPath, "")))
}

func TestLatencyAndHanging(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		srv.Inject(apitest.Fault{Latency: 3 * time.Second, Count: 1})
		srv.Inject(apitest.Fault{Latency: 2 * time.Second, Status: 500, Count: 1})
		began := time.Now()
		require.Equal(t, 500, code(t, ask(t, srv, "GET", firstPath, "")))
		require.Equal(t, 5*time.Second, time.Since(began))

		hang := srv.Inject(apitest.Fault{Hang: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, "GET", "http://api"+firstPath, nil)
		require.NoError(t, err)
		_, err = srv.Transport().RoundTrip(r)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.AfterFunc(time.Second, hang.Remove)
		_, err = try(t, srv, "GET", firstPath, "")
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, 200, code(t, ask(t, srv, "GET", firstPath, "")))

		srv.Inject(apitest.Fault{Hang: true}) // which the end of the server ends
		go func() { _, _ = try(t, srv, "GET", firstPath, "") }()
		synctest.Wait()
	})
}

func TestALostAnswerIsOfADoneWrite(t *testing.T) {
	srv := newWorld(t)
	srv.Inject(apitest.Fault{Verb: "create", Drop: true, Count: 1})
	_, err := try(t, srv, "POST", gadgetsPath, `{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"lost"}}`)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, []string{"first", "lost"}, names(t, srv))
	require.Equal(t, 409, code(t, ask(t, srv, "POST", gadgetsPath, `{"kind":"Gadget","apiVersion":"example.com/v1","metadata":{"name":"lost"}}`)))
}

func TestStaleReadsAreOfThePast(t *testing.T) {
	srv := newWorld(t)
	stale := srv.Inject(apitest.Fault{Resource: "gadgets", Stale: true, Count: 2})
	create(t, srv, "new")
	require.Equal(t, 404, code(t, ask(t, srv, "GET", gadgetsPath+"/new", "")))
	require.NotContains(t, bodyOf(t, ask(t, srv, "GET", gadgetsPath, "")), `"new"`)
	require.Equal(t, 200, code(t, ask(t, srv, "GET", gadgetsPath+"/new", "")))
	require.Equal(t, 200, code(t, ask(t, srv, "PATCH", gadgetsPath+"/new", "{}")))
	require.Equal(t, 2, stale.Hits())
}

// watch reads the names in the events of a watch, and why it ended.
func watch(t testing.TB, srv *apitest.Server) (next func() string) {
	t.Helper()
	answer := ask(t, srv, "GET", gadgetsPath+"?watch=1&resourceVersion="+srv.Version().String(), "")
	t.Cleanup(func() { _ = answer.Body.Close() })
	require.Equal(t, 200, answer.StatusCode)
	lines := bufio.NewReader(answer.Body)
	return func() string {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return err.Error()
		}
		var e struct{ Object object.Object }
		require.NoError(t, json.Unmarshal(line, &e))
		return e.Object.Name()
	}
}

func TestDroppedWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		open := watch(t, srv)
		drop := srv.Inject(apitest.Fault{Verb: "watch", Resource: "gadgets", Drop: true, Count: 1})
		require.Equal(t, "unexpected EOF", open(), "one that is open ends at once")
		require.Equal(t, 1, drop.Hits())

		srv.Inject(apitest.Fault{Verb: "watch", Drop: true, Events: 2, Count: 1})
		cut, whole := watch(t, srv), watch(t, srv)
		for _, name := range []string{"a", "b", "c"} {
			create(t, srv, name)
		}
		require.Equal(t, []string{"a", "b", "unexpected EOF"}, []string{cut(), cut(), cut()})
		require.Equal(t, []string{"a", "b", "c"}, []string{whole(), whole(), whole()})

		younger := watch(t, srv)
		srv.Inject(apitest.Fault{Verb: "watch", Drop: true, Skip: 1, Count: 1})
		create(t, srv, "d")
		require.Equal(t, []string{"d", "unexpected EOF"}, []string{whole(), younger()})
	})
}

func TestFaultsOverASocket(t *testing.T) {
	srv := newWorld(t)
	client := &http.Client{}
	get := func() error {
		answer, err := client.Get(srv.URL() + firstPath)
		if err == nil {
			require.Equal(t, 200, code(t, answer))
		}
		return err
	}
	require.NoError(t, get())
	drop := srv.Inject(apitest.Fault{Drop: true, Name: "first"})
	require.ErrorContains(t, get(), "EOF")
	drop.Remove()
	srv.Inject(apitest.Fault{Hang: true, Name: "first"})
	client.Timeout = 20 * time.Millisecond
	require.ErrorIs(t, get(), context.DeadlineExceeded)
}

func FuzzFault(f *testing.F) {
	f.Add([]byte(`{"status":409,"count":2,"latency":"1s"}`))
	f.Add([]byte(`{"verb":"watch","drop":true,"events":3,"retryAfter":"-1h"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var fault, again apitest.Fault
		if json.Unmarshal(data, &fault) != nil {
			return
		}
		text, err := json.Marshal(fault)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, fault, again)
	})
}
