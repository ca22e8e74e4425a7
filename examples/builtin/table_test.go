package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// find gives the resource of a kind; the last one, if several groups have it.
func find(t *testing.T, kind string) (found server.Resource) {
	t.Helper()
	for _, r := range Resources() {
		if r.Kind == kind {
			found = r
		}
	}
	require.NotEmpty(t, found.Kind, kind)
	return found
}

// subresource gives the rules of a second endpoint.
func subresource(t *testing.T, r server.Resource, name string) server.Subresource {
	t.Helper()
	for _, sub := range r.Subresources {
		if sub.Name == name {
			return sub
		}
	}
	require.Fail(t, "no such subresource", name)
	return server.Subresource{}
}

func TestStatusHasAnEndpointOfItsOwn(t *testing.T) {
	tests := map[string]struct {
		kind      string
		status    bool // whether the write is one of the status
		next, old string
		want      string
	}{
		"a new object begins with the status of its type": {
			kind: "ReplicaSet", next: `{"spec":{"selector":null,"template":{}},"status":{"replicas":7}}`,
			want: `{"metadata":{},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":0}}`,
		},
		"a new pod is pending": {
			kind: "Pod", next: `{"spec":{"containers":[]},"status":{"phase":"Running"}}`,
			want: `{"metadata":{},"spec":{"containers":null},"status":{"phase":"Pending","qosClass":"BestEffort"}}`,
		},
		"a new node brings its status": {
			kind: "Node", next: `{"status":{"phase":"Running"}}`,
			want: `{"metadata":{},"spec":{},"status":{"phase":"Running","daemonEndpoints":{"kubeletEndpoint":{"Port":0}},"nodeInfo":{
				"machineID":"","systemUUID":"","bootID":"","kernelVersion":"","osImage":"","containerRuntimeVersion":"",
				"kubeletVersion":"","kubeProxyVersion":"","operatingSystem":"","architecture":""}}}`,
		},
		"a write of the object keeps the status": {
			kind: "Ingress", next: `{"spec":{"ingressClassName":"c"},"status":{"loadBalancer":{}}}`,
			old:  `{"spec":{},"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`,
			want: `{"metadata":{},"spec":{"ingressClassName":"c"},"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`,
		},
		"a write of the status keeps the rest": {
			kind: "ResourceQuota", status: true, next: `{"metadata":{"labels":{"a":"2"}},"spec":{"hard":{"pods":"9"}},"status":{"used":{"pods":"1"}}}`,
			old:  `{"metadata":{"labels":{"a":"1"}},"spec":{"hard":{"pods":"2"}},"status":{}}`,
			want: `{"metadata":{"labels":{"a":"2"}},"spec":{"hard":{"pods":"2"}},"status":{"used":{"pods":"1"}}}`,
		},
		"a write of the status of a Deployment keeps its labels": {
			kind: "Deployment", status: true, next: `{"metadata":{"labels":{"a":"2"},"annotations":{"b":"2"}},"spec":{"selector":null,"template":{}},"status":{"replicas":1}}`,
			old: `{"metadata":{"generation":3},"spec":{"replicas":2,"selector":null,"template":{}},"status":{}}`,
			want: `{"metadata":{"annotations":{"b":"2"}},"spec":{"replicas":2,"selector":null,"strategy":{},
				"template":{"metadata":{},"spec":{"containers":null}}},"status":{"replicas":1}}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := find(t, tc.kind)
			rules := r.Rules
			if tc.status {
				rules = subresource(t, r, "status").Rules
			}
			next, old := decode(t, r, tc.next), object.Object(nil)
			if tc.old != "" {
				old = decode(t, r, tc.old)
			}
			rules.Prepare(next, old)
			require.JSONEq(t, tc.want, asJSON(t, next))
		})
	}
}

func TestGenerationOfKindsThatCountMetadata(t *testing.T) {
	tests := map[string]struct {
		kind, next, old string
		want            int64
	}{
		"a new Deployment":                {"Deployment", `{"metadata":{"name":"d"}}`, ``, 1},
		"annotations of a Deployment":     {"Deployment", `{"metadata":{"annotations":{"a":"2"},"generation":4}}`, `{"metadata":{"generation":4}}`, 5},
		"labels of a Deployment":          {"Deployment", `{"metadata":{"labels":{"a":"2"},"generation":4}}`, `{"metadata":{"generation":4}}`, 4},
		"the spec of a Deployment":        {"Deployment", `{"metadata":{"generation":4},"spec":{"replicas":2}}`, `{"metadata":{"generation":4}}`, 5},
		"labels of an EndpointSlice":      {"EndpointSlice", `{"metadata":{"labels":{"a":"2"},"generation":4}}`, `{"metadata":{"generation":4}}`, 5},
		"annotations of an EndpointSlice": {"EndpointSlice", `{"metadata":{"annotations":{"a":"2"},"generation":4}}`, `{"metadata":{"generation":4}}`, 4},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r := find(t, tc.kind)
			next, old := decode(t, r, tc.next), object.Object(nil)
			if tc.old != "" {
				old = decode(t, r, tc.old)
			}
			r.Prepare(next, old)
			require.Equal(t, tc.want, next.Generation())
		})
	}
}

func TestScale(t *testing.T) {
	r := find(t, "Deployment")
	view := subresource(t, r, "scale").View
	o := decode(t, r, `{"kind":"Deployment","metadata":{"name":"d","uid":"u","labels":{"l":"m"}},"spec":{"replicas":3,"template":{},
		"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"Exists"}]}},"status":{"replicas":2}}`)
	scale, err := view.Show(o)
	require.NoError(t, err)
	require.JSONEq(t, `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","uid":"u"},
		"spec":{"replicas":3},"status":{"replicas":2,"selector":"a=b,c"}}`, asJSON(t, scale))

	scale["spec"] = map[string]any{"replicas": int64(5)}
	next, err := view.Apply(o, scale)
	require.NoError(t, err)
	require.Equal(t, int64(5), number(next, "spec", "replicas"))
	require.Equal(t, int64(3), number(o, "spec", "replicas"), "the object is left alone")

	scale["spec"] = map[string]any{"replicas": int64(-1)}
	_, err = view.Apply(o, scale)
	require.EqualError(t, err, `Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0`)

	rc := object.Object{"kind": "ReplicationController", "spec": map[string]any{"selector": map[string]any{"b": "2", "a": "1"}}}
	scale, err = view.Show(rc)
	require.NoError(t, err)
	require.Equal(t, "a=1,b=2", text(scale, "status", "selector"))
	_, err = view.Show(object.Object{"spec": map[string]any{"selector": map[string]any{
		"matchExpressions": []any{map[string]any{"key": "a", "operator": "Odd"}},
	}}})
	require.EqualError(t, err, `"Odd" is not a valid label selector operator`)
}

func TestSelectableFields(t *testing.T) {
	pod, node, job := find(t, "Pod").Fields, find(t, "Node").Fields, find(t, "Job").Fields
	o := object.Object{
		"spec":   map[string]any{"nodeName": "n", "hostNetwork": true, "unschedulable": true},
		"status": map[string]any{"podIP": "192.0.2.1", "succeeded": int64(2)},
	}
	require.Equal(t, "n true 192.0.2.1 ", pod["spec.nodeName"](o)+" "+pod["spec.hostNetwork"](o)+" "+pod["status.podIP"](o)+" "+pod["status.phase"](o))
	require.Equal(t, "true false", node["spec.unschedulable"](o)+" "+node["spec.unschedulable"](object.Object{}))
	require.Equal(t, "2 0", job["status.successful"](o)+" "+job["status.successful"](object.Object{}))
}
