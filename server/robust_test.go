package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// bombCodec panics on documents that speak of a bomb.
type bombCodec struct{ Codec }

func (bombCodec) DecodeJSON(data []byte) (object.Object, []string, error) {
	if bytes.Contains(data, []byte("bomb")) {
		panic("the codec")
	}
	o, err := object.Decode(data)
	return o, nil, err
}

// bombs panic in the place that their field at names.
func bombs() Resource {
	explode := func(where string) func(next, _ object.Object) {
		return func(next, _ object.Object) {
			if next["at"] == where {
				panic(where)
			}
		}
	}
	return Resource{
		Group: "example.com", Plural: "bombs", Kind: "Bomb", Namespaced: true,
		Versions: []Version{
			{Name: "v1", Codec: bombCodec{}},
			{
				Name:       "v2",
				ToStored:   func(o object.Object) (object.Object, error) { explode("converting")(o, nil); return o, nil },
				FromStored: func(o object.Object) (object.Object, error) { explode("showing")(o, nil); return o, nil },
			},
		},
		Held: func(o object.Object) bool { explode("deleting")(o, nil); return false },
		Rules: Rules{
			Prepare: explode("preparing"),
			Validate: func(next, old object.Object) object.FieldErrors {
				explode("validating")(next, old)
				return nil
			},
		},
	}
}

func TestPanicsAreAnsweredAndCostNoConnection(t *testing.T) {
	s := newWorld(t, bombs())
	web := httptest.NewServer(s)
	defer web.Close()
	var dialed atomic.Int32
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		dialed.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}}
	for _, test := range []struct{ version, body string }{
		{"v1", `{"metadata":{"name":"a"},"at":"preparing"}`},
		{"v1", `{"metadata":{"name":"a"},"at":"validating"}`},
		{"v1", `{"metadata":{"name":"a"},"at":"bomb"}`},
		{"v2", `{"metadata":{"name":"a"},"at":"converting"}`},
	} {
		answer, err := client.Post(web.URL+"/apis/example.com/"+test.version+"/namespaces/x/bombs", typeJSON, strings.NewReader(test.body))
		require.NoError(t, err)
		require.Equal(t, http.StatusInternalServerError, answer.StatusCode, test.body)
		require.Equal(t, object.ErrInternal, statusIn(t, answer.Body).Reason)
		_, _ = io.Copy(io.Discard, answer.Body)
		require.NoError(t, answer.Body.Close())
	}
	answer, err := client.Post(web.URL+"/apis/example.com/v1/namespaces/x/bombs", typeJSON, strings.NewReader(`{"metadata":{"name":"a"},"at":"peace"}`))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	require.EqualValues(t, 1, dialed.Load())
}

func statusIn(t testing.TB, body io.Reader) (status object.Status) {
	t.Helper()
	require.NoError(t, json.NewDecoder(body).Decode(&status))
	require.Equal(t, "Status", status.Kind)
	return status
}

// An object that cannot be shown in one version must not look like the end of a
// list or of a watch there, and must not be felt in another one.
func TestPanicsInTheMiddleOfAnAnswer(t *testing.T) {
	s := newWorld(t, bombs())
	const path = "/apis/example.com/v2/namespaces/x/bombs"
	watch := ask(t, s, http.MethodGet, path+"?watch=1", "")
	other := ask(t, s, http.MethodGet, strings.Replace(path, "v2", "v1", 1)+"?watch=1", "")
	answer := ask(t, s, http.MethodPost, strings.Replace(path, "v2", "v1", 1), `{"metadata":{"name":"a"},"at":"showing"}`)
	require.Equal(t, http.StatusCreated, answer.StatusCode)
	require.NoError(t, answer.Body.Close())

	list := ask(t, s, http.MethodGet, path, "")
	require.Equal(t, http.StatusInternalServerError, list.StatusCode)
	require.Equal(t, object.ErrInternal, statusIn(t, list.Body).Reason)
	require.NoError(t, list.Body.Close())

	text, err := io.ReadAll(watch.Body)
	require.Empty(t, string(text))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the watch is broken off")
	require.NoError(t, watch.Body.Close())

	line, err := bufio.NewReader(other.Body).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, `"ADDED"`)
	require.NoError(t, other.Body.Close())
}

