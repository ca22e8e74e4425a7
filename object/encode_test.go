package object_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestAppendJSONWritesFloatsAsEncodingJSON(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	floats := []float64{0, math.Copysign(0, -1), 1, 1.5, 1e20, 1e21, -1e21, 1e-6, 9.99e-7, 1e-7, 1e-10, 5e-324, math.MaxFloat64, 123456789.125}
	for range 5000 {
		if f := math.Float64frombits(rnd.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			floats = append(floats, f)
		}
	}
	for _, f := range floats {
		want, err := json.Marshal(f)
		require.NoError(t, err)
		require.Equal(t, string(want), string(object.AppendJSON(nil, f)))
	}
	require.Panics(t, func() { object.AppendJSON(nil, math.NaN()) })
	require.Panics(t, func() { object.AppendJSON(nil, make(chan int)) })
}

func TestAppendJSONWritesWhatEncodingJSONReads(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		v := randomValue(rnd, 4)
		data := object.AppendJSON(nil, v)
		var got any
		require.NoError(t, json.Unmarshal(data, &got), "%s", data)
		want, err := json.Marshal(v)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(data))
	}
}

func TestAppendJSONTexts(t *testing.T) {
	require.Equal(t, `["<&>é","\"\\\n\r\t\u0000\u001f`+"\u007f\u2028"+`","`+"a\ufffdb"+`"]`,
		string(object.AppendJSON(nil, []any{"<&>é", "\"\\\n\r\t\x00\x1f\u007f\u2028", "a\xffb"})))
}

func TestEncodedGivesTheDocumentBack(t *testing.T) {
	o := decode(t, string(podJSON))
	e, err := object.Encode(o, map[string]string{"status.phase": "Running", "spec.nodeName": ""})
	require.NoError(t, err)
	e.Version = 98765
	back, err := e.Object(object.TypeMeta{Kind: "Pod", APIVersion: "v1"})
	require.NoError(t, err)
	require.Equal(t, o, back)

	data := e.AppendJSON(nil, object.TypeMeta{Kind: "Pod", APIVersion: "v1"})
	require.JSONEq(t, string(podJSON), string(data))
	require.Contains(t, string(data), `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"98765",`)
	require.NotContains(t, string(e.AppendJSON(nil, object.TypeMeta{})), `"kind":"Pod"`)

	value, ok := e.Label("app")
	require.True(t, ok)
	require.Equal(t, "web", string(value))
	_, ok = e.Label("status.phase")
	require.False(t, ok)
	value, ok = e.Field("status.phase")
	require.True(t, ok)
	require.Equal(t, "Running", string(value))
	_, ok = e.Field("app")
	require.False(t, ok)
	require.False(t, e.Deleting())

	c := e.Clone()
	clear(e.Body)
	_, err = c.Object(object.TypeMeta{})
	require.NoError(t, err)
}

func TestEncodeWantsAName(t *testing.T) {
	_, err := object.Encode(object.Object{"kind": "A"}, nil)
	require.EqualError(t, err, "encoding A: it has no name")
}

func TestEncodedOfAnObjectBeingDeleted(t *testing.T) {
	e, err := object.Encode(decode(t, `{"metadata":{"name":"a","deletionTimestamp":"2026-01-02T03:04:05Z"}}`), nil)
	require.NoError(t, err)
	require.True(t, e.Deleting())
}

func TestDamagedHeadsMatchNothing(t *testing.T) {
	whole := encodedWith(t, map[string]string{"a": "1", "b": "2"}, map[string]string{"f": "x"}).Head
	for n := range whole {
		e := object.Encoded{Head: whole[:n]}
		e.Label("b")
		e.Field("f")
		e.Deleting()
	}
	e := object.Encoded{Head: []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}}
	_, ok := e.Label("a")
	require.False(t, ok)
}

func BenchmarkEncode(b *testing.B) {
	o := decode(b, string(podJSON))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := object.Encode(o, nil); err != nil {
			b.Fatal(err)
		}
	}
}
