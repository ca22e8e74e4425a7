package policy_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// A program that wants one rule writes it in CEL and puts it into its chain.
func ExampleNew() {
	few, err := policy.New("few-replicas", "object.spec.replicas <= 5", match.For("CREATE", "UPDATE").Of("apps", "deployments"))
	if err != nil {
		fmt.Println(err)
		return
	}
	chain := admission.Chain{Validators: []admission.Validator{few}}
	fmt.Println(chain.Run(context.Background(), &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"},
		Name:      "web", Namespace: "shop",
		Object: object.Object{"spec": map[string]any{"replicas": int64(7)}},
	}))
	// Output: deployments.apps "web" is forbidden: ValidatingAdmissionPolicy 'few-replicas' denied request: failed expression: object.spec.replicas <= 5
}

// A server compiles documents, and makes an index of those that are in force.
func ExampleNewIndex() {
	document := object.Object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
		"metadata": map[string]any{"name": "owned"},
		"spec": map[string]any{
			"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
				"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"pods"},
			}}},
			"validations": []any{map[string]any{
				"expression":        "has(object.metadata.labels) && 'owner' in object.metadata.labels",
				"messageExpression": "'who owns ' + object.metadata.name + '?'",
			}},
		},
	}
	var compiler policy.Compiler
	owned, problems := compiler.Compile(document)
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	warn, problems := policy.NewBinding("warn", policy.BindingSpec{PolicyName: "owned", ValidationActions: []string{"Warn"}})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{owned}, []*policy.Binding{warn})
	req := &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Version: "v1", Resource: "pods"},
		Name:      "web", Namespace: "shop",
		Object: object.Object{"metadata": map[string]any{"name": "web"}},
	}
	fmt.Println(index.Validate(context.Background(), req))
	fmt.Println(req.Warnings()[0])
	// Output:
	// <nil>
	// Validation failed for ValidatingAdmissionPolicy 'owned' with binding 'warn': who owns web?
}

// A policy that mutates says what to change; a patcher knows how objects change.
func ExampleNewMutatingIndex() {
	var compiler policy.Compiler
	label, problems := compiler.CompileMutatingSpec("label", policy.MutatingSpec{
		ReinvocationPolicy: "Never",
		MatchConstraints:   &match.Resources{ResourceRules: []match.Rule{match.For("CREATE").Of("", "pods")}},
		Mutations: []policy.Mutation{{PatchType: "JSONPatch", JSONPatch: &policy.Expression{
			Expression: `[JSONPatch{op: "add", path: "/metadata/labels", value: {"owner": request.userInfo.username}}]`,
		}}},
	})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	binding, problems := policy.NewMutatingBinding("label", policy.BindingSpec{PolicyName: "label"})
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	config := policy.Config{Patcher: patcher{apply.NewType(nil)}}
	chain := admission.Chain{Mutators: []admission.Mutator{policy.NewMutatingIndex(config, []*policy.MutatingPolicy{label}, []*policy.Binding{binding})}}
	req := &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Version: "v1", Resource: "pods"},
		Name:      "web", Namespace: "shop", User: object.User{Name: "jo"},
		Object: object.Object{"metadata": map[string]any{"name": "web"}},
	}
	err := chain.Run(context.Background(), req)
	fmt.Println(req.Object.Labels(), err)
	// Output: map[owner:jo] <nil>
}
