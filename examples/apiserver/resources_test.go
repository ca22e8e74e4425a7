package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestParseResources(t *testing.T) {
	resources, err := parseResources([]byte(widgets))
	require.NoError(t, err)
	require.Len(t, resources, 1)
	r := resources[0]
	require.Equal(t, []any{"example.com", "Widget", "widgets", true}, []any{r.Group, r.Kind, r.Plural, r.Namespaced})
	columns := r.Versions[0].Columns
	require.Len(t, columns, 3)
	o := object.Object{"spec": map[string]any{"size": int64(3)}, "status": map[string]any{"ready": "perhaps"}}
	require.Equal(t, int64(3), columns[0].Value(o))
	require.Nil(t, columns[1].Value(o), "a value of another type is not shown")
	require.Equal(t, int32(1), columns[1].Priority)
}

func TestStatusIsASubresource(t *testing.T) {
	resources, err := parseResources([]byte(widgets))
	require.NoError(t, err)
	live := func() object.Object {
		return object.Object{"metadata": map[string]any{"name": "w"}, "spec": int64(1), "status": int64(1)}
	}
	next := func() object.Object {
		return object.Object{"metadata": map[string]any{"name": "x", "resourceVersion": "7"}, "spec": int64(2), "status": int64(2)}
	}

	o := next()
	resources[0].Prepare(o, live())
	require.Equal(t, int64(2), o["spec"])
	require.Equal(t, int64(1), o["status"])

	o = next()
	resources[0].Prepare(o, nil)
	require.NotContains(t, o, "status")

	o = next()
	resources[0].Subresources[0].Prepare(o, live())
	require.Equal(t, object.Object{
		"metadata": map[string]any{"name": "w", "resourceVersion": "7"}, "spec": int64(1), "status": int64(2),
	}, o)
}

func TestResourcesThatAreWrong(t *testing.T) {
	tests := map[string]struct{ in, err string }{
		"no kind":        {`resources: [{plural: a, versions: [v1]}]`, `resources[0] (): kind is missing`},
		"no plural":      {`resources: [{kind: A, versions: [v1]}]`, `resources[0] (A): plural is missing`},
		"no versions":    {`resources: [{kind: A, plural: a}]`, `resources[0] (A): versions are missing`},
		"scope":          {`resources: [{kind: A, plural: a, versions: [v1], scope: World}]`, `resources[0] (A): scope is Namespaced or Cluster, not "World"`},
		"column type":    {`resources: [{kind: A, plural: a, versions: [v1], columns: [{name: C, path: a, type: int}]}]`, `resources[0] (A): column "C": type is string, integer, number, boolean or date, not "int"`},
		"column path":    {`resources: [{kind: A, plural: a, versions: [v1], columns: [{name: C}]}]`, `resources[0] (A): column "C": path is missing`},
		"unknown member": {`resources: [{kind: A, plurals: a}]`, `json: unknown field "plurals"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := parseResources([]byte(tc.in))
			require.EqualError(t, err, tc.err)
		})
	}
}
