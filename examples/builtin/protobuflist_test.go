package builtin_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// gzipped gives what a path answers to a client that takes gzip.
func (w *wire) gzipped(path, accept string) []byte {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, "http://plinth"+path, nil)
	require.NoError(w, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Accept-Encoding", "gzip")
	answer, err := w.client.Do(r)
	require.NoError(w, err)
	defer answer.Body.Close()
	require.Equal(w, "gzip", answer.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(answer.Body)
	require.NoError(w, err)
	data, err := io.ReadAll(z)
	require.NoError(w, err)
	return data
}

func TestLongListsInProtobuf(t *testing.T) {
	w := newWire(t)
	const maps = "/api/v1/namespaces/default/configmaps"
	w.send(http.MethodPost, "/api/v1/namespaces", asJSONType, `{"metadata": {"name": "default"}}`)
	for i := range 12 {
		w.send(http.MethodPost, maps, asJSONType, fmt.Sprintf(
			`{"metadata": {"name": "c%02d", "annotations": {"a": %q}}, "data": {"k": %q}}`, i, strings.Repeat("b", 60_000), strings.Repeat("v", 60_000)))
	}
	t.Run("of objects", func(t *testing.T) {
		w := w.in(t)
		list := sameInBoth[corev1.ConfigMapList](w, maps, "", metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"})
		require.Len(t, list.Items, 12)
		for range 3 { // read, read and kept, perhaps not read
			require.Equal(t, w.send(http.MethodGet, maps, asProtobuf, ""), w.gzipped(maps, asProtobuf))
		}
	})
	t.Run("of metadata", func(t *testing.T) {
		w := w.in(t)
		list := sameInBoth[metav1.PartialObjectMetadataList](w, maps, partialList, metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: "PartialObjectMetadataList"})
		require.Len(t, list.Items, 12)
		for range 3 {
			require.Equal(t, w.send(http.MethodGet, maps, asProtobuf+partialList, ""), w.gzipped(maps, asProtobuf+partialList))
		}
	})
}
