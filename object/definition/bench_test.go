package definition_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// large gives the JSON of a definition of half a megabyte, as those are that embed
// templates of pods: many fields, each with a long description, four deep and more,
// some with defaults, lists by keys and rules.
func large() []byte {
	var b strings.Builder
	b.WriteString(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"larges.example.com"},
 "spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"larges","kind":"Large"},"versions":[{"name":"v1","served":true,"storage":true,
 "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{`)
	for i := range 53 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"part%d":`, i)
		largeNode(&b, 3, i)
	}
	b.WriteString(`}}}}}}]}}`)
	return []byte(b.String())
}

func largeNode(b *strings.Builder, depth, seed int) {
	description := strings.Repeat(fmt.Sprintf("Part %d at depth %d says what it is for. ", seed, depth), 4)
	if depth == 0 {
		fmt.Fprintf(b, `{"type":"string","description":%q,"maxLength":%d,"default":"x"}`, description, 63+seed)
		return
	}
	fmt.Fprintf(b, `{"type":"object","description":%q,"x-kubernetes-validations":[{"rule":"!has(self.a) || self.a != 'y'"}],"properties":{`, description)
	for i, name := range []string{"a", "b", "c"} {
		if i > 0 {
			b.WriteByte(',')
		}
		if name == "a" {
			fmt.Fprintf(b, `"a":{"type":"string","maxLength":20,"description":%q}`, description)
			continue
		}
		fmt.Fprintf(b, `%q:`, name)
		largeNode(b, depth-1, 10*seed+i)
	}
	fmt.Fprintf(b, `,"list":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"description":%q,"items":{"type":"object","required":["name"],"properties":{`+
		`"name":{"type":"string","description":%q},"value":{"x-kubernetes-int-or-string":true}}}}`, description, description)
	b.WriteString(`}}`)
}

// BenchmarkInstall takes the steps of a server that is given a definition.
func BenchmarkInstall(b *testing.B) {
	data := large()
	b.Logf("%d bytes", len(data))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	shared := new(definition.Shared)
	for b.Loop() {
		o := decode(b, data)
		if errs := shared.Validate(o, nil); len(errs) > 0 {
			b.Fatal(errs)
		}
		if _, err := shared.Parse(o); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSteps(b *testing.B) {
	data := large()
	o := decode(b, data)
	shared := new(definition.Shared)
	require.Empty(b, shared.Validate(o, nil))
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Decode", func() { _ = decode(b, data) }},
		{"Parse", func() { _, _ = shared.Parse(o) }},
		{"Validate", func() { shared.Validate(o, nil) }},
		{"ValidateUpdate", func() { shared.Validate(o, o) }},
		{"Warnings", func() { definition.Warnings(o, nil) }},
		{"MarkSchema", func() { definition.MarkSchema(o, start) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}

// BenchmarkHeld shows what a parsed definition takes of the heap.
func BenchmarkHeld(b *testing.B) {
	o := decode(b, large())
	shared := new(definition.Shared)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	held := make([]*definition.Definition, 1)
	for b.Loop() {
		d, err := shared.Parse(o)
		require.NoError(b, err)
		held[0] = d
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "heap-B")
	runtime.KeepAlive(held)
	runtime.KeepAlive(o)
}

func BenchmarkColumn(b *testing.B) {
	d := parse(b, clockDefinition)
	o := object.Object(document(b, clock))
	for _, c := range d.Versions[0].Columns {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = c.Value(o)
			}
		})
	}
}

func BenchmarkObject(b *testing.B) {
	v := parse(b, clockDefinition).Versions[0]
	o := object.Object(document(b, clock))
	_, err := v.Decode(o)
	require.NoError(b, err)
	require.Empty(b, v.Validate(o, nil))
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"Decode", func() { _, _ = v.Decode(o) }},
		{"Read", func() { v.Read(o) }},
		{"Validate", func() { v.Validate(o, nil) }},
		{"ValidateUpdate", func() { v.Validate(o, o) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.do()
			}
		})
	}
}
