package builtin_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// thrown is an answer that is thrown away.
type thrown struct {
	header http.Header
	code   int
	bytes  int
}

func (w *thrown) Header() http.Header  { return w.header }
func (w *thrown) WriteHeader(code int) { w.code = code }

func (w *thrown) Write(p []byte) (int, error) {
	w.bytes += len(p)
	return len(p), nil
}

// BenchmarkListForms lists 1,000 Pods in the forms that clients ask for: again, and each time after
// one of them was written.
func BenchmarkListForms(b *testing.B) {
	store, err := storage.New(memory.New(), nil)
	require.NoError(b, err)
	api, err := server.New(server.Config{Store: store, Resources: builtin.Resources()})
	require.NoError(b, err)
	b.Cleanup(func() {
		require.NoError(b, api.Shutdown(context.Background()))
		require.NoError(b, store.Close())
	})
	do := func(method, path, accept, encoding, body string) int {
		r := httptest.NewRequestWithContext(b.Context(), method, path, strings.NewReader(body))
		r.Header.Set("Accept", accept)
		r.Header.Set("Accept-Encoding", encoding)
		w := &thrown{header: http.Header{}}
		api.ServeHTTP(w, r)
		require.Less(b, w.code, 300)
		return w.bytes
	}
	const pods = "/api/v1/namespaces/default/pods"
	do(http.MethodPost, "/api/v1/namespaces", asJSONType, "", `{"metadata":{"name":"default"}}`)
	for i := range 1000 {
		do(http.MethodPost, pods, asJSONType, "", fmt.Sprintf(`{"metadata":{"name":"p%d"},"spec":{"containers":[{"name":"web","image":"web:%d","args":["--verbose"],
			"env":[{"name":"A","value":"a value of some length"},{"name":"B","value":"another one"}],"resources":{"requests":{"cpu":"100m"}}}]}}`, i, i))
	}
	for _, form := range []struct{ name, accept, encoding string }{
		{"JSON", asJSONType, "identity"},
		{"JSON in gzip", asJSONType, "gzip"},
		{"protobuf", asProtobuf, "identity"},
		{"protobuf in gzip", asProtobuf, "gzip"},
		{"metadata in protobuf", asProtobuf + partialList, "identity"},
		{"table", asJSONType + ";as=Table;g=meta.k8s.io;v=v1", "identity"},
	} {
		for name, written := range map[string]bool{"again": false, "after a write": true} {
			b.Run(form.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if written {
						do(http.MethodPut, pods+"/p0/status", asJSONType, "", fmt.Sprintf(`{"metadata":{"name":"p0"},"status":{"message":"%d"}}`, i))
					}
					b.SetBytes(int64(do(http.MethodGet, pods, form.accept, form.encoding, "")))
				}
			})
		}
	}
}
