package builtin

import (
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/server"
)

func TestSchemasOfTypes(t *testing.T) {
	pod := newTypes().schema(reflect.TypeFor[corev1.Pod]())
	all := maps.Collect(pod.Components())
	require.Equal(t, pod, all["io.k8s.api.core.v1.Pod"])

	container := all["io.k8s.api.core.v1.Container"]
	require.Equal(t, "A single application container that you want to run within a pod.", container.Description)
	ports := container.Property("ports")
	require.Equal(t, []string{"containerPort", "protocol"}, ports.ListMapKeys)
	strategy, key := ports.PatchTags()
	require.Equal(t, "merge containerPort", strategy+" "+key)
	require.Equal(t, "TCP", ports.Items.Property("protocol").Default)

	require.Contains(t, all, "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
	require.True(t, all["io.k8s.apimachinery.pkg.api.resource.Quantity"].IntOrString)
	require.Equal(t, "date-time", all["io.k8s.apimachinery.pkg.apis.meta.v1.Time"].Format)
	require.Equal(t, "atomic", pod.Property("spec").Property("nodeSelector").MapType)
	require.Contains(t, pod.Property("metadata").Property("labels").Description, "Map of string keys and values")
}

func TestAllKindsHaveSchemas(t *testing.T) {
	for _, r := range Resources() {
		for _, v := range r.Versions {
			s := v.Codec.(server.SchemaCodec).Schema()
			require.Equal(t, "object", s.Type, r.Kind)
			require.NotNil(t, s.Property("metadata"), r.Kind)
			require.NotEmpty(t, s.Description, r.Kind)
			names := slices.Collect(maps.Keys(maps.Collect(s.Components())))
			require.True(t, slices.ContainsFunc(names, func(name string) bool {
				return strings.HasPrefix(name, "io.k8s.api.") && strings.HasSuffix(name, "."+r.Kind)
			}), "%s: %s", r.Kind, names)
		}
	}
}

// BenchmarkSchemas derives the schemas of all kinds and reports what they keep.
func BenchmarkSchemas(b *testing.B) {
	b.ReportAllocs()
	var kept [][]*schema.Schema
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		var all []*schema.Schema
		for _, r := range Resources() {
			for _, v := range r.Versions {
				all = append(all, v.Codec.(server.SchemaCodec).Schema())
			}
		}
		kept = append(kept, all)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N), "kept-B/op")
	runtime.KeepAlive(kept)
}
