package admission

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestFingerprintTellsObjectsApart(t *testing.T) {
	seen := map[uint64]string{}
	for _, text := range []string{
		`{}`, `{"a":null}`, `{"a":""}`, `{"a":0}`, `{"a":0.5}`, `{"a":false}`, `{"a":true}`, `{"a":{}}`, `{"a":[]}`, `{"b":null}`,
		`{"a":[1,2]}`, `{"a":[2,1]}`, `{"a":[[1],2]}`, `{"a":[1,[2]]}`, `{"a":"b"}`, `{"b":"a"}`, `{"a":"x","b":"y"}`, `{"a":"y","b":"x"}`,
		`{"a":{"b":"c"}}`, `{"b":{"a":"c"}}`, `{"a":["b"]}`, `{"a":[null]}`, `{"a":[null,null]}`,
	} {
		o, err := object.Decode([]byte(text))
		require.NoError(t, err)
		print := fingerprint(o)
		require.Equal(t, print, fingerprint(o.DeepCopy()), text)
		require.NotContains(t, seen, print, "%s is taken for %s", text, seen[print])
		seen[print] = text
	}
	require.NotEqual(t, fingerprint(nil), fingerprint(object.Object{}))
}

func FuzzFingerprintFollowsEquality(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`), []byte(`{"a":[1,{"b":null}], "c":2}`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		x, err := object.Decode(a)
		y, err2 := object.Decode(b)
		if err == nil && err2 == nil {
			require.Equal(t, x.Equal(y), fingerprint(x) == fingerprint(y))
		}
	})
}

func BenchmarkFingerprint(b *testing.B) {
	labels := map[string]any{}
	for i := range 100 {
		labels[fmt.Sprintf("label%d", i)] = "value"
	}
	o := object.Object{"metadata": map[string]any{"labels": labels}}
	b.ReportAllocs()
	for b.Loop() {
		fingerprint(o)
	}
}
