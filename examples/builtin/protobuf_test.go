package builtin_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-6c0fa0ad/plinth/examples/builtin"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

const (
	asJSONType  = "application/json"
	asProtobuf  = "application/vnd.kubernetes.protobuf"
	partialForm = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	partialList = ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
)

// wire talks to a server in the bytes of HTTP.
type wire struct {
	*testing.T
	client *http.Client
}

func newWire(t *testing.T) *wire {
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	api, err := server.New(server.Config{Store: store, Resources: builtin.Resources()})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, api.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	return &wire{t, &http.Client{Transport: server.Transport(api)}}
}

// in is the same wire for a subtest.
func (w *wire) in(t *testing.T) *wire { return &wire{t, w.client} }

func (w *wire) send(method, path, accept, body string) []byte {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, "http://plinth"+path, strings.NewReader(body))
	require.NoError(w, err)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", asJSONType)
	answer, err := w.client.Do(r)
	require.NoError(w, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(w, err)
	contentType, _, _ := strings.Cut(accept, ";")
	require.Equal(w, contentType, strings.SplitN(answer.Header.Get("Content-Type"), ";", 2)[0], "%s", data)
	return data
}

// open takes a message out of its envelope.
func open(t *testing.T, data []byte) (envelope runtime.Unknown) {
	t.Helper()
	require.True(t, bytes.HasPrefix(data, []byte("k8s\x00")), "%q", data)
	require.NoError(t, envelope.Unmarshal(data[4:]))
	return envelope
}

// sameInBoth asks for one path in JSON and in protobuf and compares the two as
// values of the Go type.
func sameInBoth[T any, P interface {
	*T
	Unmarshal([]byte) error
}](w *wire, path, form string, kind metav1.TypeMeta) *T {
	w.Helper()
	want, got := P(new(T)), P(new(T))
	document := w.send(http.MethodGet, path, asJSONType+form, "")
	require.NoError(w, json.Unmarshal(document, want), "%s", document)
	envelope := open(w.T, w.send(http.MethodGet, path, asProtobuf+form, ""))
	require.Equal(w, runtime.TypeMeta{APIVersion: kind.APIVersion, Kind: kind.Kind}, envelope.TypeMeta)
	require.NoError(w, got.Unmarshal(envelope.Raw))
	var fromJSON, fromProtobuf map[string]any
	fromJSON, err := runtime.DefaultUnstructuredConverter.ToUnstructured(want)
	require.NoError(w, err)
	fromProtobuf, err = runtime.DefaultUnstructuredConverter.ToUnstructured(got)
	require.NoError(w, err)
	dropTypes(fromJSON)
	dropTypes(fromProtobuf)
	require.Equal(w, fromJSON, fromProtobuf)
	return (*T)(want)
}

// dropTypes removes kinds and versions, which protobuf has in the envelope only.
func dropTypes(o map[string]any) {
	delete(o, "kind")
	delete(o, "apiVersion")
	items, _ := o["items"].([]any)
	for _, item := range items {
		dropTypes(item.(map[string]any))
	}
}

// TestProtobufThatDoesNotSayWhatItIs: an envelope without a type is one of the kind that is asked for.
func TestProtobufThatDoesNotSayWhatItIs(t *testing.T) {
	w := newWire(t)
	w.send(http.MethodPost, "/api/v1/namespaces", asJSONType, `{"metadata": {"name": "default"}}`)
	message, err := (&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Data: map[string]string{"k": "v"}}).Marshal()
	require.NoError(t, err)
	body, err := (&runtime.Unknown{Raw: message}).Marshal()
	require.NoError(t, err)
	answer, err := w.client.Post("http://plinth/api/v1/namespaces/default/configmaps", asProtobuf, strings.NewReader("k8s\x00"+string(body)))
	require.NoError(t, err)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, answer.StatusCode, "%s", data)
	require.Contains(t, string(data), `"data":{"k":"v"}`)
}

const fullMetadata = `{"metadata": {"name": "a", "labels": {"l": "1", "m": ""}, "annotations": {"n": "x"},
	"finalizers": ["example.com/f", "example.com/g"], "generateName": "g-",
	"ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true, "blockOwnerDeletion": false}]},
	"data": {"k": "v"}, "binaryData": {"b": "AAEC"}, "immutable": false}`

