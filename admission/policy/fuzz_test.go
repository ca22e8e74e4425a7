package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// FuzzCompile holds documents to this: each is either refused with reasons, or makes a policy
// that can be asked.
func FuzzCompile(f *testing.F) {
	for _, d := range readRecorded[recordedDocument](f, "testdata/documents.json") {
		f.Add(object.AppendJSON(nil, d.Document))
	}
	for _, s := range readRecorded[recordedScenario](f, "testdata/requests.json") {
		for _, d := range append(s.Policies, s.Bindings...) {
			f.Add(object.AppendJSON(nil, d))
		}
	}
	var compiler policy.Compiler
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := object.Decode(data)
		if err != nil {
			return
		}
		b, errs := policy.CompileBinding(document)
		require.Equal(t, b == nil, len(errs) > 0)
		p, errs := compiler.Compile(document)
		require.Equal(t, p == nil, len(errs) > 0)
		if p == nil {
			return
		}
		req := podRequest()
		before := req.Object.DeepCopy()
		if err := p.Validate(context.Background(), req); err != nil {
			require.NotContains(t, err.Error(), "internal error")
		}
		require.Equal(t, before, req.Object)
	})
}

// FuzzCompileMutating holds documents to the same, and what they mutate to leaving alone what
// it was given.
func FuzzCompileMutating(f *testing.F) {
	for _, d := range readRecorded[recordedDocument](f, "testdata/mutatingdocuments.json") {
		f.Add(object.AppendJSON(nil, d.Document))
	}
	for _, expression := range []string{
		`Object{metadata: Object.metadata{labels: {"a": string(object.spec.containers.size())}}, spec: Object.spec{containers: [Object.spec.containers{name: "web"}]}}`,
		`Object{?spec: optional.of(Object.spec{a: dyn(null)}), data: {1: dyn(b'a')}}`,
	} {
		f.Add(fmt.Appendf(nil, `{"spec": {"reinvocationPolicy": "Never", "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": %q}}],
			"matchConstraints": {"resourceRules": [{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}]}}}`, expression))
	}
	var compiler policy.Compiler
	config := patching(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := object.Decode(data)
		if err != nil {
			return
		}
		b, errs := policy.CompileMutatingBinding(document)
		require.Equal(t, b == nil, len(errs) > 0)
		document = document.DeepCopy()
		document["metadata"] = map[string]any{"name": "p"}
		p, errs := compiler.CompileMutating(document)
		require.Equal(t, p == nil, len(errs) > 0)
		if p == nil {
			return
		}
		b, errs = policy.NewMutatingBinding("b", policy.BindingSpec{PolicyName: "p"})
		require.Empty(t, errs)
		req := podRequest()
		given, before := req.Object, req.Object.DeepCopy()
		index := policy.NewMutatingIndex(config, []*policy.MutatingPolicy{p}, []*policy.Binding{b})
		if err := index.Mutate(context.Background(), req); err != nil {
			require.NotContains(t, err.Error(), "internal error")
		}
		require.Equal(t, before, given)
	})
}

// FuzzStored holds stored documents to this: whatever they are, requests are answered, and a
// document that is refused when it is written fails what it matches; and types can be checked.
func FuzzStored(f *testing.F) {
	for _, d := range readRecorded[recordedDocument](f, "testdata/documents.json") {
		f.Add(object.AppendJSON(nil, d.Document))
	}
	f.Add([]byte(`{"spec": {"failurePolicy": "Ignore", "validations": 1, "policyName": "p"}}`))
	var compiler policy.Compiler
	kinds := workload(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := object.Decode(data)
		if err != nil {
			return
		}
		document = document.DeepCopy()
		document["metadata"] = map[string]any{"name": "p"}
		p, b := compiler.Stored(document), policy.StoredBinding(document)
		_, errs := compiler.Compile(document)
		err = p.Validate(context.Background(), podRequest())
		if len(errs) > 0 && err != nil {
			require.ErrorContains(t, err, "failed to configure policy")
		}
		_ = policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{b}).Validate(context.Background(), podRequest())
		status := compiler.CheckTypes(document, kinds)
		require.NotNil(t, status.TypeChecking)
	})
}

// FuzzRule holds what a rule matches to what it is refused for: a rule that names all
// parts of a request matches it, whatever the words are.
func FuzzRule(f *testing.F) {
	f.Add("apps", "v1", "deployments", "scale", "*")
	f.Add("", "*", "pods", "", "Namespaced")
	f.Fuzz(func(t *testing.T, group, version, resource, part, scope string) {
		name := resource
		if part != "" {
			name += "/" + part
		}
		rule := match.Rule{Operations: []string{"CREATE"}, APIGroups: []string{group}, APIVersions: []string{version}, Resources: []string{name}, Scope: scope}
		var compiler policy.Compiler
		p, errs := compiler.CompileSpec("p", policy.Spec{
			MatchConstraints: &match.Resources{ResourceRules: []match.Rule{rule}},
			Validations:      []policy.Validation{{Expression: "false"}},
		})
		if len(errs) > 0 || strings.Contains(resource, "/") {
			return
		}
		req := request(admission.Create, group, version, resource, part, "ns", "a")
		matches := scope != "Cluster" && (scope != "Namespaced" || !req.IsNamespace()) || scope == "Cluster" && req.IsNamespace()
		require.Equal(t, matches, p.Validate(context.Background(), req) != nil)
		require.NoError(t, p.Validate(context.Background(), request(admission.Update, group, version, resource, part, "ns", "a")))
	})
}
