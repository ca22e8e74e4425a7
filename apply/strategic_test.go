package apply_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

type workload struct {
	Labels   map[string]string `json:"labels,omitempty"`
	Names    []string          `json:"names,omitempty" patchStrategy:"merge"`
	Args     []string          `json:"args,omitempty"`
	Ports    []port            `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
	Volumes  []volume          `json:"volumes,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	Strategy *rollout          `json:"strategy,omitempty" patchStrategy:"retainKeys"`
	Whole    *rollout          `json:"whole,omitempty" patchStrategy:"replace"`
	Deeper   *section          `json:"deeper,omitempty"`
}

type section struct {
	Ports []port `json:"ports,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
}

type port struct {
	Port  int    `json:"port"`
	Name  string `json:"name,omitempty"`
	Ports []port `json:"more,omitempty" patchStrategy:"merge" patchMergeKey:"port"`
}

type volume struct {
	Name   string            `json:"name"`
	Secret map[string]string `json:"secret,omitempty"`
	Empty  map[string]string `json:"empty,omitempty"`
}

type rollout struct {
	Type  string `json:"type,omitempty"`
	Limit int    `json:"limit,omitempty"`
}

func strategicSchema(t testing.TB) *schema.Schema {
	s, err := schema.FromGo(reflect.TypeFor[workload](), schema.GoOptions{})
	require.NoError(t, err)
	return s
}

func TestStrategicMergePatch(t *testing.T) {
	tests := []struct{ name, doc, patch, want, fails string }{
		{name: "no patch", doc: `{"names":["a"]}`, patch: `null`, want: `{"names":["a"]}`},
		{name: "maps are merged", doc: `{"labels":{"a":"1","b":"2"}}`, patch: `{"labels":{"b":"3","a":null,"c":"4"}}`, want: `{"labels":{"b":"3","c":"4"}}`},
		{name: "plain lists are replaced", doc: `{"args":["a","b"]}`, patch: `{"args":["c"]}`, want: `{"args":["c"]}`},
		{name: "lists of texts are merged", doc: `{"names":["a","b"]}`, patch: `{"names":["c","a"]}`, want: `{"names":["c","a","b"]}`},
		{name: "items are merged by their key", doc: `{"ports":[{"port":1,"name":"a"},{"port":2}]}`, patch: `{"ports":[{"port":2,"name":"b"},{"port":3}]}`,
			want: `{"ports":[{"port":1,"name":"a"},{"port":2,"name":"b"},{"port":3}]}`},
		{name: "items in items", doc: `{"ports":[{"port":1,"more":[{"port":5}]}]}`, patch: `{"ports":[{"port":1,"name":"x"}]}`,
			want: `{"ports":[{"port":1,"name":"x","more":[{"port":5}]}]}`},
		{name: "delete an item", doc: `{"ports":[{"port":1},{"port":2}]}`, patch: `{"ports":[{"port":1,"$patch":"delete"}]}`, want: `{"ports":[{"port":2}]}`},
		{name: "replace a list", doc: `{"ports":[{"port":1},{"port":2}]}`, patch: `{"ports":[{"port":3},{"$patch":"replace"}]}`, want: `{"ports":[{"port":3}]}`},
		{name: "replace an object", doc: `{"strategy":{"type":"a","limit":1}}`, patch: `{"strategy":{"limit":2,"$patch":"replace"}}`, want: `{"strategy":{"limit":2}}`},
		{name: "delete the fields of an object", doc: `{"strategy":{"type":"a"}}`, patch: `{"strategy":{"$patch":"delete"}}`, want: `{"strategy":{}}`},
		{name: "a strategy of replace", doc: `{"whole":{"type":"a","limit":1}}`, patch: `{"whole":{"limit":2}}`, want: `{"whole":{"limit":2}}`},
		{name: "retain keys", doc: `{"strategy":{"type":"a","limit":1}}`, patch: `{"strategy":{"$retainKeys":["type"],"type":"b"}}`, want: `{"strategy":{"type":"b"}}`},
		{name: "retain keys of an item", doc: `{"volumes":[{"name":"v","empty":{}}]}`, patch: `{"volumes":[{"name":"v","secret":{"a":"b"},"$retainKeys":["name","secret"]}]}`,
			want: `{"volumes":[{"name":"v","secret":{"a":"b"}}]}`},
		{name: "delete from a list of texts", doc: `{"names":["a","b","c"]}`, patch: `{"$deleteFromPrimitiveList/names":["b","x"],"names":["d"]}`, want: `{"names":["d","a","c"]}`},
		{name: "order of a list of texts", doc: `{"names":["a","b","c"]}`, patch: `{"$setElementOrder/names":["c","a"]}`, want: `{"names":["b","c","a"]}`},
		{name: "order of a list of objects", doc: `{"ports":[{"port":1},{"port":2}]}`, patch: `{"$setElementOrder/ports":[{"port":2},{"port":3},{"port":1}],"ports":[{"port":3}]}`,
			want: `{"ports":[{"port":2},{"port":3},{"port":1}]}`},
		{name: "what is new comes without directives and nulls", doc: `{}`, patch: `{"strategy":{"type":null,"limit":1},"deeper":{"$patch":"replace"},"ports":[{"port":1,"$patch":"delete"}]}`,
			want: `{"strategy":{"limit":1},"ports":[]}`},
		{name: "another type replaces", doc: `{"names":["a"]}`, patch: `{"names":"a"}`, want: `{"names":"a"}`},
		{name: "delete it all", doc: `{"names":["a"]}`, patch: `{"$patch":"delete"}`, want: `{}`},

		{name: "an item without its key", doc: `{"ports":[{"port":1}]}`, patch: `{"ports":[{"name":"x"}]}`, fails: `map: map[name:x] does not contain declared merge key: port`},
		{name: "an unknown directive", doc: `{"ports":[{"port":1}]}`, patch: `{"ports":[{"port":1,"$patch":"frob"}]}`, fails: `unknown patch type: frob in map: map[$patch:frob port:1]`},
		{name: "a directive that is no text", doc: `{}`, patch: `{"$patch":{}}`, fails: `unknown patch type: map[] in map: map[$patch:map[]]`},
		{name: "items of several types", doc: `{"names":["a"]}`, patch: `{"names":[1]}`, fails: `list element types are not identical: [[a] [1]]`},
		{name: "retain keys without a given one", doc: `{"strategy":{}}`, patch: `{"strategy":{"$retainKeys":["limit"],"type":"b"}}`, fails: `invalid patch format of retainKeys`},
		{name: "retain keys that are objects", doc: `{"strategy":{}}`, patch: `{"strategy":{"$retainKeys":[{}]}}`, want: `{"strategy":{}}`},
		{name: "an order that is not that of the patch", doc: `{"names":["a"]}`, patch: `{"$setElementOrder/names":["b","a"],"names":["a","b"]}`,
			fails: "The order in patch list:\n[a b]\n doesn't match $setElementOrder list:\n[b a]\n"},
		{name: "an order of an unknown list", doc: `{}`, patch: `{"$setElementOrder/frob":["b"]}`, fails: `unable to find api field in struct for the json field "frob"`},
		{name: "an order that is no list", doc: `{}`, patch: `{"$setElementOrder/names":"b"}`, fails: `expected a []interface {}, but received a string`},
		{name: "a malformed order", doc: `{}`, patch: `{"$setElementOrder":[]}`, fails: `invalid patch format of setElementOrder list`},
		{name: "a malformed deletion", doc: `{}`, patch: `{"$deleteFromPrimitiveList":[]}`, fails: `invalid patch format of primitive list`},
		{name: "lists of lists", doc: `{"names":[[]]}`, patch: `{"names":[[]]}`, fails: `the server rejected our request due to an error in our request`},
		{name: "nulls in a list", doc: `{"names":[null]}`, patch: `{"names":[null]}`, fails: `the server rejected our request due to an error in our request`},
	}
	s := strategicSchema(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			patch, err := apply.ParseStrategic([]byte(tt.patch), s)
			require.NoError(t, err)
			doc := decode(t, tt.doc)
			text := patch.String()
			got, err := patch.Apply(doc)
			require.Equal(t, decode(t, tt.doc), doc, "the document given is not changed")
			require.Equal(t, text, patch.String(), "the patch is not changed")
			if tt.fails != "" {
				require.EqualError(t, err, tt.fails)
				return
			}
			require.NoError(t, err)
			require.Equal(t, decode(t, tt.want), got)
		})
	}
}

func TestStrategicMergePatchThatIsNone(t *testing.T) {
	for patch, message := range map[string]string{
		`{`:   "invalid JSON patch",
		`[1]`: "json: cannot unmarshal array into Go value of type map[string]interface {}",
	} {
		_, err := apply.ParseStrategic([]byte(patch), nil)
		require.EqualError(t, err, message)
		require.ErrorIs(t, err, object.ErrBadRequest)
	}
	p, err := apply.ParseStrategic([]byte(`{"names":[],"names":[]}`), strategicSchema(t))
	require.NoError(t, err)
	require.Equal(t, []string{`duplicate field "names"`}, p.Strict())
}