func TestProtobufSaysWhatJSONSays(t *testing.T) {
	w := newWire(t)
	const maps = "/api/v1/namespaces/default/configmaps"
	w.send(http.MethodPost, "/api/v1/namespaces", asJSONType, `{"metadata": {"name": "default"}}`)
	w.send(http.MethodPost, maps, asJSONType, fullMetadata)
	w.send(http.MethodPost, maps, asJSONType, `{"metadata": {"name": "b"}}`)
	w.send(http.MethodPost, maps, asJSONType, `{"metadata": {"name": "c"}, "data": {"é": "\u0000"}}`)
	w.send(http.MethodPost, "/api/v1/namespaces/default/events", asJSONType,
		`{"metadata": {"name": "e"}, "involvedObject": {"namespace": "default"}, "firstTimestamp": "2024-05-06T07:08:09Z"}`)

	meta := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: kind} }
	core := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "v1", Kind: kind} }
	t.Run("an object", func(t *testing.T) {
		sameInBoth[corev1.ConfigMap](w.in(t), maps+"/a", "", core("ConfigMap"))
		sameInBoth[corev1.Event](w.in(t), "/api/v1/namespaces/default/events/e", "", core("Event"))
	})
	t.Run("a list", func(t *testing.T) {
		list := sameInBoth[corev1.ConfigMapList](w.in(t), maps, "", core("ConfigMapList"))
		require.Len(t, list.Items, 2)
	})
	t.Run("a page", func(t *testing.T) {
		list := sameInBoth[corev1.ConfigMapList](w.in(t), maps+"?limit=1", "", core("ConfigMapList"))
		require.NotEmpty(t, list.Continue)
		require.NotNil(t, list.RemainingItemCount)
	})
	t.Run("metadata", func(t *testing.T) {
		partial := sameInBoth[metav1.PartialObjectMetadata](w.in(t), maps+"/a", partialForm, meta("PartialObjectMetadata"))
		require.Len(t, partial.OwnerReferences, 1)
		require.Len(t, partial.Finalizers, 2)
	})
	t.Run("a list of metadata", func(t *testing.T) {
		sameInBoth[metav1.PartialObjectMetadataList](w.in(t), maps, partialList, meta("PartialObjectMetadataList"))
	})
	t.Run("failures", func(t *testing.T) {
		sameInBoth[metav1.Status](w.in(t), maps+"/missing", "", core("Status"))
		sameInBoth[metav1.Status](w.in(t), maps+"?resourceVersion=999999", "", core("Status"))
		sameInBoth[metav1.Status](w.in(t), maps+"?labelSelector=((", "", core("Status"))
	})
	t.Run("a refusal with causes", func(t *testing.T) {
		const bad = `{"metadata": {"name": "NO"}, "data": {"a b": ""}}`
		var want, got metav1.Status
		require.NoError(t, json.Unmarshal(w.send(http.MethodPost, maps, asJSONType, bad), &want))
		require.NoError(t, got.Unmarshal(open(t, w.send(http.MethodPost, maps, asProtobuf, bad)).Raw))
		require.Len(t, want.Details.Causes, 2)
		got.TypeMeta = want.TypeMeta
		require.Equal(t, want, got)
	})
}

func TestWatchInProtobuf(t *testing.T) {
	w := newWire(t)
	const maps = "/api/v1/namespaces/default/configmaps"
	w.send(http.MethodPost, "/api/v1/namespaces", asJSONType, `{"metadata": {"name": "default"}}`)
	w.send(http.MethodPost, maps, asJSONType, fullMetadata)
	const initial = "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://plinth"+maps+initial, nil)
	require.NoError(t, err)
	r.Header.Set("Accept", asProtobuf+";stream=watch")
	answer, err := w.client.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, asProtobuf+";stream=watch", answer.Header.Get("Content-Type"))

	added, o := readFrame(t, answer.Body)
	require.Equal(t, "ADDED", added)
	var want corev1.ConfigMap
	require.NoError(t, json.Unmarshal(w.send(http.MethodGet, maps+"/a", asJSONType, ""), &want))
	want.TypeMeta = metav1.TypeMeta{}
	require.True(t, apiequality.Semantic.DeepEqual(want, o), "%v\n%v", want, o)

	bookmark, o := readFrame(t, answer.Body)
	require.Equal(t, "BOOKMARK", bookmark)
	require.Equal(t, "true", o.Annotations[metav1.InitialEventsAnnotationKey])
	require.Equal(t, want.ResourceVersion, o.ResourceVersion)
}

// readFrame reads one event of a watch on ConfigMaps: its length and the event.
func readFrame(t *testing.T, r io.Reader) (eventType string, o corev1.ConfigMap) {
	t.Helper()
	var length [4]byte
	_, err := io.ReadFull(r, length[:])
	require.NoError(t, err)
	frame := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err = io.ReadFull(r, frame)
	require.NoError(t, err)
	var event metav1.WatchEvent
	require.NoError(t, event.Unmarshal(frame))
	require.NoError(t, o.Unmarshal(open(t, event.Object.Raw).Raw))
	return event.Type, o
}
