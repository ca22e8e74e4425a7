package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// FuzzApply holds that what was applied once changes nothing when it is applied again.
func FuzzApply(f *testing.F) {
	for _, spec := range []string{
		`{"size":1,"tags":["a","b"]}`, `{"parts":[{"id":"x","size":1},{"id":"y"}]}`, `{"slots":[{"row":1},{"side":"x","row":2}]}`,
		`{"free":{"a":[1,{"b":null}],"c":{}}}`, `{"point":{"x":1}}`, `{"amount":"5%","steps":[]}`, `null`,
	} {
		f.Add([]byte(spec), []byte(`{"tags":["b","c"],"parts":[{"id":"x"}]}`))
	}
	m := boxes(f, "v1")
	box := func(spec any) object.Object {
		return object.Object{"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"name": "a"}, "spec": spec}
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		was, errA := object.DecodeValue(a)
		spec, errB := object.DecodeValue(b)
		if errA != nil || errB != nil {
			return
		}
		live := box(was)
		if m.Track(nil, live, apply.Writer{Manager: "one"}) != nil {
			return
		}
		live.SetUID("u")
		before := live.DeepCopy()
		next, _, err := m.Apply(live, box(spec), apply.Writer{Manager: "two"}, true)
		require.Equal(t, before, live)
		if err != nil {
			return
		}
		again, changed, err := m.Apply(next, box(spec), apply.Writer{Manager: "two"}, false)
		require.NoError(t, err)
		require.False(t, changed, "%s\n%s", object.AppendJSON(nil, next), object.AppendJSON(nil, again))
	})
}

// FuzzTrack holds that an account that was kept once stays as it is.
func FuzzTrack(f *testing.F) {
	f.Add([]byte(`[{"manager":"w","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{},"f:tags":{"v:\"a\"":{}},"f:parts":{"k:{\"id\":1}":{"i:3":{}}}}}}]`))
	f.Add([]byte(`[{}]`))
	f.Add([]byte(`[null,1]`))
	m := boxes(f, "v1")
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := object.DecodeValue(data)
		if err != nil {
			return
		}
		o := object.Object{"apiVersion": "example.com/v1", "kind": "Box", "metadata": map[string]any{"uid": "u", "managedFields": list}, "spec": map[string]any{"size": int64(1)}}
		require.NoError(t, m.Track(object.Object{"apiVersion": "example.com/v1", "kind": "Box"}, o, apply.Writer{Manager: "one"}))
		live := o.DeepCopy()
		require.NoError(t, m.Track(live, o, apply.Writer{Manager: "two"}))
		require.Equal(t, live, o)
	})
}

// FuzzStrategic holds that no patch panics or changes the document given.
func FuzzStrategic(f *testing.F) {
	for _, patch := range []string{
		`{"$setElementOrder/ports":[{"port":1}],"ports":[{"port":1,"$patch":"delete"}]}`, `{"$retainKeys":["names"],"names":["a",null]}`,
		`{"$deleteFromPrimitiveList/names":["a"],"volumes":[{"$patch":"replace"}]}`, `{"ports":[{"port":{}},{"port":[]}]}`,
	} {
		f.Add([]byte(`{"names":["a"],"ports":[{"port":1},{"port":{}}],"volumes":[{"name":"v"}]}`), []byte(patch))
	}
	s := strategicSchema(f)
	f.Fuzz(func(t *testing.T, doc, patch []byte) {
		o, err := object.Decode(doc)
		if err != nil {
			return
		}
		p, err := apply.ParseStrategic(patch, s)
		if err != nil {
			return
		}
		before := o.DeepCopy()
		_, _ = p.Apply(o)
		require.Equal(t, before, o)
	})
}
