package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetDefaults(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"a":{"type":"string","default":"x"},"null":{"type":"string","nullable":true,"default":"x"},
		"in":{"type":"object","properties":{"b":{"type":"integer","default":1}}},
		"made":{"type":"object","default":{},"properties":{"b":{"type":"integer","default":1}}},
		"list":{"type":"array","items":{"type":"object","properties":{"b":{"type":"integer","default":1}}}},
		"texts":{"type":"array","items":{"type":"string","default":"filled"}},
		"map":{"type":"object","additionalProperties":{"type":"object","default":{"c":2},"properties":{"b":{"type":"integer","default":1}}}}}}`)
	for _, c := range []struct{ name, in, out string }{
		{"absent fields, but not inside of absent objects", `{}`, `{"a":"x","null":"x","made":{"b":1}}`},
		{"null counts as absent unless it is allowed", `{"a":null,"null":null}`, `{"a":"x","null":null,"made":{"b":1}}`},
		{"at every nesting", `{"in":{},"list":[{},{"b":2}],"map":{"k":{}}}`,
			`{"a":"x","null":"x","made":{"b":1},"in":{"b":1},"list":[{"b":1},{"b":2}],"map":{"k":{"b":1}}}`},
		{"null in lists and maps", `{"texts":["a",null],"map":{"k":null}}`,
			`{"a":"x","null":"x","made":{"b":1},"texts":["a","filled"],"map":{"k":{"c":2,"b":1}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := document(t, c.in)
			s.SetDefaults(o)
			require.Equal(t, document(t, c.out), o)
		})
	}
}

func TestDefaultsAreNotShared(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{"a":{"type":"object","default":{"l":[{}]},"x-kubernetes-preserve-unknown-fields":true}}}`)
	for range 2 {
		o := map[string]any{}
		s.SetDefaults(o)
		require.Equal(t, document(t, `{"a":{"l":[{}]}}`), o)
		o["a"].(map[string]any)["l"].([]any)[0].(map[string]any)["x"] = true
	}
}

func TestPruneNulls(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","nullable":true},"c":{"type":"string","default":"x"},
		"l":{"type":"array","items":{"type":"string"}},"m":{"type":"object","additionalProperties":{"type":"string"}},"u":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}`)
	o := document(t, `{"a":null,"b":null,"c":null,"l":[null],"m":{"k":null},"u":{"x":null}}`)
	s.PruneNulls(o)
	require.Equal(t, document(t, `{"b":null,"c":null,"l":[null],"m":{},"u":{"x":null}}`), o)
}

func TestPrune(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"a":{"type":"object","properties":{"x":{"type":"string"}}},
		"list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string"}}}},
		"map":{"type":"object","additionalProperties":{"type":"object","properties":{"x":{"type":"string"}}}},
		"free":{"type":"object","additionalProperties":true},
		"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"known":{"type":"object","properties":{"x":{"type":"string"}}}}},
		"opens":{"x-kubernetes-preserve-unknown-fields":true,"type":"array","items":{"type":"object","properties":{"k":{"type":"object","properties":{}}}}},
		"raw":{"type":"object","x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}},
		"text":{"type":"string"}}}`)
	o := document(t, `{"apiVersion":"v1","kind":"A","metadata":{"anything":1},"gone":{"x":1},
		"a":{"x":"1","y":1,"kind":"k"},"list":[{"x":"1","y":1},"text",[{"deep":1}]],"map":{"k":{"x":"1","y":1}},"free":{"k":{"y":1},"l":1},
		"open":{"u":{"v":1},"known":{"x":"1","y":1}},"opens":[{"u":{"v":1},"k":{"y":1}}],
		"raw":{"apiVersion":"v1","kind":"B","metadata":{"x":1},"spec":{"y":1},"status":{}},"text":{"y":1}}`)
	removed := s.Prune(o, true)
	require.Equal(t, document(t, `{"apiVersion":"v1","kind":"A","metadata":{"anything":1},
		"a":{"x":"1"},"list":[{"x":"1"},"text",[{}]],"map":{"k":{"x":"1"}},"free":{"k":{},"l":1},
		"open":{"u":{"v":1},"known":{"x":"1"}},"opens":[{"u":{"v":1},"k":{}}],
		"raw":{"apiVersion":"v1","kind":"B","metadata":{"x":1},"spec":{}},"text":{}}`), o)
	require.Equal(t, []string{"a.kind", "a.y", "free.k.y", "gone", "list[0].y", "list[2][0].deep", "map.k.y", "open.known.y",
		"opens[0].k.y", "raw.spec.y", "raw.status", "text.y"}, removed)
}

func TestPruneWithoutSchemaLeavesTypeAndMetadata(t *testing.T) {
	o := document(t, `{"apiVersion":"v1","kind":"A","metadata":{"name":"x"},"spec":{}}`)
	require.Equal(t, []string{"spec"}, (*Schema)(nil).Prune(o, true))
	require.Equal(t, document(t, `{"apiVersion":"v1","kind":"A","metadata":{"name":"x"}}`), o)
}

func TestWithPrunedDefaults(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{"a":{"type":"object","default":{"x":1,"y":2},"properties":{"x":{"type":"integer"}}}}}`)
	require.Equal(t, Relaxed{UnprunedDefaults: true}, Relax(nil, s))
	o := map[string]any{}
	s.WithPrunedDefaults().SetDefaults(o)
	require.Equal(t, document(t, `{"a":{"x":1}}`), o)
	pruned := s.WithPrunedDefaults()
	require.Same(t, pruned, pruned.WithPrunedDefaults())
}
