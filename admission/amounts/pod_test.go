package amounts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

func document(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

func TestAPodNeedsWhatItsContainersNeed(t *testing.T) {
	for _, c := range []struct{ name, pod, spec, requests, limits string }{
		{"nothing", "spec: {containers: [{name: c}]}", "", "", ""},
		{
			"the sum", "spec: {containers: [{resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 2}}}, {resources: {requests: {cpu: 500m}}}]}",
			"cpu=1500m,memory=1Gi", "cpu=1500m,memory=1Gi", "cpu=2",
		},
		{
			"the largest that runs first",
			"spec: {initContainers: [{resources: {requests: {cpu: 3}}}, {resources: {requests: {cpu: 1, memory: 2Gi}}}], containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}",
			"cpu=3,memory=2Gi", "cpu=3,memory=2Gi", "",
		},
		{
			"those that keep running as well",
			`spec: {initContainers: [{resources: {requests: {cpu: 1}}}, {restartPolicy: Always, resources: {requests: {cpu: 2}}}, {resources: {requests: {cpu: 4}}}],
			containers: [{resources: {requests: {cpu: 1}}}]}`,
			"cpu=6", "cpu=6", "",
		},
		{
			"what is said for the whole pod",
			"spec: {resources: {requests: {cpu: 4, hugepages-2Mi: 2Mi}, limits: {cpu: 5}}, containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]}",
			"cpu=4,hugepages-2Mi=2Mi,memory=1Gi", "cpu=4,hugepages-2Mi=2Mi,memory=1Gi", "cpu=5",
		},
		{
			"overhead, where there is a limit",
			"spec: {overhead: {cpu: 100m, memory: 1Mi}, containers: [{resources: {requests: {cpu: 1}, limits: {cpu: 2}}}]}",
			"cpu=1", "cpu=1100m,memory=1Mi", "cpu=2100m",
		},
		{
			"what it has, while it shrinks",
			`{spec: {containers: [{name: c, resources: {requests: {cpu: 1}, limits: {cpu: 1}}}]},
			status: {containerStatuses: [{name: c, allocatedResources: {cpu: 2}, resources: {requests: {cpu: 3}, limits: {cpu: 4}}}]}}`,
			"cpu=1", "cpu=3", "cpu=4",
		},
		{
			"what it wants, while it grows",
			"{spec: {containers: [{name: c, resources: {requests: {cpu: 5}}}]}, status: {containerStatuses: [{name: c, allocatedResources: {cpu: 2}}]}}",
			"cpu=5", "cpu=5", "",
		},
		{
			"what it has, if it cannot grow",
			`{spec: {containers: [{name: c, resources: {requests: {cpu: 5}}}]}, status: {containerStatuses: [{name: c, allocatedResources: {cpu: 2}}],
			conditions: [{type: PodResizePending, reason: Infeasible}]}}`,
			"cpu=5", "cpu=2", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := document(t, c.pod)
			spec, err := amounts.Spec(pod, amounts.Requests)
			require.NoError(t, err)
			require.Equal(t, c.spec, spec.String())
			for part, want := range map[amounts.Part]string{amounts.Requests: c.requests, amounts.Limits: c.limits} {
				got, err := amounts.Effective(pod, part)
				require.NoError(t, err)
				require.Equal(t, want, got.String(), part)
			}
		})
	}
}

func TestAmountsThatAreNoneAreNamed(t *testing.T) {
	_, err := amounts.Spec(document(t, "spec: {containers: [{}, {resources: {requests: {cpu: [1]}}}]}"), amounts.Requests)
	require.ErrorIs(t, err, quantity.ErrForm)
	require.ErrorContains(t, err, "containers[1]: reading resources.requests[cpu]: ")
	require.ErrorContains(t, err, ", not array")
}

func TestArithmetic(t *testing.T) {
	a, err := amounts.Read(document(t, "a: {cpu: 1.5, memory: 1Gi, pods: 2, none: null}"), "a")
	require.NoError(t, err)
	require.Equal(t, "cpu=1500m,memory=1Gi,none=0,pods=2", a.String())
	b := amounts.Amounts{"cpu": quantity.Of(1), "disk": quantity.Of(5)}
	require.Equal(t, "cpu=2500m,disk=5,memory=1Gi,none=0,pods=2", a.Plus(b).String())
	require.Equal(t, "cpu=500m,memory=1Gi,pods=2", a.Beyond(b).String())
	require.Equal(t, "disk=5", b.Beyond(a).String())
	require.True(t, a.Equal(a.Plus(nil)))
	require.False(t, a.Equal(b))
	require.Equal(t, map[string]any{"cpu": "1", "disk": "5"}, b.Document())
}

func FuzzPod(f *testing.F) {
	f.Add(`{"spec":{"containers":[{"resources":{"requests":{"cpu":1}}}],"overhead":{"cpu":"1m"}}}`)
	f.Add(`{"spec":{"containers":[7,{"resources":[]}],"resources":{"limits":{"cpu":null}}},"status":{"containerStatuses":[{}]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		pod, err := object.Decode([]byte(text))
		if err != nil {
			return
		}
		for _, part := range []amounts.Part{amounts.Requests, amounts.Limits} {
			_, _ = amounts.Spec(pod, part)
			_, _ = amounts.Effective(pod, part)
		}
	})
}
