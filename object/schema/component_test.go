package schema

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

type crate struct {
	Ports  []port   `json:"ports,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"port"`
	Limit  quantity `json:"limit,omitempty"`
	Branch *tree    `json:"branch,omitempty" patchStrategy:"replace"`
}

type shelf struct {
	Crate crate `json:"crate,omitempty"`
	Tree  tree  `json:"tree,omitempty"`
}

// named gives names to all structs but the roots of documents.
func named(t reflect.Type) string {
	if t.Kind() == reflect.Struct || t == reflect.TypeFor[quantity]() {
		return "test." + t.Name()
	}
	return ""
}

func newTestDeriver(t *testing.T) *Deriver {
	return NewDeriver(GoOptions{
		Name:     named,
		Types:    map[reflect.Type]*Schema{reflect.TypeFor[quantity](): parse(t, `{"x-kubernetes-int-or-string":true}`)},
		Defaults: map[GoField]any{{reflect.TypeFor[port](), "Protocol"}: "TCP"},
		Describe: func(t reflect.Type, field string) string { return t.Name() + "'s " + field },
	})
}

func TestNamedTypesBecomeReferences(t *testing.T) {
	s, err := newTestDeriver(t).Schema(reflect.TypeFor[shelf]())
	require.NoError(t, err)
	kind := object.GroupVersionKind{Group: "g", Version: "v1", Kind: "Shelf"}
	require.JSONEq(t, `{"type":"object","description":"shelf's ","properties":{
		"crate":{"allOf":[{"$ref":"#/components/schemas/test.crate"}],"description":"shelf's Crate"},
		"tree":{"allOf":[{"$ref":"#/components/schemas/test.tree"}],"description":"shelf's Tree"}},
		"x-kubernetes-group-version-kind":[{"group":"g","version":"v1","kind":"Shelf"}]}`,
		string(s.AppendOpenAPIV3(nil, Published{Kind: kind})))

	all := maps.Collect(s.Components())
	require.Equal(t, []string{"test.crate", "test.port", "test.quantity", "test.shelf", "test.tree"}, slices.Sorted(maps.Keys(all)))
	require.JSONEq(t, `{"type":"object","description":"crate's ","properties":{
		"branch":{"$ref":"#/definitions/test.tree","description":"crate's Branch","x-kubernetes-patch-strategy":"replace"},
		"limit":{"$ref":"#/definitions/test.quantity","description":"crate's Limit"},
		"ports":{"type":"array","description":"crate's Ports","items":{"$ref":"#/definitions/test.port"},
			"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["port"],
			"x-kubernetes-patch-strategy":"merge,retainKeys","x-kubernetes-patch-merge-key":"port"}}}`,
		string(all["test.crate"].AppendOpenAPIV2(nil, Published{})))
	require.JSONEq(t, `{"type":"object","description":"tree's ","required":["name"],"properties":{
		"name":{"type":"string","description":"tree's Name"},
		"children":{"type":"array","description":"tree's Children","items":{"$ref":"#/components/schemas/test.tree"}}}}`,
		string(all["test.tree"].AppendOpenAPIV3(nil, Published{})), "a type that contains itself refers to itself")
	require.Equal(t, "TCP", all["test.port"].Property("protocol").Default)
}

func TestDeriversShareTypes(t *testing.T) {
	d := newTestDeriver(t)
	var crates [8]*Schema
	var all sync.WaitGroup
	for i := range crates {
		all.Go(func() { crates[i], _ = d.Schema(reflect.TypeFor[crate]()) })
	}
	all.Wait()
	s, err := d.Schema(reflect.TypeFor[shelf]())
	require.NoError(t, err)
	for _, c := range crates {
		require.Same(t, maps.Collect(s.Components())["test.crate"], c)
	}
	strategy, key := crates[0].Property("ports").PatchTags()
	require.Equal(t, "merge,retainKeys port", strategy+" "+key)
	strategy, _ = crates[0].PatchTags()
	require.Empty(t, strategy)
}
