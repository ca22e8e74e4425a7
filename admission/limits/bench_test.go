package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func BenchmarkValidate(b *testing.B) {
	stage := limits.Ranges{Reader: reader{document(b, limitRange)}}
	req := create("pods", document(b, "{metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]}}"))
	for b.Loop() {
		if err := stage.Validate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzRanges runs any pod through any range: nothing panics.
func FuzzRanges(f *testing.F) {
	f.Add(`{"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},"min":{"cpu":"1"},"maxLimitRequestRatio":{"cpu":2}}]}}`,
		`{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}},7]}}`)
	f.Add(`{"spec":{"limits":[7,{"type":"Pod","max":[]}]}}`, `{"spec":{"initContainers":[{"resources":null}]}}`)
	f.Fuzz(func(t *testing.T, rangeText, podText string) {
		limitRange, err := object.Decode([]byte(rangeText))
		if err != nil {
			return
		}
		pod, err := object.Decode([]byte(podText))
		if err != nil {
			return
		}
		stage := limits.Ranges{Reader: reader{limitRange}}
		if err := stage.Mutate(t.Context(), create("pods", pod)); err == nil {
			again := pod.DeepCopy()
			require.NoError(t, stage.Mutate(t.Context(), create("pods", again)))
			require.Equal(t, pod, again, "what is complete stays as it is")
		}
		_ = stage.Validate(t.Context(), create("pods", pod))
	})
}
