package server

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestNamespacesWithoutAGoType(t *testing.T) {
	s := newWorld(t, NamespaceKind(), widgets())
	e := startEmptier(t, s)
	ctx := t.Context()
	require.NoError(t, createNamespace(t, s, "lab"))
	o, err := s.Get(ctx, namespaceTarget("lab"))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"kubernetes.io/metadata.name": "lab"}, o.Labels())
	require.Equal(t, map[string]any{"finalizers": []any{"kubernetes"}}, o["spec"])
	require.Equal(t, map[string]any{"phase": "Active"}, o["status"])

	_, err = s.Patch(ctx, namespaceTarget("lab"), apply.MergePatch, []byte(`{"spec":{"finalizers":null},"status":{"phase":"Odd"},"metadata":{"labels":null}}`), WriteOptions{})
	require.NoError(t, err)
	after, err := s.Get(ctx, namespaceTarget("lab"))
	require.NoError(t, err)
	require.Equal(t, []any{o["spec"], o["status"], o.Labels()}, []any{after["spec"], after["status"], after.Labels()})
	selected, _, err := s.List(ctx, namespaceTarget(""), ListOptions{FieldSelector: "status.phase=Active"})
	require.NoError(t, err)
	require.Len(t, selected, 1)

	in := target("")
	in.Namespace = "lab"
	_, err = s.Create(ctx, in, widget("w"), WriteOptions{})
	require.NoError(t, err)
	_, removed, err := s.Delete(ctx, namespaceTarget("lab"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.False(t, removed)
	e.settle()
	require.True(t, isGone(t, s, namespaceTarget("lab")))
	_, err = s.Create(ctx, in, widget("w"), WriteOptions{})
	require.True(t, object.IsNotFound(err), "%v", err)

	require.NoError(t, createNamespace(t, s, "default"))
	_, _, err = s.Delete(ctx, namespaceTarget("default"), gc.DeleteOptions{})
	require.True(t, object.IsForbidden(err), "%v", err)
}

func TestThePhaseOfANamespaceSaysWhetherItGoes(t *testing.T) {
	s := newWorld(t, NamespaceKind())
	ctx := t.Context()
	require.NoError(t, createNamespace(t, s, "lab"))
	status, end := namespaceTarget("lab"), namespaceTarget("lab")
	status.Subresource, end.Subresource = "status", "finalize"
	setPhase := func(phase string) error {
		_, err := s.Patch(ctx, status, apply.MergePatch, []byte(`{"status":{"phase":"`+phase+`"}}`), WriteOptions{})
		return err
	}
	require.NoError(t, setPhase(""), "which is active")
	require.ErrorContains(t, setPhase("Terminating"), "status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty")
	_, _, err := s.Delete(ctx, namespaceTarget("lab"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.ErrorContains(t, setPhase("Active"), "may only be 'Terminating' if `deletionTimestamp` is not empty")

	o, err := s.Get(ctx, namespaceTarget("lab"))
	require.NoError(t, err)
	o["spec"] = map[string]any{"finalizers": []any{"kubernetes", "odd"}}
	_, err = s.Update(ctx, end, o, WriteOptions{})
	require.ErrorContains(t, err, `spec.finalizers[1]: Invalid value: "odd": name is neither a standard finalizer name nor is it fully qualified`)
	o["spec"] = map[string]any{}
	_, err = s.Update(ctx, end, o, WriteOptions{})
	require.NoError(t, err)
	require.True(t, isGone(t, s, namespaceTarget("lab")))
}

func TestFinalizersOfNamespacesAreChecked(t *testing.T) {
	s := newWorld(t, NamespaceKind())
	for finalizer, wanted := range map[string]int{"kubernetes": 201, "example.com/hold": 201, "orphan": 201, "odd": 422, "a b/c": 422} {
		body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"generateName": "n-"}, "spec": map[string]any{"finalizers": []string{finalizer}}})
		require.NoError(t, err)
		require.Equal(t, wanted, ask(t, s, http.MethodPost, "/api/v1/namespaces", string(body)).StatusCode, finalizer)
	}
}