func TestPanicsOfDeletions(t *testing.T) {
	s := newWorld(t, bombs())
	const path = "/apis/example.com/v1/namespaces/x/bombs"
	for _, body := range []string{`{"metadata":{"name":"a"},"at":"deleting"}`, `{"metadata":{"name":"b"}}`} {
		require.NoError(t, ask(t, s, http.MethodPost, path, body).Body.Close())
	}
	for _, target := range []string{path + "/a", path} {
		answer := ask(t, s, http.MethodDelete, target, "")
		require.Equal(t, http.StatusInternalServerError, answer.StatusCode)
		require.Equal(t, object.ErrInternal, statusIn(t, answer.Body).Reason)
		require.NoError(t, answer.Body.Close())
	}
	answer := ask(t, s, http.MethodGet, path+"/b", "")
	require.Equal(t, http.StatusNotFound, answer.StatusCode, "the others are deleted")
	require.NoError(t, answer.Body.Close())
}

func TestBodiesAreLimited(t *testing.T) {
	s := newWorld(t, widgets(), tickets())
	large := `{"metadata":{"name":"w0"},"text":"` + strings.Repeat("x", maxBody) + `"}`
	fill(t, s, 1, "")
	for _, test := range []struct{ method, path, contentType string }{
		{http.MethodPost, widgetsPath, typeJSON},
		{http.MethodPost, widgetsPath, typeYAML},
		{http.MethodPut, widgetsPath + "/w0", typeJSON},
		{http.MethodPatch, widgetsPath + "/w0", "application/merge-patch+json"},
		{http.MethodPatch, widgetsPath + "/w0", "application/json-patch+json"},
		{http.MethodDelete, widgetsPath + "/w0", typeJSON},
		{http.MethodDelete, widgetsPath, typeJSON},
	} {
		t.Run(test.method+" "+test.contentType, func(t *testing.T) {
			answer := ask(t, s, test.method, test.path, large, "Content-Type", test.contentType)
			defer answer.Body.Close()
			require.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
			require.Equal(t, object.ErrRequestEntityTooLarge, statusIn(t, answer.Body).Reason)
		})
		t.Run(test.method+" "+test.contentType+" of unknown length", func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(test.method, test.path, io.MultiReader(strings.NewReader(large)))
			r.ContentLength = -1
			r.Header.Set("Content-Type", test.contentType)
			s.ServeHTTP(w, r)
			require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
		})
	}
}

func TestABodyThatBreaksOffIsABadRequest(t *testing.T) {
	s := newWorld(t, widgets())
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, widgetsPath, io.MultiReader(strings.NewReader(`{"metadata":`), brokenReader{}))
	s.ServeHTTP(w, r)
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, statusIn(t, w.Body).Message, "the line is cut")
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("the line is cut") }

