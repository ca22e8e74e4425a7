package server

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// answerOf gives the code, the message and the reasons of the causes of an answer.
func answerOf(t *testing.T, s *Server, method, path, body string, headers ...string) string {
	t.Helper()
	answer := ask(t, s, method, path, body, headers...)
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	o, err := object.Decode(data)
	require.NoError(t, err)
	text := fmt.Sprint(answer.StatusCode)
	if message, ok := o["message"]; ok {
		text += fmt.Sprint(" ", message)
	}
	causes, _ := o.Field("details", "causes")
	list, _ := causes.([]any)
	for _, c := range list {
		text += fmt.Sprint(" ", c.(map[string]any)["reason"])
	}
	return text
}

func TestCreatingWhereNamespacesAreMissingOrGo(t *testing.T) {
	s := newWorld(t, emptied(), widgets(), tickets())
	makeNamespace(t, s, "going")
	put(t, s, within("going", "widgets", "a"), "example.com/hold")
	put(t, s, within("going", "widgets", "b"))
	deleteNamespace(t, s, "going")
	const absent = `404 namespaces "absent" not found`
	refused := func(name string) string {
		return "403 " + name + " is forbidden: unable to create new content in namespace going because it is being terminated NamespaceTerminating"
	}
	apply := []string{"Content-Type", "application/apply-patch+yaml"}
	tests := []struct {
		name, method, path, body string
		headers                  []string
		want                     string
	}{
		{"POST", http.MethodPost, "absent/widgets", `{"metadata":{"name":"x"}}`, nil, absent},
		{"dry run", http.MethodPost, "absent/widgets?dryRun=All", `{"metadata":{"name":"x"}}`, nil, absent},
		{"apply", http.MethodPatch, "absent/widgets/x?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, apply, absent},
		{"apply of nothing", http.MethodPatch, "absent/widgets/x?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Widget"}`, apply,
			"400 the name of the object (x based on URL) was undeterminable: name must be provided"},
		{"PUT", http.MethodPut, "absent/tickets/x", `{"metadata":{"name":"x"}}`, nil, absent},
		{"POST", http.MethodPost, "going/widgets", `{"metadata":{"name":"x"}}`, nil, refused(`widgets.example.com "x"`)},
		{"a taken name", http.MethodPost, "going/widgets", `{"metadata":{"name":"a"}}`, nil, refused(`widgets.example.com "a"`)},
		{"not valid either", http.MethodPost, "going/widgets", `{"metadata":{"name":"X"},"spec":{"size":-1}}`, nil, refused(`widgets.example.com "X"`)},
		{"generated name", http.MethodPost, "going/widgets", `{"metadata":{"generateName":"x-"}}`, nil, refused(`widgets.example.com "x-"`)},
		{"no name", http.MethodPost, "going/widgets", `{"metadata":{}}`, nil, refused(`widgets.example.com "Unknown"`)},
		{"dry run", http.MethodPost, "going/widgets?dryRun=All", `{"metadata":{"name":"x"}}`, nil, refused(`widgets.example.com "x"`)},
		{"apply", http.MethodPatch, "going/widgets/x?fieldManager=m", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"x"}}`, apply, refused(`widgets.example.com "x"`)},
		{"PUT", http.MethodPut, "going/tickets/x", `{"metadata":{"name":"x"}}`, nil, refused(`tickets.example.com "x"`)},
		{"update", http.MethodPut, "going/widgets/a", `{"metadata":{"name":"a","finalizers":["example.com/hold"]},"spec":{"color":"red"}}`, nil, "200"},
		{"delete", http.MethodDelete, "going/widgets/b", "", nil, "200"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			headers := tt.headers
			if headers == nil {
				headers = []string{"Content-Type", "application/json"}
			}
			require.Equal(t, tt.want, answerOf(t, s, tt.method, "/apis/example.com/v1/namespaces/"+tt.path, tt.body, headers...))
		})
	}
}

func TestProtectedObjects(t *testing.T) {
	s := newWorld(t, emptied())
	makeNamespace(t, s, "default")
	const want = `403 namespaces "default" is forbidden: this namespace may not be deleted`
	require.Equal(t, want, answerOf(t, s, http.MethodDelete, "/api/v1/namespaces/default", ""))
	require.Equal(t, want, answerOf(t, s, http.MethodDelete, "/api/v1/namespaces/default?dryRun=All", ""))
	o, err := s.Get(t.Context(), namespaceTarget("default"))
	require.NoError(t, err)
	require.True(t, o.DeletionTimestamp().IsZero())
	_, _, err = s.Delete(t.Context(), namespaceTarget("default"), gc.DeleteOptions{})
	require.ErrorIs(t, err, object.ErrForbidden)
}
