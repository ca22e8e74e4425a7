package limits_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

func document(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

// reader gives the same ranges for each namespace.
type reader []object.Object

func (r reader) LimitRanges(context.Context, string) ([]object.Object, error) { return r, nil }

const limitRange = `
metadata: {name: range}
spec:
  limits:
  - {type: Container, default: {cpu: 500m, memory: 256Mi}, defaultRequest: {cpu: 100m, memory: 256Mi}, min: {cpu: 50m, memory: 16Mi}, max: {cpu: "2", memory: 1Gi}, maxLimitRequestRatio: {cpu: "8"}}
  - {type: Pod, max: {cpu: "3"}, min: {memory: 32Mi}}
  - {type: PersistentVolumeClaim, min: {storage: 1Gi}, max: {storage: 5Gi}}`

func create(resource string, o object.Object) *admission.Request {
	return &admission.Request{
		Operation: admission.Create, Resource: object.GroupVersionResource{Version: "v1", Resource: resource},
		Namespace: "team", Name: o.Name(), Object: o,
	}
}

func run(t *testing.T, req *admission.Request, ranges ...string) error {
	t.Helper()
	var r reader
	for _, text := range ranges {
		r = append(r, document(t, text))
	}
	stage := limits.Ranges{Reader: r}
	chain := admission.Chain{Mutators: []admission.Mutator{stage}, Validators: []admission.Validator{stage}}
	return chain.Run(t.Context(), req)
}

func TestContainersGetWhatTheyLack(t *testing.T) {
	for _, c := range []struct{ name, spec, want, note string }{
		{
			"all", "containers: [{name: c}]",
			"containers: [{name: c, resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 100m, memory: 256Mi}}}]",
			"cpu, memory request for container c; cpu, memory limit for container c",
		},
		{
			"but for an own request", "containers: [{name: c, resources: {requests: {cpu: 200m}}}]",
			"containers: [{name: c, resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 200m, memory: 256Mi}}}]",
			"memory request for container c; cpu, memory limit for container c",
		},
		{
			"but for an own limit", "containers: [{name: c, resources: {limits: {cpu: '1'}, requests: {cpu: 125m}}}]",
			"containers: [{name: c, resources: {limits: {cpu: '1', memory: 256Mi}, requests: {cpu: 125m, memory: 256Mi}}}]",
			"memory request for container c; memory limit for container c",
		},
		{
			"each, those that run first last",
			"{initContainers: [{name: i}], containers: [{name: c, resources: {requests: {memory: 128Mi}, limits: {memory: 128Mi}}}, {name: d, resources: {requests: {memory: 64Mi}}}]}",
			`{initContainers: [{name: i, resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 100m, memory: 256Mi}}}],
			containers: [{name: c, resources: {limits: {cpu: 500m, memory: 128Mi}, requests: {cpu: 100m, memory: 128Mi}}},
			{name: d, resources: {limits: {cpu: 500m, memory: 256Mi}, requests: {cpu: 100m, memory: 64Mi}}}]}`,
			"cpu request for container c; cpu limit for container c; cpu request for container d; cpu, memory limit for container d; " +
				"cpu, memory request for init container i; cpu, memory limit for init container i",
		},
		{
			"nothing", "containers: [{name: c, resources: {limits: {cpu: '1', memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]",
			"containers: [{name: c, resources: {limits: {cpu: '1', memory: 1Gi}, requests: {cpu: 1, memory: 1Gi}}}]", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			pod := document(t, "metadata: {name: p}")
			pod["spec"] = map[string]any(document(t, c.spec))
			require.NoError(t, run(t, create("pods", pod), limitRange))
			require.Equal(t, document(t, c.want), object.Object(pod["spec"].(map[string]any)))
			if c.note != "" {
				c.note = "LimitRanger plugin set: " + c.note
			}
			require.Equal(t, c.note, pod.Annotations()["kubernetes.io/limit-ranger"])
		})
	}
}