// malformed are bodies that no endpoint may choke on.
var malformed = []string{
	"", " ", "null", "true", "0", `""`, "[]", "{}", "{", "}", `{"metadata":null}`, `{"metadata":[]}`, `{"metadata":{}}`,
	`{"metadata":{"name":null}}`, `{"metadata":{"name":"w0","labels":null,"finalizers":null,"ownerReferences":null,"managedFields":null}}`,
	`{"metadata":{"name":"w0","labels":[]}}`, `{"metadata":{"name":"w0","ownerReferences":[null]}}`, `{"metadata":{"name":"w0","ownerReferences":{}}}`,
	`{"metadata":{"name":"w0","managedFields":[null,{"fieldsV1":7}]}}`, `{"metadata":{"name":"w0","creationTimestamp":7}}`,
	`{"metadata":{"name":"w0","deletionTimestamp":"soon"}}`, `{"metadata":{"name":"w0","generation":1e300}}`,
	`{"metadata":{"name":"w0","generation":9223372036854775808}}`, `{"metadata":{"name":"w0"},"spec":null}`,
	`{"metadata":{"name":"w0"},"spec":{"size":1e400}}`, `{"metadata":{"name":"w0"},"spec":{"color":7}}`,
	`{"metadata":{"name":"w0"},"status":7}`, `{"kind":7}`, `{"apiVersion":{}}`, `{"kind":"","apiVersion":"/"}`,
	"\xff\xfe", "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, "\x00", "k8s\x00", "k8s\x00\x0a\xff", "a: b\nc", "- - - -", "&a [*a]", "---\n---\n",
	strings.Repeat("[", 20000), strings.Repeat(`{"a":`, 20000), `{"metadata":{"name":"` + strings.Repeat("x", 1000) + `"}}`,
	`[{"op":"add","path":"/metadata","value":null}]`, `[{"op":"remove","path":"/metadata"}]`, `[{"op":"add","path":"","value":null}]`,
	`[{"op":"move","from":"/spec","path":"/metadata/labels"}]`, `[{"op":"copy","from":"","path":"/spec/a"}]`, `[null]`, `[{}]`, `[{"op":7}]`,
	`{"dryRun":"All"}`, `{"dryRun":[null]}`, `{"preconditions":[]}`, `{"propagationPolicy":{}}`, `{"kind":"DeleteOptions","apiVersion":"?"}`,
	`{"metadata":{"finalizers":[null]}}`, `{"metadata":{"finalizers":"a"}}`, `{"metadata":{"annotations":{"a":null}}}`, `{"metadata":{"labels":{"a":7}}}`,
}

func TestMalformedBodiesNeverFailTheServer(t *testing.T) {
	s := newWorld(t, widgets(), crates(), tickets())
	fill(t, s, 1, "")
	for _, body := range malformed {
		for _, path := range []string{widgetsPath, widgetsPath + "/w0", widgetsPath + "/w0/status", "/apis/example.com/v1beta1/crates", "/apis/example.com/v1/namespaces/default/tickets/w0"} {
			for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
				for _, contentType := range []string{"", typeJSON, typeYAML, typeProtobuf, "application/merge-patch+json", "application/json-patch+json"} {
					checkServe(t, s, method, path+"?dryRun=All", contentType, "", body)
				}
			}
		}
	}
}

// checkServe makes a request and checks what holds for every answer.
func checkServe(t testing.TB, s http.Handler, method, target, contentType, accept, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://server"+target, strings.NewReader(body))
	if err != nil {
		return // no client can send this
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	if w.Code >= 500 && !documented(w.Code, w.Body.String()) {
		t.Fatalf("%s %s %q %.100q: %d %s", method, target, contentType, body, w.Code, w.Body)
	}
	answer := w.Body.Bytes()
	if r.Method != http.MethodHead && strings.HasPrefix(w.Header().Get("Content-Type"), typeJSON) {
		for lines := json.NewDecoder(bytes.NewReader(answer)); ; {
			var document map[string]any
			if err := lines.Decode(&document); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s %s: %v in %s", method, target, err, answer)
			}
		}
	}
	if w.Code >= 400 && len(answer) == 0 && r.Method != http.MethodHead && strings.HasPrefix(target, "/api") {
		t.Fatalf("%s %s: %d without a body", method, target, w.Code)
	}
}

// documented says whether the real server fails in that way, too: it tells a few
// mistakes of clients as its own, with these words.
func documented(code int, body string) bool {
	for _, words := range []string{
		"Timeout: Too large resource version", "strconv.ParseUint", "resourceVersion should not be set on objects to be created",
	} {
		if strings.Contains(body, words) {
			return true
		}
	}
	return code == http.StatusServiceUnavailable
}
