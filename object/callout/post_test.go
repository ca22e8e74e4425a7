package callout_test

import (
	"context"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

func certificateOf(s *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
}

func TestPost(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  func(w http.ResponseWriter, r *http.Request)
		failure string
	}{
		{"a document", func(w http.ResponseWriter, r *http.Request) {
			sent, _ := io.ReadAll(r.Body)
			_, _ = io.WriteString(w, `{"sent":`+string(sent)+`,"query":"`+r.URL.RawQuery+`","path":"`+r.URL.Path+`"}`)
		}, ""},
		{"too much", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"a":"`+strings.Repeat("x", 2000)+`"}`)
		}, "the answer has more than 1000 bytes"},
		{"nothing", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "application/json") },
			"0-length response with status code: 200 and content type: application/json"},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "yes") }, "couldn't get version/kind; json parse error: "},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) },
			"the server responded with the status code 302 but did not return more information"},
		{"a Status", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"kind":"Status","message":"short and stout"}`)
		}, "short and stout"},
		{"a failure", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "out of order", http.StatusInternalServerError)
		},
			`an error on the server ("out of order") has prevented the request from succeeding`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewTLSServer(http.HandlerFunc(c.answer))
			defer s.Close()
			var clients callout.Clients
			defer clients.Close()
			target, err := callout.AtURL(s.URL+"//a/", certificateOf(s))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			o, err := clients.Post(ctx, &target, []byte(`{"b":1}`), 1000)
			if c.failure != "" {
				require.ErrorContains(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			require.Equal(t, object.Object{"sent": map[string]any{"b": int64(1)}, "query": "timeout=30s", "path": "/a"}, o)
		})
	}
}

func TestServicesAreCalledByTheNameInTheirCertificate(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	clients := callout.Clients{Service: func(context.Context, string, string, int32) (string, error) { return s.Listener.Addr().String(), nil }}
	defer clients.Close()
	target := callout.AtService("ns", "hook", 443, "", certificateOf(s))
	_, err := clients.Post(t.Context(), &target, nil, 1000)
	require.ErrorContains(t, err, "not hook.ns.svc")

	var alone callout.Clients
	_, err = alone.Post(t.Context(), &target, nil, 1000)
	require.ErrorContains(t, err, `service "hook" not found`)
	nobody := callout.AtService("ns", "hook", 443, "", []byte("no certificate"))
	_, err = alone.Post(t.Context(), &nobody, nil, 1000)
	require.ErrorIs(t, err, callout.ErrNoClient)
}
