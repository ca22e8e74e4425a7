package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOverlaySetsAndMergesAndRemovesNothing(t *testing.T) {
	const live = `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"b","managedFields":[{"manager":"m"}]},
		"spec":{"size":1,"tags":["a"],"steps":["x"],"point":{"x":1},"parts":[{"id":"p","size":1},{"id":"q"}]}}`
	for _, c := range []struct{ name, config, spec, failure string }{
		{"a field", `{"colour":"red"}`, `{"colour":"red"}`, ""},
		{"nothing", `{}`, `{}`, ""},
		{"an item of a set", `{"tags":["b"]}`, `{"tags":["a","b"]}`, ""},
		{"a field of an item", `{"parts":[{"id":"q","size":2}]}`, `{"parts":[{"id":"p","size":1},{"id":"q","size":2}]}`, ""},
		{"an item", `{"parts":[{"id":"r"}]}`, `{"parts":[{"id":"p","size":1},{"id":"q"},{"id":"r"}]}`, ""},
		{"a list owned as a whole", `{"steps":["y"]}`, "", "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.steps"},
		{"a map owned as a whole and a list", `{"point":{"y":1},"steps":[]}`, "",
			"invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.point, .spec.steps"},
		{"a field that there isn't", `{"weight":1}`, "", "failed to convert patch object to typed object: .spec.weight: field not declared in schema"},
		{"a key twice", `{"parts":[{"id":"r"},{"id":"r"}]}`, "", `failed to convert patch object to typed object: .spec.parts: duplicate entries for key [id="r"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := decode(t, live)
			next, err := boxType(t).Overlay(o, decode(t, `{"apiVersion":"example.com/v1","kind":"Box","spec":`+c.config+`}`))
			require.Equal(t, decode(t, live), o, "the live object is left alone")
			if c.failure != "" {
				require.EqualError(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			expected := o.DeepCopy()
			for name, value := range decode(t, `{"spec":`+c.spec+`}`)["spec"].(map[string]any) {
				expected["spec"].(map[string]any)[name] = value
			}
			require.Equal(t, expected, next)
		})
	}
}
