package builtin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuotasAndLimitsThatAreWrong(t *testing.T) {
	const scopeNotAllowed = "Invalid value: [\"BestEffort\"]: unsupported scope applied to resource"
	for _, c := range []struct {
		name, kind, next, old, want string
	}{
		{"a quota", "ResourceQuota", `{"spec":{"hard":{"pods":"2","count/widgets.example.com":"1","requests.example.com/gpu":"1.5","gold.storageclass.storage.k8s.io/requests.storage":"1Gi"}}}`, "", ""},
		{
			"amounts", "ResourceQuota", `{"spec":{"hard":{"pods":"-1","services":"1.5","colour":"3","example.com/x":"500m"}}}`, "",
			`[spec.hard[colour]: Invalid value: "colour": must be a standard resource type or fully qualified, spec.hard[colour]: Invalid value: "colour": must be a standard resource for quota, ` +
				`spec.hard[example.com/x]: Invalid value: "500m": must be an integer, spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0, ` +
				`spec.hard[services]: Invalid value: "1500m": must be an integer]`,
		},
		{
			"scopes", "ResourceQuota", `{"spec":{"scopes":["BestEffort"],"hard":{"pods":"1","cpu":"1"}}}`, "", "spec.scopes: " + scopeNotAllowed,
		},
		{
			"scopes that change", "ResourceQuota", `{"spec":{"scopes":["BestEffort"],"hard":{"pods":"1"}}}`, `{"spec":{"hard":{"pods":"1"}}}`,
			`spec.scopes: Invalid value: ["BestEffort"]: field is immutable`,
		},
		{
			"selectors", "ResourceQuota",
			`{"spec":{"hard":{"pods":"1"},"scopeSelector":{"matchExpressions":[{"scopeName":"Odd","operator":"Exists"},{"scopeName":"Terminating","operator":"In","values":["a"]},
			{"scopeName":"PriorityClass","operator":"In"},{"scopeName":"PriorityClass","operator":"Exists","values":["a"]},{"scopeName":"PriorityClass","operator":"Like"}]}}}`, "",
			`[spec.scopeSelector.matchExpressions.scopeName: Invalid value: "Odd": unsupported scope, ` +
				`spec.scopeSelector.matchExpressions.operator: Invalid value: "In": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity, ` +
				"spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector, " +
				"spec.scopeSelector.matchExpressions.values: Invalid value: [\"a\"]: must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector, " +
				`spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator]`,
		},
		{"a range", "LimitRange", `{"spec":{"limits":[{"type":"Container","max":{"cpu":"2"},"min":{"cpu":"1"}},{"type":"example.com/Own","max":{"storage":"1"}}]}}`, "", ""},
		{
			"bounds out of order", "LimitRange",
			`{"spec":{"limits":[{"type":"Container","default":{"cpu":"1"},"defaultRequest":{"cpu":"2"},"min":{"cpu":"3"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"500m"}}]}}`, "",
			`[spec.limits[0].min[cpu]: Invalid value: "3": min value 3 is greater than max value 2, ` +
				`spec.limits[0].defaultRequest[cpu]: Invalid value: "2": min value 3 is greater than default request value 2, ` +
				`spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1, ` +
				`spec.limits[0].default[cpu]: Invalid value: "3": min value 3 is greater than default value 1, ` +
				`spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1]`,
		},
		{
			"types and names", "LimitRange",
			`{"spec":{"limits":[{"type":"Pod","default":{"cpu":"1"},"max":{"storage":"1"}},{"type":"PersistentVolumeClaim"},{"type":"Pod","max":{"cpu":"1"}},{"type":"Colour"}]}}`, "",
			"[spec.limits[0].max[storage]: Invalid value: \"storage\": must be a standard resource for containers, spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod', " +
				`spec.limits[1].limits: Required value: either minimum or maximum storage value is required, but neither was provided, ` +
				`spec.limits[2].type: Duplicate value: "Pod", spec.limits[3].type: Invalid value: "Colour": must be a standard limit type or fully qualified]`,
		},
		{
			"what cannot be promised twice", "LimitRange", `{"spec":{"limits":[{"type":"Container","default":{"example.com/gpu":"2"},"defaultRequest":{"example.com/gpu":"1"}}]}}`, "",
			`spec.limits[0].defaultRequest[example.com/gpu]: Invalid value: "1": default value 2 must equal to defaultRequest value 1 in example.com/gpu`,
		},
		{
			"an impossible ratio", "LimitRange", `{"spec":{"limits":[{"type":"Pod","min":{"cpu":"1"},"max":{"cpu":"2"},"maxLimitRequestRatio":{"cpu":"3"}}]}}`, "",
			`spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000`,
		},
		{
			"a pod's requests", "Pod",
			`{"spec":{"containers":[{"name":"c","image":"x:1","resources":{"limits":{"cpu":"1","example.com/gpu":"2"},"requests":{"cpu":"2","example.com/gpu":"1","example.com/fpga":"1"}}}]}}`, "",
			`[spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1, ` +
				`spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources, ` +
				`spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2]`,
		},
	} {
		t.Run(c.kind+": "+c.name, func(t *testing.T) {
			r := find(t, c.kind)
			_, errs := write(t, r, r.Rules, c.next, c.old)
			require.Equal(t, c.want, errs)
		})
	}
	r := find(t, "ResourceQuota")
	_, errs := write(t, r, subresource(t, r, "status").Rules, `{"status":{"hard":{"pods":"1"},"used":{"pods":"-1"}}}`, `{"spec":{"hard":{"pods":"1"}}}`)
	require.Equal(t, `status.used[pods]: Invalid value: "-1": must be greater than or equal to 0`, errs)
}

