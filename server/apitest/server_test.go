package apitest_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

func TestAServerBeginsWithWhatTheOptionsSay(t *testing.T) {
	srv := newWorld(t, apitest.Objects(object.Object{
		"kind": "Gadget", "apiVersion": "example.com/v1", "metadata": map[string]any{"name": "third"}}))
	o, err := srv.Get(t.Context(), first)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"ready": true}, o["status"])
	for _, name := range []string{"second", "third"} {
		_, err = srv.Get(t.Context(), gadget("default", name))
		require.NoError(t, err)
	}
	namespaces, _, err := srv.List(t.Context(), server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}}, server.ListOptions{})
	require.NoError(t, err)
	require.Len(t, namespaces, 5)
}

func TestSocketAndTransportServeTheSame(t *testing.T) {
	srv := newWorld(t)
	read := func(client *http.Client, url string) string {
		answer, err := client.Get(url + "/apis/example.com/v1/gadgets")
		require.NoError(t, err)
		return bodyOf(t, answer)
	}
	overSocket := read(http.DefaultClient, srv.URL())
	require.Contains(t, overSocket, `"kind":"GadgetList"`)
	require.Equal(t, overSocket, read(&http.Client{Transport: srv.Transport()}, "http://api"))
}
