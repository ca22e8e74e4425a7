package apply_test

import (
	"fmt"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/stretchr/testify/require"
)

// benchDocument is an object of about 1.5 KB of JSON.
func benchDocument() object.Object {
	data := map[string]any{}
	for i := range 40 {
		data[fmt.Sprintf("key-%02d", i)] = "a value of some length"
	}
	return object.Object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "a", "namespace": "default", "labels": map[string]any{"app": "web"}, "finalizers": []any{"example.com/a"}},
		"data":     data,
	}
}

func BenchmarkPatch(b *testing.B) {
	benchmarks := []struct {
		name  string
		kind  apply.PatchType
		patch string
	}{
		{"json", apply.JSONPatch, `[{"op":"test","path":"/data/key-00","value":"a value of some length"},{"op":"replace","path":"/data/key-00","value":"x"}]`},
		{"merge", apply.MergePatch, `{"metadata":{"labels":{"app":"api"}},"data":{"key-00":"x"}}`},
	}
	for _, bb := range benchmarks {
		b.Run(bb.name, func(b *testing.B) {
			doc, patch := benchDocument(), []byte(bb.patch)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := apply.Patch(doc, bb.kind, patch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// benchMerger merges config maps of 20 keys, or objects with a list of 50 items.
func benchMerger(b testing.TB) *apply.Merger {
	s, err := schema.Parse(decode(b, `{"type":"object","properties":{
		"data":{"type":"object","additionalProperties":{"type":"string"}},
		"items":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],
			"items":{"type":"object","properties":{"name":{"type":"string"},"value":{"type":"string"}}}}}}`))
	require.NoError(b, err)
	t := apply.NewType(s)
	return &apply.Merger{Kind: object.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Type: func(string) *apply.Type { return t }}
}

// benchConfig is a configuration of 20 keys or 50 items, the first with the value.
func benchConfig(items bool, value string) object.Object {
	o := object.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a", "namespace": "default", "labels": map[string]any{"app": "web"}}}
	if !items {
		data := map[string]any{"key-00": value}
		for i := range 19 {
			data[fmt.Sprintf("key-%02d", i+1)] = "a value of some length"
		}
		o["data"] = data
		return o
	}
	list := []any{map[string]any{"name": "item-00", "value": value}}
	for i := range 49 {
		list = append(list, map[string]any{"name": fmt.Sprintf("item-%02d", i+1), "value": "x"})
	}
	o["items"] = list
	return o
}

func BenchmarkApply(b *testing.B) {
	for _, items := range []bool{false, true} {
		name := map[bool]string{false: "20keys", true: "50items"}[items]
		m, w := benchMerger(b), apply.Writer{Manager: "one"}
		live, _, err := m.Apply(nil, benchConfig(items, "1"), w, false)
		require.NoError(b, err)
		live.SetUID("u")
		run := func(name string, live, config object.Object, want bool) {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, changed, err := m.Apply(live, config, w, false); err != nil || changed != want {
						b.Fatal(changed, err)
					}
				}
			})
		}
		run(name+"/create", nil, benchConfig(items, "1"), true)
		run(name+"/change", live, benchConfig(items, "2"), true)
		run(name+"/same", live, benchConfig(items, "1"), false)
	}
}

func BenchmarkTrack(b *testing.B) {
	for _, items := range []bool{false, true} {
		name := map[bool]string{false: "20keys", true: "50items"}[items]
		m, w := benchMerger(b), apply.Writer{Manager: "one"}
		live := benchConfig(items, "1")
		require.NoError(b, m.Track(nil, live, w))
		live.SetUID("u")
		run := func(name, value string) {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				owners := live.Metadata()["managedFields"]
				next := benchConfig(items, value)
				next.SetUID("u")
				for b.Loop() {
					next.Metadata()["managedFields"] = owners
					if err := m.Track(live, next, w); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run(name+"/change", "2")
		run(name+"/same", "1")
	}
}