func TestLimitRangesAndPodsAreCompleted(t *testing.T) {
	_, o := completed(t, "LimitRange", `{"spec":{"limits":[{"type":"Container","max":{"cpu":"2","memory":"1Gi"},"min":{"disk":"1"},"default":{"cpu":"1"}},{"type":"Pod","max":{"cpu":"3"}}]}}`)
	require.JSONEq(t, `{"limits":[
		{"type":"Container","max":{"cpu":"2","memory":"1Gi"},"min":{"disk":"1"},"default":{"cpu":"1","memory":"1Gi"},"defaultRequest":{"cpu":"1","memory":"1Gi","disk":"1"}},
		{"type":"Pod","max":{"cpu":"3"}}]}`, asJSON(t, mapping(o, "spec")))

	_, o = completed(t, "Pod", `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}}},{"name":"d"}]}}`)
	c, _ := list(o, "spec", "containers")[0].(map[string]any)
	require.JSONEq(t, `{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1","memory":"1Gi"}}`, asJSON(t, mapping(c, "resources")))
}

func TestQualityOfPods(t *testing.T) {
	for spec, want := range map[string]string{
		`{"containers":[{"name":"a"}]}`: "BestEffort",
		`{"containers":[{"name":"a","resources":{"requests":{"ephemeral-storage":"1"}}}]}`:                                                                  "BestEffort",
		`{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"}}}]}`:                                                                                "Burstable",
		`{"containers":[{"name":"a","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"1"}}}]}`:                                                           "Burstable",
		`{"containers":[{"name":"a","resources":{"requests":{"cpu":"1","memory":"1"},"limits":{"cpu":"1","memory":"1"}}}]}`:                                 "Guaranteed",
		`{"containers":[{"name":"a","resources":{"requests":{"cpu":"1","memory":"1"},"limits":{"cpu":"1","memory":"1"}}},{"name":"b"}]}`:                    "Burstable",
		`{"resources":{"requests":{"cpu":"1","memory":"1"},"limits":{"cpu":"1","memory":"1"}},"containers":[{"name":"a"}]}`:                                 "Guaranteed",
		`{"initContainers":[{"name":"i"}],"containers":[{"name":"a","resources":{"requests":{"cpu":"1","memory":"1"},"limits":{"cpu":"1","memory":"1"}}}]}`: "Burstable",
	} {
		r := find(t, "Pod")
		o, _ := write(t, r, r.Rules, `{"spec":`+spec+`}`, "")
		require.Equal(t, want, text(o, "status", "qosClass"), spec)
	}
}

func TestUsageIsShownInTwoColumns(t *testing.T) {
	r := find(t, "ResourceQuota")
	o := decode(t, r, `{"status":{"hard":{"pods":"2","limits.cpu":"3","cpu":"1"},"used":{"pods":"1","limits.cpu":"2"}}}`)
	require.Equal(t, "cpu: 0/1, pods: 1/2", r.Versions[0].Columns[0].Value(o))
	require.Equal(t, "limits.cpu: 2/3", r.Versions[0].Columns[1].Value(o))
	require.Equal(t, []string{"ResourceQuota cpu (2) should be less than limits.cpu (1)"},
		r.Warn(decode(t, r, `{"spec":{"hard":{"cpu":"2","limits.cpu":"1"}}}`), nil))
}
