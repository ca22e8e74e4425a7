package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// FuzzPresets completes and prepares whatever the codec of a kind reads: nothing panics,
// and what is complete stays as it is.
func FuzzPresets(f *testing.F) {
	seeds := [][]byte{[]byte(fullPod)}
	seeds = append(seeds, []byte(`{"spec":{"hostNetwork":true,"containers":[{"image":"i","ports":[{}],"resources":{"limits":{"cpu":"1u"}}}],"volumes":[{}],"resources":{"limits":{"cpu":"1"}}}}`))
	seeds = append(seeds, []byte(`{"spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP","clusterIP":"None","ports":[{"port":1}]},"status":{"loadBalancer":{"ingress":[{"ip":"1"}]}}}`))
	seeds = append(seeds, []byte(`{"metadata":{"name":"n","uid":"u"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":null}},"behavior":{},"metrics":[]}}`))
	seeds = append(seeds, []byte(`{"spec":{"dataSource":{"kind":"K"},"policyTypes":null,"egress":[{"ports":[{}]}],"volumeClaimTemplates":[{}]},"status":null}`))
	var kinds []server.Resource
	for _, r := range Resources() {
		if r.Versions[0].Default != nil {
			kinds = append(kinds, r)
		}
	}
	for i := range kinds {
		for _, seed := range seeds {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, document []byte) {
		r := kinds[int(kind)%len(kinds)]
		o, _, err := r.Versions[0].Codec.DecodeJSON(document)
		if err != nil {
			return
		}
		complete := r.Versions[0].Default
		complete(o)
		again := o.DeepCopy()
		complete(again)
		require.Equal(t, o, again, r.Kind)
		if r.Prepare != nil {
			r.Prepare(o.DeepCopy(), nil)
			r.Prepare(again, o)
		}
	})
}
