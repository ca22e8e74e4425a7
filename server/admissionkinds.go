package server

import (
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// AdmissionKinds describes the kinds of admissionregistration.k8s.io/v1: policies that
// validate and that mutate, their bindings, and configurations of webhooks. A server that has
// them among its resources enforces what clients store of them. Their documents are free JSON;
// a program that has Go types for them, and so protobuf, can describe them by itself.
func AdmissionKinds() []Resource {
	var policies policy.Compiler
	webhooks := webhook.Compiler{Policies: &policies}
	kinds := []Resource{
		admissionKind("ValidatingAdmissionPolicy", "validatingadmissionpolicies", policy.SetDefaults, policies.Compile),
		admissionKind("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", policy.SetDefaults, policy.CompileBinding),
		admissionKind("MutatingAdmissionPolicy", "mutatingadmissionpolicies", policy.SetDefaults, policies.CompileMutating),
		admissionKind("MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", policy.SetDefaults, policy.CompileMutatingBinding),
		admissionKind("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", webhook.SetDefaults, webhooks.CompileValidating),
		admissionKind("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", webhook.SetDefaults, webhooks.CompileMutating),
	}
	prepare := kinds[0].Prepare
	kinds[0].Prepare = func(next, old object.Object) {
		prepare(next, old)
		retain(next, old, "status")
	}
	kinds[0].Subresources = []Subresource{{
		Name: "status", Verbs: []string{"get", "patch", "update"},
		Rules: Rules{Prepare: func(next, old object.Object) { retain(next, old, "spec") }},
	}}
	kinds[4].Warn, kinds[5].Warn = warnOfWebhooks, warnOfWebhooks
	return kinds
}

func warnOfWebhooks(next, _ object.Object) []string { return webhook.Warnings(next) }

func admissionKind[T any](kind, plural string, setDefaults func(object.Object), compile func(object.Object) (T, object.FieldErrors)) Resource {
	return Resource{
		Group: registrationGroup, Plural: plural, Kind: kind, Versions: []Version{{Name: "v1"}},
		Generation: true, VersionedUpdate: true,
		Rules: Rules{
			Prepare: func(next, _ object.Object) { setDefaults(next) },
			Validate: func(next, _ object.Object) object.FieldErrors {
				_, errs := compile(next)
				return errs
			},
		},
	}
}

// retain gives next a field as it is in old, or none.
func retain(next, old object.Object, name string) {
	delete(next, name)
	if v, ok := old[name]; ok {
		next[name] = v
	}
}
