package policy_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// TestIndexFindsWhatEachPolicyAloneMatches holds the index to the answers of its parts.
func TestIndexFindsWhatEachPolicyAloneMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(words ...string) []string {
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		if words = words[:1+random.IntN(2)]; slices.Contains(words, "*") {
			return []string{"*"}
		}
		return words
	}
	var compiler policy.Compiler
	config := policy.Config{Equivalence: twoVersions{}, Converter: unconverted{}}
	var policies []*policy.Policy
	var bindings []*policy.Binding
	var alone []*policy.Index
	for i := range 60 {
		var rules []match.Rule
		for range 1 + random.IntN(2) {
			rules = append(rules, match.Rule{
				Operations: pick("CREATE", "UPDATE", "DELETE", "*"), APIGroups: pick("new", "old", "", "*"),
				APIVersions: pick("v1", "v2", "*"), Resources: pick("things", "items", "pods", "*"),
			})
		}
		match := match.Resources{ResourceRules: rules, MatchPolicy: []string{"Exact", "Equivalent"}[random.IntN(2)]}
		p := compileSpec(t, &compiler, fmt.Sprintf("p%02d", i), policy.Spec{MatchConstraints: &match, Validations: []policy.Validation{{Expression: "false"}}})
		b := bind(t, p, policy.BindingSpec{ValidationActions: []string{"Warn"}})
		policies, bindings = append(policies, p), append(bindings, b)
		alone = append(alone, policy.NewIndex(config, []*policy.Policy{p}, []*policy.Binding{b}))
	}
	shuffled := slices.Clone(policies)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	index := policy.NewIndex(config, shuffled, bindings)
	for _, operation := range []admission.Operation{admission.Create, admission.Update, admission.Delete, admission.Connect} {
		for _, group := range []string{"new", "old", "", "other"} {
			for _, resource := range []string{"things", "items", "pods", "other"} {
				fresh := func() *admission.Request { return request(operation, group, "v1", resource, "", "ns", "a") }
				expected, actual := fresh(), fresh()
				for _, x := range alone {
					require.NoError(t, x.Validate(context.Background(), expected))
				}
				require.NoError(t, index.Validate(context.Background(), actual))
				require.Equal(t, expected.Warnings(), actual.Warnings())
			}
		}
	}
}

func TestPoliciesAreOutOfTheirOwnReach(t *testing.T) {
	match := match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*/*")}}
	for _, resource := range []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings", "mutatingadmissionpolicies"} {
		require.False(t, forbids(t, match, request(admission.Create, "admissionregistration.k8s.io", "v1", resource, "", "", "a"), nil), resource)
	}
	require.True(t, forbids(t, match, request(admission.Create, "admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations", "", "", "a"), nil))
}

func TestPolicyWithoutBindingIsNotInForce(t *testing.T) {
	p, err := policy.New("p", "false")
	require.NoError(t, err)
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, nil)
	require.NoError(t, index.Validate(context.Background(), podRequest()))
	require.ErrorContains(t, p.Validate(context.Background(), podRequest()), `ValidatingAdmissionPolicy 'p' denied request: failed expression: false`)
}

func TestBindingNarrowsItsPolicy(t *testing.T) {
	p, err := policy.New("p", "false")
	require.NoError(t, err)
	b := bind(t, p, policy.BindingSpec{MatchResources: &match.Resources{
		NamespaceSelector: &object.LabelSelectorSpec{MatchLabels: map[string]string{"env": "prod"}},
	}})
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{b})
	require.NoError(t, index.Validate(context.Background(), podRequest()))
	require.ErrorIs(t, index.Validate(context.Background(), request(admission.Create, "", "v1", "pods", "", "ns", "a")), object.ErrInvalid)
}

func TestIndexServesManyAtOnce(t *testing.T) {
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "pods", podSpec(match.For("CREATE").Of("", "pods")))
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{bind(t, p, policy.BindingSpec{})})
	shared := podRequest().Object
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				req := podRequest()
				req.Object = shared
				if err := index.Validate(context.Background(), req); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}

func TestEndOfTheContextEndsValidation(t *testing.T) {
	p, err := policy.New("p", "true")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{bind(t, p, policy.BindingSpec{})})
	require.ErrorIs(t, index.Validate(ctx, podRequest()), context.Canceled)
}