func TestWhatIsBeyondALimitIsRefused(t *testing.T) {
	for _, c := range []struct{ name, resource, spec, want string }{
		{
			"below the minimum", "pods", "containers: [{name: c, resources: {requests: {cpu: 10m, memory: 1Mi}}}]",
			`pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, minimum memory usage per Container is 16Mi, but request is 1Mi, ` +
				`cpu max limit to request ratio per Container is 8, but provided ratio is 50.000000, minimum memory usage per Pod is 32Mi, but request is 1Mi]`,
		},
		{
			"above the maximum", "pods", "containers: [{name: c, resources: {limits: {cpu: 4, memory: 2Gi}, requests: {cpu: 1}}}]",
			`pods "p" is forbidden: [maximum cpu usage per Container is 2, but limit is 4, maximum memory usage per Container is 1Gi, but limit is 2Gi, ` +
				`maximum cpu usage per Pod is 3, but limit is 4]`,
		},
		{
			"a sum", "pods", "containers: [{name: c, resources: {limits: {cpu: 2}, requests: {cpu: 1}}}, {name: d, resources: {limits: {cpu: 2}, requests: {cpu: 1}}}]",
			`pods "p" is forbidden: maximum cpu usage per Pod is 3, but limit is 4`,
		},
		{
			"the ratio", "pods", "containers: [{name: c, resources: {limits: {cpu: 2}, requests: {cpu: 100m}}}]",
			`pods "p" is forbidden: cpu max limit to request ratio per Container is 8, but provided ratio is 20.000000`,
		},
		{
			"not requested", "pods", "{initContainers: [{name: i, resources: {requests: {cpu: '0'}}}], containers: [{name: c}]}",
			`pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 0, cpu max limit to request ratio per Container is 8, but no request is specified or request is 0]`,
		},
		{
			"a claim too small", "persistentvolumeclaims", "resources: {requests: {storage: 512Mi}}",
			`persistentvolumeclaims "p" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi`,
		},
		{
			"a claim too large", "persistentvolumeclaims", "resources: {requests: {storage: 6Gi}}",
			`persistentvolumeclaims "p" is forbidden: maximum storage usage per PersistentVolumeClaim is 5Gi, but request is 6Gi`,
		},
		{
			"a claim without", "persistentvolumeclaims", "{}",
			`persistentvolumeclaims "p" is forbidden: [minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, maximum storage usage per PersistentVolumeClaim is 5Gi.  No request is specified]`,
		},
		{"a claim in between", "persistentvolumeclaims", "resources: {requests: {storage: 2Gi}}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := document(t, "metadata: {name: p}")
			o["spec"] = map[string]any(document(t, c.spec))
			err := run(t, create(c.resource, o), limitRange)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
			require.ErrorIs(t, err, object.ErrForbidden)
		})
	}
}

func TestOtherRequestsAreLeftAlone(t *testing.T) {
	gone := document(t, "metadata: {name: p}")
	gone.SetDeletionTimestamp(time.Now())
	for name, change := range map[string]func(*admission.Request){
		"a deletion":              func(req *admission.Request) { req.Operation = admission.Delete },
		"an update":               func(req *admission.Request) { req.Operation = admission.Update },
		"a status":                func(req *admission.Request) { req.Operation, req.Subresource = admission.Update, "status" },
		"another resource":        func(req *admission.Request) { req.Resource.Resource = "secrets" },
		"a resource of that name": func(req *admission.Request) { req.Resource.Group = "metrics.k8s.io" },
		"a resize of a leaving pod": func(req *admission.Request) {
			req.Operation, req.Subresource, req.OldObject = admission.Update, "resize", gone
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := create("pods", document(t, "{metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: 99}}}]}}"))
			change(req)
			before := req.Object.DeepCopy()
			require.NoError(t, run(t, req, limitRange))
			require.Equal(t, before, req.Object)
		})
	}
}

func TestAResizeIsChecked(t *testing.T) {
	req := create("pods", document(t, "{metadata: {name: p}, spec: {containers: [{name: c, resources: {limits: {cpu: 3}, requests: {cpu: 3}}}]}}"))
	req.Operation, req.Subresource, req.OldObject = admission.Update, "resize", req.Object.DeepCopy()
	err := run(t, req, "{metadata: {name: r}, spec: {limits: [{type: Container, max: {cpu: 2}}]}}")
	require.EqualError(t, err, `pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3`)
}

func TestSeveralRangesFollowEachOther(t *testing.T) {
	pod := document(t, "{metadata: {name: p}, spec: {containers: [{name: c}]}}")
	err := run(t, create("pods", pod),
		"{metadata: {name: b}, spec: {limits: [{type: Container, default: {cpu: 2, memory: 1Gi}}]}}",
		"{metadata: {name: a}, spec: {limits: [{type: Container, default: {cpu: 1}}]}}")
	require.NoError(t, err)
	limits, _ := pod.Field("spec", "containers")
	require.Equal(t, []any{map[string]any{"name": "c", "resources": map[string]any{"limits": map[string]any{"cpu": "1", "memory": "1Gi"}}}}, limits)
}

func TestWhatCannotBeReadRefuses(t *testing.T) {
	pod := document(t, "{metadata: {name: p}, spec: {containers: [{name: c}]}}")
	require.EqualError(t, run(t, create("pods", pod), "{metadata: {name: r}, spec: {limits: [{type: Container, default: {cpu: odd}}]}}"),
		`pods "p" is forbidden: reading limit range r: reading default[cpu]: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`)
	stage := limits.Ranges{Reader: broken{}}
	require.EqualError(t, stage.Validate(t.Context(), create("pods", pod)),
		"unable to CREATE pods at this time because there was an error enforcing limit ranges: no disk")
}

type broken struct{}

func (broken) LimitRanges(context.Context, string) ([]object.Object, error) {
	return nil, errors.New("no disk")
}
