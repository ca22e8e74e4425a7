package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/server"
)

// FuzzPresets completes and prepares whatever a codec reads: nothing panics, and what is
// complete stays as it is.
func FuzzPresets(f *testing.F) {
	f.Add([]byte(fullPod))
	f.Add([]byte(`{"spec":{"hostNetwork":true,"containers":[{"image":"i","ports":[{}],"resources":{"limits":{"cpu":"1u"}}}],"volumes":[{}],"resources":{"limits":{"cpu":"1"}}}}`))
	f.Add([]byte(`{"spec":{"type":"LoadBalancer","sessionAffinity":"ClientIP","clusterIP":"None","ports":[{"port":1}]},"status":{"loadBalancer":{"ingress":[{"ip":"1"}]}}}`))
	f.Add([]byte(`{"metadata":{"name":"n","uid":"u"},"spec":{"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":null}},"behavior":{},"metrics":[]}}`))
	f.Add([]byte(`{"spec":{"dataSource":{"kind":"K"},"policyTypes":null,"egress":[{"ports":[{}]}],"volumeClaimTemplates":[{}]},"status":null}`))
	var kinds []server.Resource
	for _, r := range Resources() {
		if r.Versions[0].Default != nil {
			kinds = append(kinds, r)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		for _, r := range kinds {
			v := r.Versions[0]
			o, _, err := v.Codec.DecodeJSON(document)
			if err != nil {
				continue
			}
			v.Default(o)
			again := o.DeepCopy()
			v.Default(again)
			require.Equal(t, o, again, r.Kind)
			if r.Prepare != nil {
				r.Prepare(o.DeepCopy(), nil)
				r.Prepare(again, o)
			}
		}
	})
}
