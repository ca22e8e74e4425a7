package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

func TestOverlay(t *testing.T) {
	s, err := schema.Parse(decode(t, `{"type": "object", "properties": {
		"data": {"type": "object", "additionalProperties": {"type": "string"}},
		"words": {"type": "array", "items": {"type": "string"}},
		"colours": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
		"box": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"wide": {"type": "integer"}}},
		"parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {"type": "object", "required": ["name"],
			"properties": {"name": {"type": "string"}, "size": {"type": "integer"}, "words": {"type": "array", "items": {"type": "string"}}}}}}}`))
	require.NoError(t, err)
	merges := apply.NewType(s)
	const kind = `"apiVersion": "example.com/v1", "kind": "Thing"`
	const live = `{` + kind + `, "data": {"a": "1"}, "words": ["w"], "colours": ["red"], "parts": [{"name": "x", "size": 1}, {"name": "x", "size": 2}]}`
	for _, c := range []struct{ name, live, config, result, message string }{
		{"fields are added and replaced", live, `{` + kind + `, "data": {"a": "2", "b": "3"}}`,
			`{` + kind + `, "data": {"a": "2", "b": "3"}, "words": ["w"], "colours": ["red"], "parts": [{"name": "x", "size": 1}, {"name": "x", "size": 2}]}`, ""},
		{"items by their keys, and items of sets", `{` + kind + `, "colours": ["red"], "parts": [{"name": "x", "words": ["w"]}]}`,
			`{` + kind + `, "colours": ["blue", "red"], "parts": [{"name": "y"}, {"name": "x", "size": 2}]}`,
			`{` + kind + `, "colours": ["blue", "red"], "parts": [{"name": "y"}, {"name": "x", "size": 2, "words": ["w"]}]}`, ""},
		{"nothing", live, `{` + kind + `}`, live, ""},
		{"all that is atomic is named", live, `{` + kind + `, "words": ["v"], "parts": [{"name": "z", "words": []}]}`, "",
			"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .parts[0].words, .words"},
		{"an atomic map", live, `{` + kind + `, "box": {"wide": 1}}`, "", "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .box"},
		{"a field that there isn't", live, `{` + kind + `, "none": 1}`, "", "failed to convert patch object to typed object: .none: field not declared in schema"},
		{"a key twice", live, `{` + kind + `, "parts": [{"name": "z"}, {"name": "z"}]}`, "",
			`failed to convert patch object to typed object: .parts: duplicate entries for key [name="z"]`},
		{"another kind", live, `{"apiVersion": "example.com/v2", "kind": "Thing"}`, "",
			"patch (example.com/v2, Kind=Thing) and original object (example.com/v1, Kind=Thing) are not of the same gvk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, config := decode(t, c.live), decode(t, c.config)
			got, err := merges.Overlay(o, config)
			require.Equal(t, decode(t, c.live), o)
			require.Equal(t, decode(t, c.config), config)
			if c.message != "" {
				require.EqualError(t, err, c.message)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, c.result, string(object.AppendJSON(nil, got)))
		})
	}
}
