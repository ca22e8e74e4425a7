package policy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// unmoved is a patcher that costs nothing, so that what remains is the policy's own.
type unmoved struct{}

func (unmoved) JSONPatch(_ context.Context, o object.Object, _ []byte) (object.Object, error) {
	return o, nil
}

func (unmoved) Apply(_ context.Context, o, _ object.Object) (object.Object, error) { return o, nil }

// podMutation has five expressions about pods, of which one patches.
func podMutation(m policy.Mutation, rules ...match.Rule) policy.MutatingSpec {
	return policy.MutatingSpec{
		MatchConstraints: &match.Resources{ResourceRules: rules},
		MatchConditions: []policy.MatchCondition{
			{Name: "not-eve", Expression: "request.userInfo.username != 'eve'"},
			{Name: "wanted", Expression: "!has(object.metadata.annotations) || !('exempt' in object.metadata.annotations)"},
		},
		Variables: []policy.Variable{
			{Name: "team", Expression: "object.metadata.?labels.team.orValue('none')"},
			{Name: "count", Expression: "object.spec.containers.size()"},
		},
		Mutations: []policy.Mutation{m},
	}
}

var (
	sidecar = applies(`Object{
		metadata: Object.metadata{labels: {"owner": string(variables.team), "count": string(variables.count)}},
		spec: Object.spec{containers: [Object.spec.containers{name: "sidecar", image: "registry.example/sidecar:1"}]}}`)
	label      = applies(`Object{metadata: Object.metadata{labels: {"owner": variables.team + "-" + string(variables.count)}}}`)
	labelPatch = patches(`[JSONPatch{op: "add", path: "/metadata/labels/owner", value: variables.team + "-" + string(variables.count)}]`)

	sidecarPatch = patches(`[
		JSONPatch{op: "add", path: "/metadata/labels/owner", value: string(variables.team)},
		JSONPatch{op: "add", path: "/metadata/labels/count", value: string(variables.count)},
		JSONPatch{op: "add", path: "/spec/containers/-", value: Object.spec.containers{name: "sidecar", image: "registry.example/sidecar:1"}}]`)
)

func benchmarkMutate(b *testing.B, index *policy.MutatingIndex) {
	req := podRequest()
	pod := req.Object
	b.ReportAllocs()
	for b.Loop() {
		again := *req
		again.Object = pod
		if err := index.Mutate(context.Background(), &again); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMutation is what a mutating policy of five expressions adds to the creation of a
// pod, without and with the patching itself.
func BenchmarkMutation(b *testing.B) {
	for _, kind := range []struct {
		name     string
		mutation policy.Mutation
	}{{"label", label}, {"label-by-json-patch", labelPatch}, {"sidecar", sidecar}, {"sidecar-by-json-patch", sidecarPatch}} {
		for _, patching := range []struct {
			name    string
			patcher policy.Patcher
		}{{"alone", unmoved{}}, {"patched", patcher{apply.NewType(nil)}}} {
			b.Run(kind.name+"/"+patching.name, func(b *testing.B) {
				p := mutating(b, "pods", podMutation(kind.mutation, match.For("CREATE").Of("", "pods")))
				benchmarkMutate(b, mutatingIndex(b, policy.Config{Patcher: patching.patcher}, policy.BindingSpec{}, p))
			})
		}
	}
}

// BenchmarkMutationOneOf500 is what 500 mutating policies add to a request that one matches.
func BenchmarkMutationOneOf500(b *testing.B) {
	policies := []*policy.MutatingPolicy{mutating(b, "pods", podMutation(sidecar, match.For("CREATE").Of("", "pods")))}
	for i := range 499 {
		spec := policy.MutatingSpec{
			MatchConstraints: &match.Resources{
				ResourceRules:  []match.Rule{match.For("CREATE").Of("*", "*")},
				ObjectSelector: &object.LabelSelectorSpec{MatchLabels: map[string]string{"app": fmt.Sprintf("app%d", i)}},
			},
			Mutations: []policy.Mutation{applies(`Object{}`)},
		}
		policies = append(policies, mutating(b, fmt.Sprintf("other%d", i), spec))
	}
	benchmarkMutate(b, mutatingIndex(b, policy.Config{Patcher: unmoved{}}, policy.BindingSpec{}, policies...))
}
