package server

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestRequestOfReadsAsTheServerDoes(t *testing.T) {
	for _, test := range []struct {
		method, path string
		want         Attributes
	}{
		{"GET", "/api/v1/namespaces/a", Attributes{Verb: "get", Version: "v1", Resource: "namespaces", Namespace: "a", Name: "a"}},
		{"GET", widgetsPath + "?watch=true", Attributes{Verb: "watch", Group: "example.com", Version: "v1", Resource: "widgets", Namespace: "default"}},
		{"PATCH", widgetsPath + "/a/status", Attributes{Verb: "patch", Group: "example.com", Version: "v1", Resource: "widgets", Namespace: "default", Name: "a", Subresource: "status"}},
		{"DELETE", widgetsPath, Attributes{Verb: "deletecollection", Group: "example.com", Version: "v1", Resource: "widgets", Namespace: "default"}},
		{"GET", "/apis", Attributes{Verb: "get", Path: "/apis"}},
	} {
		require.Equal(t, test.want, RequestOf(httptest.NewRequest(test.method, test.path, nil)), "%s %s", test.method, test.path)
	}
}

func TestWhoStandsInFrontRefusesAsTheServerDoes(t *testing.T) {
	s := newWorld(t, widgets())
	front := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			s.Refuse(w, r, object.TooManyRequests("slow down", 7))
			return
		}
		s.Refuse(w, r, errors.New("broken"))
	})
	client := &http.Client{Transport: Transport(front)}
	answer, err := client.Get("http://api" + widgetsPath)
	require.NoError(t, err)
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusTooManyRequests, answer.StatusCode)
	require.Equal(t, "7", answer.Header.Get("Retry-After"))
	require.Contains(t, string(body), `"reason":"TooManyRequests"`)
	answer, err = client.Post("http://api"+widgetsPath, "application/json", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusInternalServerError, answer.StatusCode)
}
