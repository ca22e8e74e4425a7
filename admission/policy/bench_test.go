package policy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// podRequest creates a pod of the size that pods have: three containers, all filled in.
func podRequest() *admission.Request {
	container := func(name string) any {
		return map[string]any{
			"name": name, "image": "registry.example/team/" + name + ":1.2.3",
			"env":             []any{map[string]any{"name": "A", "value": "b"}, map[string]any{"name": "C", "value": "d"}},
			"ports":           []any{map[string]any{"containerPort": int64(8080), "protocol": "TCP"}},
			"resources":       map[string]any{"limits": map[string]any{"cpu": "1", "memory": "1Gi"}, "requests": map[string]any{"cpu": "100m", "memory": "100Mi"}},
			"securityContext": map[string]any{"runAsNonRoot": true, "allowPrivilegeEscalation": false, "privileged": false},
			"volumeMounts":    []any{map[string]any{"name": "data", "mountPath": "/data"}},
		}
	}
	pod := object.Object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{
			"name": "web", "namespace": "ns",
			"labels":      map[string]any{"app": "web", "tier": "front", "team": "blue", "version": "1.2.3"},
			"annotations": map[string]any{"owner": "blue@example.com", "checked": "yes"},
		},
		"spec": map[string]any{
			"containers":         []any{container("web"), container("proxy"), container("logs")},
			"volumes":            []any{map[string]any{"name": "data", "emptyDir": map[string]any{}}},
			"serviceAccountName": "web", "restartPolicy": "Always", "terminationGracePeriodSeconds": int64(30),
			"nodeSelector": map[string]any{"kubernetes.io/os": "linux"},
		},
	}
	return &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:      object.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Name:      "web", Namespace: "ns",
		FindNamespace: func() object.Object {
			return object.Object{"metadata": map[string]any{"name": "ns", "labels": map[string]any{"kubernetes.io/metadata.name": "ns"}}}
		},
		User:   object.User{Name: "jo", Groups: []string{"cooks", "system:authenticated"}},
		Object: pod,
	}
}

// podSpec has five expressions about pods.
func podSpec(rules ...match.Rule) policy.Spec {
	return policy.Spec{
		MatchConstraints: &match.Resources{ResourceRules: rules},
		Variables:        []policy.Variable{{Name: "containers", Expression: "object.spec.containers"}},
		Validations: []policy.Validation{
			{Expression: "variables.containers.all(c, c.image.startsWith('registry.example/'))"},
			{Expression: "variables.containers.all(c, has(c.securityContext) && c.securityContext.runAsNonRoot)"},
			{Expression: "'team' in object.metadata.labels"},
			{Expression: "!has(object.spec.hostNetwork) || !object.spec.hostNetwork"},
			{Expression: "request.userInfo.username != 'eve'"},
		},
	}
}

func compileSpec(t testing.TB, compiler *policy.Compiler, name string, spec policy.Spec) *policy.Policy {
	p, errs := compiler.CompileSpec(name, spec)
	require.Empty(t, errs)
	return p
}

func bind(t testing.TB, p *policy.Policy, spec policy.BindingSpec) *policy.Binding {
	spec.PolicyName = p.Name()
	if spec.ValidationActions == nil {
		spec.ValidationActions = []string{"Deny"}
	}
	b, errs := policy.NewBinding(p.Name(), spec)
	require.Empty(t, errs)
	return b
}

func benchmarkValidate(b *testing.B, v admission.Validator) {
	req := podRequest()
	b.ReportAllocs()
	for b.Loop() {
		if err := v.Validate(context.Background(), req); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFiveExpressions is what a policy of five expressions adds to the creation of a pod.
func BenchmarkFiveExpressions(b *testing.B) {
	var compiler policy.Compiler
	p := compileSpec(b, &compiler, "pods", podSpec(match.For("CREATE").Of("", "pods")))
	benchmarkValidate(b, policy.NewIndex(policy.Config{}, []*policy.Policy{p}, []*policy.Binding{bind(b, p, policy.BindingSpec{})}))
}

// BenchmarkOneOf500 is what 500 policies add to a request that one of them matches. The
// others are about other resources, or about pods of other namespaces, labels or names.
func BenchmarkOneOf500(b *testing.B) {
	for _, others := range []struct {
		name  string
		match func(i int) *match.Resources
	}{
		{"other-resources", func(i int) *match.Resources {
			return &match.Resources{ResourceRules: []match.Rule{match.For("CREATE").Of("example.com", fmt.Sprintf("things%d", i))}}
		}},
		{"other-namespaces", func(i int) *match.Resources {
			return &match.Resources{
				ResourceRules:     []match.Rule{match.For("CREATE").Of("", "pods")},
				NamespaceSelector: &object.LabelSelectorSpec{MatchLabels: map[string]string{"kubernetes.io/metadata.name": fmt.Sprintf("ns%d", i)}},
			}
		}},
		{"other-labels", func(i int) *match.Resources {
			return &match.Resources{
				ResourceRules:  []match.Rule{match.For("*").Of("*", "*")},
				ObjectSelector: &object.LabelSelectorSpec{MatchLabels: map[string]string{"app": fmt.Sprintf("app%d", i)}},
			}
		}},
	} {
		b.Run(others.name, func(b *testing.B) {
			var compiler policy.Compiler
			policies := []*policy.Policy{compileSpec(b, &compiler, "pods", podSpec(match.For("CREATE").Of("", "pods")))}
			for i := range 499 {
				spec := podSpec()
				spec.Validations = spec.Validations[:1]
				spec.MatchConstraints = others.match(i)
				policies = append(policies, compileSpec(b, &compiler, fmt.Sprintf("other%d", i), spec))
			}
			var bindings []*policy.Binding
			for _, p := range policies {
				bindings = append(bindings, bind(b, p, policy.BindingSpec{}))
			}
			benchmarkValidate(b, policy.NewIndex(policy.Config{}, policies, bindings))
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	var compiler policy.Compiler
	spec := podSpec(match.For("CREATE").Of("", "pods"))
	b.ReportAllocs()
	for b.Loop() {
		if _, errs := compiler.CompileSpec("pods", spec); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}
