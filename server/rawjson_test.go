package server

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// readRaw makes a value of JSON with the functions that make none.
func readRaw(t *testing.T, raw []byte) any {
	t.Helper()
	switch raw[0] {
	case '{':
		o := map[string]any{}
		for name, value := range rawMembers(raw) {
			o[string(name)] = readRaw(t, value)
			require.Equal(t, value, rawMember(raw, string(name)))
		}
		return o
	case '[':
		list := []any{}
		for element := range rawElements(raw) {
			list = append(list, readRaw(t, element))
		}
		return list
	case '"':
		return string(rawText(raw))
	}
	if n, ok := rawInt(raw); ok {
		return n
	}
	var v any
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

func FuzzRawJSON(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":{},"b":[],"c":""}`, `{"a":[1,-2,"x",null,true,{"b":1.5}],"b\"":"]},:","é":"\u0001\n\\"}`,
		`{"metadata":{"annotations":{"a":"{\"b\":[\"c\"]}"},"finalizers":["x","y"],"generation":3}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := object.Decode(data)
		if err != nil {
			return
		}
		raw := object.AppendJSON(nil, o)
		o, err = object.Decode(raw) // 0.0 is written as 0
		require.NoError(t, err)
		require.Equal(t, len(raw), rawEnd(append(raw, ",{"...), 0))
		require.Equal(t, map[string]any(o), readRaw(t, raw))
		for name := range o {
			less := o.DeepCopy()
			delete(less, name)
			require.Equal(t, string(object.AppendJSON(nil, less)), string(appendRawWithout(nil, raw, name)))
		}
	})
}

func TestRawJSONOfAnotherSort(t *testing.T) {
	for range rawMembers([]byte(`["a"]`)) {
		t.Error("an array has no members")
	}
	for range rawElements([]byte(`{"a":1}`)) {
		t.Error("an object has no elements")
	}
	require.Empty(t, rawText([]byte(`null`)))
	require.Empty(t, rawText(nil))
	require.Nil(t, rawMember([]byte(`{"a":1}`), "b"))
	_, ok := rawInt([]byte(`1.5`))
	require.False(t, ok)
}
