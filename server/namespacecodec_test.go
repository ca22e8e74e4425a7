package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestDocumentsOfNamespacesHaveAType(t *testing.T) {
	codec := newNamespaceCodec()
	for _, test := range []struct{ name, document, want string }{
		{"nothing", `{}`, `{"metadata":{},"spec":{},"status":{}}`},
		{"all of it", `{"metadata":{"name":"a"},"spec":{"finalizers":["x"]},"status":{"phase":"Active","conditions":[{"type":"T","status":"True","reason":"R","message":"M","lastTransitionTime":"2000-01-01T00:00:00Z"}]}}`,
			`{"metadata":{"name":"a"},"spec":{"finalizers":["x"]},"status":{"conditions":[{"lastTransitionTime":"2000-01-01T00:00:00Z","message":"M","reason":"R","status":"True","type":"T"}],"phase":"Active"}}`},
		{"what is empty", `{"metadata":null,"spec":{"finalizers":[]},"status":{"phase":""}}`, `{"metadata":{},"spec":{},"status":{}}`},
	} {
		o, strict, err := codec.DecodeJSON([]byte(test.document))
		require.NoError(t, err, test.name)
		require.Empty(t, strict, test.name)
		require.Equal(t, test.want, string(object.AppendJSON(nil, o)), test.name)
	}
	_, strict, err := codec.DecodeJSON([]byte(`{"a":1,"metadata":{"b":1},"spec":{"finalizers":[],"finalizers":[],"Finalizers":["x"],"c":1},"status":{"conditions":[{"d":1}]}}`))
	require.NoError(t, err)
	require.Equal(t, []string{
		`duplicate field "spec.finalizers"`, `unknown field "a"`, `unknown field "metadata.b"`,
		`unknown field "spec.Finalizers"`, `unknown field "spec.c"`, `unknown field "status.conditions[0].d"`,
	}, strict)
	for _, document := range []string{`[]`, `{"spec":1}`, `{"spec":{"finalizers":"x"}}`, `{"metadata":{"name":1}}`, `{"status":{"conditions":[{"lastTransitionTime":"then"}]}}`} {
		_, _, err := codec.DecodeJSON([]byte(document))
		require.Error(t, err, document)
	}
}

func TestConditionsOfNamespacesMergeByType(t *testing.T) {
	s := newWorld(t, NamespaceKind())
	require.NoError(t, createNamespace(t, s, "lab"))
	for _, kind := range []string{"A", "B", "A"} {
		r := ask(t, s, http.MethodPatch, "/api/v1/namespaces/lab/status", `{"status":{"conditions":[{"type":"`+kind+`","status":"True"}]}}`,
			"Content-Type", "application/strategic-merge-patch+json")
		require.Equal(t, http.StatusOK, r.StatusCode)
	}
	o, err := s.Get(t.Context(), namespaceTarget("lab"))
	require.NoError(t, err)
	conditions, _ := o.Field("status", "conditions")
	require.Len(t, conditions, 2)
	r := ask(t, s, http.MethodPost, "/api/v1/namespaces", "x", "Content-Type", "application/vnd.kubernetes.protobuf")
	require.Equal(t, http.StatusUnsupportedMediaType, r.StatusCode)
}

func FuzzNamespaceDocument(f *testing.F) {
	f.Add([]byte(`{"metadata":{"name":"a"},"spec":{"finalizers":["x"]},"status":{"phase":"Active","conditions":[{"type":"T","lastTransitionTime":null}]}}`))
	f.Add([]byte(`{"spec":null,"status":{"conditions":[null]},"x":{}}`))
	codec := newNamespaceCodec()
	f.Fuzz(func(t *testing.T, data []byte) {
		o, _, err := codec.DecodeJSON(data)
		if err != nil {
			return
		}
		text := object.AppendJSON(nil, o)
		again, strict, err := codec.DecodeJSON(text)
		require.NoError(t, err, "%s", text)
		require.Empty(t, strict)
		require.Equal(t, string(text), string(object.AppendJSON(nil, again)))
	})
}
