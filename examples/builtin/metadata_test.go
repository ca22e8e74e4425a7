package builtin

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// TestMetadataInProtobufIsThatOfTheType holds the messages that the server makes of metadata, of
// whatever is in it, to those of the API's type.
func TestMetadataInProtobufIsThatOfTheType(t *testing.T) {
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	api, err := server.New(server.Config{Store: store, Resources: Resources()})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, api.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	get := func(accept string) []byte {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/namespaces/n/configmaps/a", nil)
		r.Header.Set("Accept", accept+";as=PartialObjectMetadata;g=meta.k8s.io;v=v1")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, "%s", w.Body)
		return w.Body.Bytes()
	}
	key := object.Key{GroupResource: object.GroupResource{Resource: "configmaps"}, Namespace: "n", Name: "a"}
	fuzz := wireFiller(t)
	var stored *object.Encoded
	for range 200 {
		var filled, want metav1.PartialObjectMetadata
		fuzz.Fill(&filled.ObjectMeta)
		filled.Name, filled.Namespace, filled.ResourceVersion = "a", "n", ""
		o, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&filled)
		require.NoError(t, err)
		encoded, err := object.Encode(o, nil)
		require.NoError(t, err)
		stored, err = store.Put(t.Context(), key, stored, encoded, 0)
		require.NoError(t, err)

		document, message := get("application/json"), get("application/vnd.kubernetes.protobuf")
		require.NoError(t, json.Unmarshal(document, &want))
		wanted, err := want.Marshal()
		require.NoError(t, err)
		var envelope runtime.Unknown
		require.NoError(t, envelope.Unmarshal(bytes.TrimPrefix(message, []byte("k8s\x00"))))
		require.Equal(t, string(wanted), string(envelope.Raw), "%s", document)
	}
}
