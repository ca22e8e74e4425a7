package webhook_test

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// A function takes the place of a webhook: here one that adds an annotation to what is created in
// the group example.com, and lets requests pass if it fails.
func ExampleFunc() {
	owner := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		if r.User.Name == "" {
			return webhook.Deny("nobody may not create %s", r.Kind.Kind), nil
		}
		r.Object.SetAnnotations(map[string]string{"owner": r.User.Name})
		return webhook.Allow("you own it now"), nil
	}
	c, err := webhook.New("owners", webhook.Hook{
		Name: "owner.example.com", Call: owner, FailurePolicy: "Ignore",
		Rules: []match.Rule{match.For("CREATE").Of("example.com", "*")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	chain := admission.Chain{Mutators: []admission.Mutator{webhook.NewMutating(webhook.Config{}, c)}}
	req := &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Kind:      object.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"},
		Object:    object.Object{"apiVersion": "example.com/v1", "kind": "Widget"},
		User:      object.User{Name: "jo"},
	}
	err = chain.Run(context.Background(), req)
	fmt.Println(req.Object.Annotations(), req.Warnings(), err)
	// Output: map[owner:jo] [you own it now] <nil>
}

// A server compiles documents, and makes a stage of those that are in force.
func ExampleCompiler() {
	document := object.Object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": "checks"},
		"webhooks": []any{map[string]any{
			"name":                    "check",
			"clientConfig":            map[string]any{"url": "http://checks.example.com"},
			"sideEffects":             "None",
			"admissionReviewVersions": []any{"v1"},
		}},
	}
	webhook.SetDefaults(document)
	var compiler webhook.Compiler
	_, errs := compiler.CompileValidating(document)
	for _, err := range errs {
		fmt.Println(err)
	}
	// Output:
	// webhooks[0].name: Invalid value: "check": should be a domain with at least three segments separated by dots
	// webhooks[0].clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]
}
