package policy_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// stored gives the document of a policy, with a spec in JSON.
func stored(t testing.TB, kind, name, spec string) object.Object {
	o, err := object.Decode(fmt.Appendf(nil, `{"apiVersion": "admissionregistration.k8s.io/v1", "kind": %q, "metadata": {"name": %q}, "spec": %s}`, kind, name, spec))
	require.NoError(t, err)
	return o
}

const aboutPods = `"matchConstraints": {"resourceRules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}]}`

func TestStoredPolicyThatIsNotAcceptedFails(t *testing.T) {
	const denied = `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: `
	for _, c := range []struct {
		name, spec string
		others     bool // whether requests about anything else fail, too
		message    string
	}{
		{"an expression that doesn't compile", aboutPods + `, "validations": [{"expression": "object.["}]`, false, `spec.validations[0].expression: Invalid value: "object.["`},
		{"a type that is wrong", aboutPods + `, "validations": [{"expression": "1"}]`, false, `must evaluate to bool but got int`},
		{"a condition", aboutPods + `, "matchConditions": [{"name": "a", "expression": "nothing"}], "validations": [{"expression": "true"}]`, false, `undeclared reference to 'nothing'`},
		{"no constraints", `"validations": [{"expression": "true"}]`, true, `spec.matchConstraints: Required value`},
		{"a selector", `"matchConstraints": {"objectSelector": {"matchExpressions": [{"key": "a", "operator": "Near"}]}}, "validations": [{"expression": "true"}]`, true, `Near`},
		{"a spec of another form", `"validations": "all"`, true, `spec: Invalid value`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, failurePolicy := range []string{"Fail", "Ignore"} {
				spec := fmt.Sprintf(`{"failurePolicy": %q, %s}`, failurePolicy, c.spec)
				var compiler policy.Compiler
				p := compiler.Stored(stored(t, "ValidatingAdmissionPolicy", "p", spec))
				b, errs := policy.NewBinding("b", policy.BindingSpec{PolicyName: "p", ValidationActions: []string{"Deny"}})
				require.Empty(t, errs)
				index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{b})
				err := index.Validate(context.Background(), podRequest())
				other := index.Validate(context.Background(), request("CREATE", "", "v1", "secrets", "", "ns", "a"))
				if failurePolicy == "Ignore" {
					require.NoError(t, err)
					require.NoError(t, other)
					continue
				}
				require.ErrorContains(t, err, denied)
				require.ErrorContains(t, err, c.message)
				require.Equal(t, c.others, other != nil)
			}
		})
	}
}

func TestStoredMutatingPolicyThatIsNotAcceptedFails(t *testing.T) {
	var compiler policy.Compiler
	for spec, message := range map[string]string{
		aboutPods + `, "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Thing{}"}}]`: `undeclared reference to 'Thing'`,
		`"mutations": 1`: `spec: Invalid value`,
	} {
		for _, failurePolicy := range []string{"Fail", "Ignore"} {
			p := compiler.StoredMutating(stored(t, "MutatingAdmissionPolicy", "p", fmt.Sprintf(`{"failurePolicy": %q, "reinvocationPolicy": "Never", %s}`, failurePolicy, spec)))
			err := mutatingIndex(t, patching(t), policy.BindingSpec{}, p).Mutate(context.Background(), podRequest())
			if failurePolicy == "Ignore" {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, `policy "p" denied request: failed to configure policy: `)
			require.ErrorContains(t, err, message)
		}
	}
}

func TestStoredBindingThatIsNotAcceptedFails(t *testing.T) {
	p, err := policy.New("p", "true")
	require.NoError(t, err)
	for spec, message := range map[string]string{
		`{"policyName": "p", "validationActions": ["Deny"]}`:                            "",
		`{"policyName": "p"}`:                                                           "", // as a mutating one has it
		`{"policyName": "p", "validationActions": ["Deny"], "paramRef": {"name": "a"}}`: "with binding 'b' denied request: failed to configure binding: spec.paramRef.parameterNotFoundAction: Required value",
		`{"policyName": "p", "validationActions": "Deny"}`:                              "with binding 'b' denied request: failed to configure binding: spec: Invalid value",
		`{"policyName": "p", "matchResources": {"matchPolicy": "Rough", "namespaceSelector": {"matchLabels": {"no": "namespace"}}}}`: "",
		`{"policyName": "other", "validationActions": "Deny"}`:                                                                       "",
	} {
		b := policy.StoredBinding(stored(t, "ValidatingAdmissionPolicyBinding", "b", spec))
		err := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{b}).Validate(context.Background(), podRequest())
		if message == "" {
			require.NoError(t, err, spec)
		} else {
			require.ErrorContains(t, err, message, spec)
		}
	}
}

func TestStoredPolicyIsCompiledOnceForAll(t *testing.T) {
	var compiler policy.Compiler
	p := compiler.Stored(stored(t, "ValidatingAdmissionPolicy", "p", `{`+aboutPods+`, "validations": [{"expression": "object.metadata.name != 'web'"}]}`))
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{bind(t, p, policy.BindingSpec{})})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if err := index.Validate(context.Background(), podRequest()); err == nil {
				t.Error("the policy was not in force")
			}
		})
	}
	wait.Wait()
}

// BenchmarkStart is what a server with 500 stored policies does before it can answer: compile
// them all, or leave that to the first request that each matches.
func BenchmarkStart(b *testing.B) {
	documents := make([]object.Object, 500)
	bindings := make([]*policy.Binding, 500)
	for i := range documents {
		spec := podSpec(match.For("CREATE").Of("", fmt.Sprintf("things%d", i)))
		document, err := object.From(struct {
			Spec policy.Spec `json:"spec"`
		}{spec})
		require.NoError(b, err)
		document.SetName(fmt.Sprintf("p%d", i))
		documents[i] = document
		bindings[i], _ = policy.NewBinding("b", policy.BindingSpec{PolicyName: document.Name(), ValidationActions: []string{"Deny"}})
	}
	start := func(b *testing.B, read func(*policy.Compiler, object.Object) *policy.Policy) {
		b.ReportAllocs()
		for b.Loop() {
			var compiler policy.Compiler
			policies := make([]*policy.Policy, len(documents))
			for i, d := range documents {
				policies[i] = read(&compiler, d)
			}
			policy.NewIndex(policy.Config{}, policies, bindings)
		}
	}
	b.Run("compiled", func(b *testing.B) {
		start(b, func(c *policy.Compiler, d object.Object) *policy.Policy {
			p, errs := c.Compile(d)
			require.Empty(b, errs)
			return p
		})
	})
	b.Run("stored", func(b *testing.B) { start(b, (*policy.Compiler).Stored) })
}
