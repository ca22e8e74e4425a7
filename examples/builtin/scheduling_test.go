package builtin

import (
	"context"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// classes are the priority classes that there are, and what goes wrong after them.
type classes struct {
	all []object.Object
	err error
}

func (c classes) List(context.Context, object.GroupResource, string) iter.Seq2[object.Object, error] {
	return func(yield func(object.Object, error) bool) {
		for _, o := range c.all {
			if !yield(o, nil) {
				return
			}
		}
		if c.err != nil {
			yield(nil, c.err)
		}
	}
}

func class(name string, value int64, isDefault bool) object.Object {
	return object.Object{"metadata": map[string]any{"name": name}, "value": value, "globalDefault": isDefault, "preemptionPolicy": "Never"}
}

func TestHowPodsAreScheduled(t *testing.T) {
	const forReady = `{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	const forReached = `{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}`
	const both = `"tolerations":[` + forReady + `,` + forReached + `]`
	some := classes{all: []object.Object{class("high", 1000, false), class("fair", 10, true), class("low", 5, true)}}
	tests := map[string]struct {
		classes   classes
		spec, old string
		want, err string
	}{
		"without classes":           {spec: `{}`, want: `{"priority":0,"preemptionPolicy":"PreemptLowerPriority",` + both + `}`},
		"the kind is unknown":       {classes: classes{err: object.NotFound(object.GroupResource{}, "")}, spec: `{}`, want: `{"priority":0,"preemptionPolicy":"PreemptLowerPriority",` + both + `}`},
		"the lower of two defaults": {classes: some, spec: `{}`, want: `{"priorityClassName":"low","priority":5,"preemptionPolicy":"Never",` + both + `}`},
		"a class by name": {
			classes: some, spec: `{"priorityClassName":"high","priority":1000}`,
			want: `{"priorityClassName":"high","priority":1000,"preemptionPolicy":"Never",` + both + `}`,
		},
		"a class that is not there": {classes: some, spec: `{"priorityClassName":"none"}`, err: "no PriorityClass with name none was found"},
		"a priority of one's own": {
			classes: some, spec: `{"priorityClassName":"high","priority":7}`,
			err: "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 1000 from the given PriorityClass name",
		},
		"a policy of one's own": {
			classes: some, spec: `{"priorityClassName":"high","preemptionPolicy":"PreemptLowerPriority"}`,
			err: "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name",
		},
		"classes that can't be read": {classes: classes{err: errors.New("broken")}, spec: `{}`, err: "listing the priority classes: broken"},
		"a pod that tolerates one taint": {
			spec: `{"tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists"}]}`,
			want: `{"priority":0,"preemptionPolicy":"PreemptLowerPriority","tolerations":[{"key":"node.kubernetes.io/unreachable","operator":"Exists"},` + forReady + `]}`,
		},
		"a pod that tolerates all": {
			spec: `{"tolerations":[{"operator":"Exists"}]}`,
			want: `{"priority":0,"preemptionPolicy":"PreemptLowerPriority","tolerations":[{"operator":"Exists"}]}`,
		},
		"an update keeps the priority": {
			spec: `{"tolerations":[{"operator":"Exists"}]}`, old: `{"priority":3,"preemptionPolicy":"Never"}`,
			want: `{"priority":3,"preemptionPolicy":"Never","tolerations":[{"operator":"Exists"}]}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			req := &admission.Request{
				Operation: admission.Create,
				Resource:  object.GroupVersionResource{Version: "v1", Resource: "pods"},
				Object:    object.Object{"spec": parse(t, tc.spec)},
			}
			if tc.old != "" {
				req.Operation, req.OldObject = admission.Update, object.Object{"spec": parse(t, tc.old)}
			}
			err := Scheduling{tc.classes}.Mutate(t.Context(), req)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, tc.want, asJSON(t, mapping(req.Object, "spec")))
		})
	}
}

func TestSchedulingIsAboutPodsAlone(t *testing.T) {
	for _, req := range []*admission.Request{
		{Operation: admission.Create, Resource: object.GroupVersionResource{Version: "v1", Resource: "configmaps"}, Object: object.Object{}},
		{Operation: admission.Create, Resource: object.GroupVersionResource{Version: "v1", Resource: "pods"}, Subresource: "eviction", Object: object.Object{}},
		{Operation: admission.Delete, Resource: object.GroupVersionResource{Version: "v1", Resource: "pods"}},
	} {
		require.NoError(t, Scheduling{}.Mutate(t.Context(), req))
		require.Empty(t, req.Object)
	}
}

func parse(t *testing.T, document string) map[string]any {
	t.Helper()
	o, err := object.Decode([]byte(document))
	require.NoError(t, err)
	return o
}
