package builtin

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestWhatTheServerSetsBeforeItWrites(t *testing.T) {
	const template = `"template":{"spec":{"containers":null}}`
	tests := map[string]struct{ kind, next, old, want string }{
		"a pod without amounts": {
			"Pod", `{"spec":{"containers":[{"name":"c"}]},"status":{"phase":"Running","podIP":"192.0.2.1"}}`, ``,
			`{"status":{"phase":"Pending","qosClass":"BestEffort","podIP":"(gone)"}}`,
		},
		"a pod that is not to be scheduled yet": {
			"Pod", `{"spec":{"containers":[{"name":"c"}],"schedulingGates":[{"name":"g"}]}}`, ``,
			`{"status":{"phase":"Pending","qosClass":"BestEffort","conditions":[{"type":"PodScheduled","status":"False","reason":"SchedulingGated",
				"message":"Scheduling is blocked due to non-empty scheduling gates","lastProbeTime":null,"lastTransitionTime":"2000-01-01T00:00:00Z"}]}}`,
		},
		"a pod among its like": {
			"Pod", `{"metadata":{"labels":{"v":"1"}},"spec":{"containers":[{"name":"c"}],
				"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule","labelSelector":{},"matchLabelKeys":["v","w"]},
					{"maxSkew":1,"topologyKey":"l","whenUnsatisfiable":"DoNotSchedule","matchLabelKeys":["v"]}],
				"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"k","labelSelector":{},"mismatchLabelKeys":["v"]}]}}}}`, ``,
			`{"spec":{"topologySpreadConstraints":{"0":{"labelSelector":{"matchExpressions":[{"key":"v","operator":"In","values":["1"]}]}}},
				"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"0":{"labelSelector":{"matchExpressions":[{"key":"v","operator":"NotIn","values":["1"]}]}}}}}},
				"status":{"phase":"Pending","qosClass":"BestEffort"}}`,
		},
		"a pod that asks for something as a whole": {
			"Pod", `{"spec":{"resources":{"limits":{"cpu":"4"}},"containers":[{"name":"c","resources":{"requests":{"cpu":"1","memory":"1Gi"},"limits":{"cpu":"1","memory":"1Gi","hugepages-2Mi":"4Mi"}}}],
				"initContainers":[{"name":"i","resources":{"requests":{"cpu":"2"},"limits":{"cpu":"2","memory":"3Gi"}}}]}}`, ``,
			`{"spec":{"resources":{"requests":{"cpu":"2","memory":"1Gi","hugepages-2Mi":"4Mi"},"limits":{"memory":"3Gi","hugepages-2Mi":"4Mi"}}},
				"status":{"phase":"Pending","qosClass":"Burstable"}}`,
		},
		"a pod whose writer doesn't know of whole pods": {
			"Pod", `{"spec":{"containers":null}}`, `{"spec":{"containers":null,"resources":{"limits":{"cpu":"1"}}}}`,
			`{"spec":{"resources":{"limits":{"cpu":"1"}}}}`,
		},
		"a job finds its pods by its uid": {
			"Job", `{"metadata":{"name":"j","uid":"u"},"spec":{` + template + `}}`, ``,
			`{"metadata":{"labels":{"job-name":"j","batch.kubernetes.io/job-name":"j","controller-uid":"u","batch.kubernetes.io/controller-uid":"u"}},
				"spec":{"selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}},
				"template":{"metadata":{"labels":{"job-name":"j","batch.kubernetes.io/job-name":"j","controller-uid":"u","batch.kubernetes.io/controller-uid":"u"}}}}}`,
		},
		"a job that selects by itself": {
			"Job", `{"metadata":{"name":"j","uid":"u"},"spec":{"manualSelector":true,"selector":{"matchLabels":{"a":"b"}},` + template + `}}`, ``, `{}`,
		},
		"a new daemon set counts from one": {
			"DaemonSet", `{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"0"}},"spec":{"selector":null,` + template + `}}`, ``,
			`{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"1"}}}`,
		},
		"another template of a daemon set": {
			"DaemonSet", `{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"9"}},"spec":{"selector":null,"template":{"spec":{"hostPID":true,"containers":null}}}}`,
			`{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"3"}},"spec":{"selector":null,` + template + `}}`,
			`{"metadata":{"annotations":{"deprecated.daemonset.template.generation":"4"}}}`,
		},
		"a service without an address": {
			"Service", `{"spec":{"type":"ClusterIP","clusterIP":"None","selector":{"a":"b"}}}`, ``,
			`{"spec":{"clusterIPs":["None"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack"}}`,
		},
		"a service without an address and without pods": {
			"Service", `{"spec":{"type":"ClusterIP","clusterIP":"None"}}`, ``,
			`{"spec":{"clusterIPs":["None"],"ipFamilies":["IPv4","IPv6"],"ipFamilyPolicy":"RequireDualStack"}}`,
		},
		"a service of another family": {
			"Service", `{"spec":{"type":"ClusterIP","clusterIP":"None","ipFamilies":["IPv6"]}}`, ``,
			`{"spec":{"clusterIPs":["None"],"ipFamilies":["IPv6","IPv4"],"ipFamilyPolicy":"RequireDualStack"}}`,
		},
		"a service that is a name": {"Service", `{"spec":{"type":"ExternalName","internalTrafficPolicy":"Cluster"}}`, ``, `{"spec":{"internalTrafficPolicy":"(gone)"}}`},
		"a service keeps its addresses and ports": {
			"Service", `{"spec":{"type":"NodePort","ports":[{"name":"a","port":1},{"name":"b","port":2,"nodePort":30001},{"name":"c","port":3}]}}`,
			`{"spec":{"type":"NodePort","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
				"ports":[{"name":"a","port":1,"nodePort":30000},{"name":"c","port":2,"nodePort":30001}]}}`,
			`{"spec":{"clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack","ports":{"0":{"nodePort":30000}}}}`,
		},
		"a service that becomes a name": {
			"Service", `{"spec":{"type":"ExternalName","externalName":"n","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
				"externalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true,"ports":[{"port":1,"nodePort":30000}]}}`,
			`{"spec":{"type":"LoadBalancer","clusterIP":"10.0.0.1","clusterIPs":["10.0.0.1"],"ipFamilies":["IPv4"],"ipFamilyPolicy":"SingleStack",
				"externalTrafficPolicy":"Cluster","allocateLoadBalancerNodePorts":true,"ports":[{"port":1,"nodePort":30000}]},
				"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}}`,
			`{"spec":{"clusterIP":"(gone)","clusterIPs":"(gone)","ipFamilies":"(gone)","ipFamilyPolicy":"(gone)","externalTrafficPolicy":"(gone)",
				"allocateLoadBalancerNodePorts":"(gone)","ports":{"0":{"nodePort":"(gone)"}}}}`,
		},
		"a claim on what another claim has": {
			"PersistentVolumeClaim", `{"spec":{"dataSource":{"apiGroup":null,"kind":"PersistentVolumeClaim","name":"c"}}}`, ``,
			`{"spec":{"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"c"}}}`,
		},
		"a claim on what something else has": {
			"PersistentVolumeClaim", `{"spec":{"dataSourceRef":{"apiGroup":"e.com","kind":"K","name":"c"}}}`, ``,
			`{"spec":{"dataSource":{"apiGroup":"e.com","kind":"K","name":"c"}}}`,
		},
		"a claim on something else, said in the old way": {
			"PersistentVolumeClaim", `{"spec":{"dataSource":{"apiGroup":"e.com","kind":"K","name":"c"}}}`, ``, `{"spec":{"dataSource":"(gone)"}}`,
		},
		"a claim on another namespace": {
			"PersistentVolumeClaim", `{"spec":{"dataSourceRef":{"apiGroup":"e.com","kind":"K","name":"c","namespace":"n"}}}`, ``, `{}`,
		},
		"a new volume": {
			"PersistentVolume", `{"spec":{}}`, ``, `{"status":{"phase":"Pending","lastPhaseTransitionTime":"2000-01-01T00:00:00Z"}}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := find(t, tc.kind)
				sent := decode(t, r, tc.next)
				next := sent.DeepCopy()
				if tc.old == "" {
					r.Prepare(next, nil)
				} else {
					r.Prepare(next, decode(t, r, tc.old))
				}
				diff, _ := changes(map[string]any(sent), map[string]any(next)).(map[string]any)
				if !(tc.kind == "Pod" || tc.kind == "PersistentVolume") {
					delete(diff, "status") // what the type shows
				}
				require.JSONEq(t, tc.want, asJSON(t, diff))
			})
		})
	}
}

func TestTheStatusOfAPodKeepsWhatItsWriterMayNotKnow(t *testing.T) {
	r := find(t, "Pod")
	rules := subresource(t, r, "status").Rules
	old := decode(t, r, `{"spec":{"containers":null},"status":{"qosClass":"Burstable","observedGeneration":2,"conditions":[
		{"type":"A","status":"True","lastProbeTime":null,"lastTransitionTime":null,"observedGeneration":1},
		{"type":"B","status":"True","lastProbeTime":null,"lastTransitionTime":null,"observedGeneration":2}]}}`)
	next := decode(t, r, `{"spec":{"containers":null},"status":{"phase":"Running","conditions":[
		{"type":"B","status":"False","lastProbeTime":null,"lastTransitionTime":null},
		{"type":"A","status":"False","lastProbeTime":null,"lastTransitionTime":null,"observedGeneration":3},
		{"type":"B","status":"False","lastProbeTime":null,"lastTransitionTime":null}]}}`)
	rules.Prepare(next, old)
	require.JSONEq(t, `{"phase":"Running","qosClass":"Burstable","observedGeneration":2,"conditions":[
		{"type":"B","status":"False","lastProbeTime":null,"lastTransitionTime":null,"observedGeneration":2},
		{"type":"A","status":"False","lastProbeTime":null,"lastTransitionTime":null,"observedGeneration":3},
		{"type":"B","status":"False","lastProbeTime":null,"lastTransitionTime":null}]}`, asJSON(t, mapping(next, "status")))
}

func TestHowMuchAPodCanRelyOn(t *testing.T) {
	const guaranteed = `{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"1000m","memory":"1024Mi"}}`
	tests := map[string]struct{ first, second, whole, want string }{
		"on all":                             {guaranteed, guaranteed, `null`, "Guaranteed"},
		"on nothing":                         {`{}`, `{}`, `null`, "BestEffort"},
		"on nothing, said as zero":           {`{"requests":{"cpu":"0"}}`, `{}`, `null`, "BestEffort"},
		"other resources don't count":        {`{"requests":{"example.com/x":"1"},"limits":{"example.com/x":"1"}}`, `{}`, `null`, "BestEffort"},
		"less than it may take":              {`{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}`, guaranteed, `null`, "Burstable"},
		"one resource":                       {`{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}`, `{}`, `null`, "Burstable"},
		"one container":                      {guaranteed, `{}`, `null`, "Burstable"},
		"the other container":                {`{}`, guaranteed, `null`, "Burstable"},
		"the whole pod counts":               {`{}`, guaranteed, guaranteed, "Guaranteed"},
		"a whole pod that says nothing":      {guaranteed, guaranteed, `{}`, "Guaranteed"},
		"a whole pod that says other things": {guaranteed, guaranteed, `{"limits":{"example.com/x":"1"}}`, "Guaranteed"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			o := decode(t, find(t, "Pod"), fmt.Sprintf(`{"spec":{"containers":[{"name":"a","resources":%s}],"initContainers":[{"name":"b","resources":%s}],"resources":%s}}`,
				tc.first, tc.second, tc.whole))
			require.Equal(t, tc.want, string(qualityOf(mapping(o, "spec"))))
		})
	}
}

func TestAVolumeSaysSinceWhenItIsInItsPhase(t *testing.T) {
	const before = `{"spec":{},"status":{"phase":"Pending","lastPhaseTransitionTime":"1999-01-01T00:00:00Z"}}`
	tests := map[string]struct{ status, want string }{
		"the same phase":                      {`{"phase":"Pending","message":"m"}`, "1999-01-01T00:00:00Z"},
		"another phase":                       {`{"phase":"Bound"}`, "2000-01-01T00:00:00Z"},
		"another phase, with the former time": {`{"phase":"Bound","lastPhaseTransitionTime":"1999-01-01T00:00:00Z"}`, "2000-01-01T00:00:00Z"},
		"a time of the writer's":              {`{"phase":"Bound","lastPhaseTransitionTime":"1998-01-01T00:00:00Z"}`, "1998-01-01T00:00:00Z"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := find(t, "PersistentVolume")
				next := decode(t, r, `{"spec":{},"status":`+tc.status+`}`)
				subresource(t, r, "status").Prepare(next, decode(t, r, before))
				require.Equal(t, tc.want, text(next, "status", phaseSince))
			})
		})
	}
}
