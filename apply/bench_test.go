package apply_test

import (
	"fmt"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
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
