package gc

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestFindingsAsConditions(t *testing.T) {
	leases := object.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}
	tests := []struct {
		name string
		find func(f *findings)
		want []string // reasons and messages of those that hold
	}{
		{"nothing is left", func(*findings) {}, nil},
		{
			"resources are not found out",
			func(f *findings) { f.discover(errors.New("no answer")) },
			[]string{"DiscoveryFailed: no answer"},
		},
		{
			"versions cannot be read",
			func(f *findings) { f.discover(fmt.Errorf("%w: a/b/c", ErrGroupVersions)) },
			[]string{"GroupVersionParsingFailed: reading group versions: a/b/c"},
		},
		{
			"failures",
			func(f *findings) {
				f.add(secrets, "n", Remaining{}, errors.New("z"))
				f.add(leases, "n", Remaining{}, errors.New("a"))
			},
			[]string{"ContentDeletionFailed: Failed to delete all resource types, 2 remaining: a, z"},
		},
		{
			"finalizers",
			func(f *findings) {
				f.add(secrets, "n", Remaining{Objects: 2, Finalizers: map[string]int{"b": 1, "a": 2}}, nil)
				f.add(leases, "n", Remaining{Objects: 1, Finalizers: map[string]int{"b": 1}}, nil)
			},
			[]string{
				"SomeResourcesRemain: Some resources are remaining: leases.coordination.k8s.io has 1 resource instances, secrets. has 2 resource instances",
				"SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a in 2 resource instances, b in 2 resource instances",
			},
		},
		{
			"nothing is known to hold what is left",
			func(f *findings) { f.add(leases, "n", Remaining{Objects: 3}, nil) },
			[]string{
				"ContentDeletionFailed: Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: n for gvr: coordination.k8s.io/v1, Resource=leases",
				"SomeResourcesRemain: Some resources are remaining: leases.coordination.k8s.io has 3 resource instances",
			},
		},
		{
			"a grace period",
			func(f *findings) { f.add(pods, "n", Remaining{Objects: 1, Graceful: 1}, nil) },
			[]string{"SomeResourcesRemain: Some resources are remaining: pods. has 1 resource instances"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var f findings
			tt.find(&f)
			var got []string
			for _, c := range f.conditions() {
				if c.holds {
					got = append(got, c.reason+": "+c.message)
				}
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestReport(t *testing.T) {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	namespace := terminating("n", "kubernetes")
	namespace["status"] = map[string]any{"conditions": []any{map[string]any{"type": "Own", "status": "True"}}}
	var nothing, one, two findings
	one.add(secrets, "n", Remaining{Objects: 1, Finalizers: map[string]int{"x": 1}}, nil)
	two.add(secrets, "n", Remaining{Objects: 2, Finalizers: map[string]int{"x": 2}}, nil)

	reported, changed := two.report(namespace, first)
	require.True(t, changed)
	require.Len(t, conditionsOf(namespace), 1, "the namespace given is left alone")
	status, _ := reported.Field("status", "phase")
	require.Equal(t, "Terminating", status)
	conditions := conditionsOf(reported)
	require.Len(t, conditions, 6)
	require.Equal(t, map[string]any{"type": "Own", "status": "True"}, conditions[0], "those of others stay")
	require.Equal(t, map[string]any{
		"type": "NamespaceContentRemaining", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z",
		"reason": "SomeResourcesRemain", "message": "Some resources are remaining: secrets. has 2 resource instances",
	}, conditions[4])

	_, changed = two.report(reported, first.Add(time.Hour))
	require.False(t, changed)
	reported, changed = one.report(reported, first.Add(time.Hour))
	require.True(t, changed)
	require.Equal(t, "2026-01-01T00:00:00Z", conditionsOf(reported)[4].(map[string]any)["lastTransitionTime"], "the answer is the same")
	reported, _ = nothing.report(reported, first.Add(time.Hour))
	require.Equal(t, map[string]any{
		"type": "NamespaceContentRemaining", "status": "False", "lastTransitionTime": "2026-01-01T01:00:00Z",
		"reason": "ContentRemoved", "message": "All content successfully removed",
	}, conditionsOf(reported)[4])
}

func conditionsOf(namespace object.Object) []any {
	conditions, _ := namespace.Field("status", "conditions")
	return conditions.([]any)
}

func TestReleased(t *testing.T) {
	namespace := terminating("n", "example.com/a", "kubernetes")
	next, changed := released(namespace)
	require.True(t, changed)
	require.Equal(t, []any{"example.com/a"}, specFinalizers(next))
	require.Len(t, specFinalizers(namespace), 2)
	_, changed = released(next)
	require.False(t, changed)
}
