package definitions

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

var (
	record = flag.String("record", "", "address of a server whose answers become the expectations")
	token  = flag.String("token", "", "its token")
)

// newServer gives one in memory with the namespace default.
func newServer(t *testing.T) *server.Server {
	t.Helper()
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	api, err := server.New(server.Config{
		Store: store, Resources: builtin.Resources(), CustomResources: &server.CustomResources{},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, api.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	_, err = api.Create(t.Context(), server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		object.Object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "default"}}, server.WriteOptions{})
	require.NoError(t, err)
	return api
}

// client sends requests to a server.
type client struct {
	*testing.T
	http    *http.Client
	url     string
	openapi map[string]map[string]any // schemas by the path of their document and their kind
}

// newClient is one of the server to record, if there is one, else of a server in
// this process.
func newClient(t *testing.T) *client {
	t.Helper()
	if *record != "" {
		insecure := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
		return &client{t, &http.Client{Transport: insecure}, *record, map[string]map[string]any{}}
	}
	return &client{t, &http.Client{Transport: server.Transport(newServer(t))}, "http://server", map[string]map[string]any{}}
}

// answer is what a request came back with. The body is JSON.
type answer struct {
	code     int
	body     map[string]any
	warnings []string
}

func (a *answer) message() string { return text(a.body, "message") }

func (c *client) do(method, path string, body any) *answer {
	c.Helper()
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(c, err)
		content = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(c.Context(), method, c.url+path, content)
	require.NoError(c, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+*token)
	response, err := c.http.Do(request)
	require.NoError(c, err)
	defer response.Body.Close()
	a := &answer{code: response.StatusCode}
	for _, w := range response.Header.Values("Warning") {
		a.warnings = append(a.warnings, strings.TrimPrefix(w, "299 - "))
	}
	require.NoError(c, decode(response.Body, &a.body), "%s %s: %d", method, path, a.code)
	return a
}

// until gives the first answer that will do.
func (c *client) until(path string, done func(*answer) bool) *answer {
	c.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		a := c.do(http.MethodGet, path, nil)
		if done(a) {
			return a
		}
		if time.Now().After(deadline) {
			require.Fail(c, "no answer would do", "%s: %d %v", path, a.code, a.message())
		}
	}
}

// atOnce is for what follows from a definition that is established. A server that is
// recorded gets time for it.
func (c *client) atOnce(path string, done func(*answer) bool) {
	c.Helper()
	if *record != "" {
		c.until(path, done)
		return
	}
	a := c.do(http.MethodGet, path, nil)
	require.True(c, done(a), "%s: %d %v", path, a.code, a.message())
}

// digest tells values apart by what they are as JSON.
func digest(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:5])
}

// text gives a string of an object, empty if there is none.
func text(o map[string]any, path ...string) string {
	v, _ := object.Object(o).Field(path...)
	s, _ := v.(string)
	return s
}

// list gives the objects of a list in an object.
func list(o map[string]any, path ...string) []map[string]any {
	v, _ := object.Object(o).Field(path...)
	items, _ := v.([]any)
	var all []map[string]any
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}
