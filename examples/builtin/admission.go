package builtin

import (
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// admissionKinds are policies, their bindings and the configurations of webhooks. A server
// that has them among its resources enforces what is stored of them.
func admissionKinds(t *types) []row {
	var policies policy.Compiler
	webhooks := webhook.Compiler{Policies: &policies}
	rows := []row{
		{
			kind: "ValidatingAdmissionPolicy", codec: codecOf[admissionv1.ValidatingAdmissionPolicy](t), traits: hasStatus,
			defaults: policy.SetDefaults, validate: compiles(policies.Compile), columns: policyColumns("Validations", "validations"),
		},
		{
			kind: "ValidatingAdmissionPolicyBinding", codec: codecOf[admissionv1.ValidatingAdmissionPolicyBinding](t),
			defaults: policy.SetDefaults, validate: compiles(policy.CompileBinding), columns: bindingColumns(),
		},
		{
			kind: "MutatingAdmissionPolicy", codec: codecOf[admissionv1.MutatingAdmissionPolicy](t),
			defaults: policy.SetDefaults, validate: compiles(policies.CompileMutating), columns: policyColumns("Mutations", "mutations"),
		},
		{
			kind: "MutatingAdmissionPolicyBinding", codec: codecOf[admissionv1.MutatingAdmissionPolicyBinding](t),
			defaults: policy.SetDefaults, validate: compiles(policy.CompileMutatingBinding), columns: bindingColumns(),
		},
		{
			kind: "ValidatingWebhookConfiguration", codec: codecOf[admissionv1.ValidatingWebhookConfiguration](t),
			defaults: webhook.SetDefaults, validate: compiles(webhooks.CompileValidating), warn: warnOfWebhooks,
			columns: webhookColumns(),
		},
		{
			kind: "MutatingWebhookConfiguration", codec: codecOf[admissionv1.MutatingWebhookConfiguration](t),
			defaults: webhook.SetDefaults, validate: compiles(webhooks.CompileMutating), warn: warnOfWebhooks,
			columns: webhookColumns(),
		},
	}
	for i := range rows {
		r := &rows[i]
		r.group, r.version, r.plural = "admissionregistration.k8s.io", "v1", pluralOf(r.kind)
		r.traits |= clusterWide | generated | putVersioned
	}
	return rows
}

// compiles makes checks of a function that makes something of a document.
func compiles[T any](compile func(o object.Object) (T, object.FieldErrors)) validate {
	return func(next, _ object.Object) object.FieldErrors {
		_, errs := compile(next)
		return errs
	}
}

func warnOfWebhooks(next, _ object.Object) []string { return webhook.Warnings(next) }

// pluralOf is the resource of a kind with an ordinary name.
func pluralOf(kind string) string {
	name := strings.ToLower(kind)
	if stem, ok := strings.CutSuffix(name, "y"); ok {
		return stem + "ies"
	}
	return name + "s"
}

func webhookColumns() []server.Column {
	return []server.Column{
		{
			Name: "Webhooks", Type: "integer", Description: "How many webhooks it has.",
			Value: func(o object.Object) any { return int64(len(list(o, "webhooks"))) },
		},
		age(),
	}
}

func policyColumns(rules, field string) []server.Column {
	return []server.Column{
		{
			Name: rules, Type: "integer", Description: "How many rules the policy has.",
			Value: func(o object.Object) any { return int64(len(list(o, "spec", field))) },
		},
		{
			Name: "ParamKind", Type: "string", Description: "The kind of its parameters.",
			Value: func(o object.Object) any {
				if version := text(o, "spec", "paramKind", "apiVersion"); version != "" {
					return version + "/" + text(o, "spec", "paramKind", "kind")
				}
				return unset
			},
		},
		age(),
	}
}

func bindingColumns() []server.Column {
	return []server.Column{
		{
			Name: "PolicyName", Type: "string", Description: "The policy that it puts in force.",
			Value: func(o object.Object) any { return text(o, "spec", "policyName") },
		},
		{
			Name: "ParamRef", Type: "string", Description: "The parameters that it gives to the policy.",
			Value: func(o object.Object) any { return paramsOf(o) },
		},
		age(),
	}
}

const unset = "<unset>"

// paramsOf names the parameters of a binding, or how they are selected.
func paramsOf(o object.Object) string {
	name, namespace := text(o, "spec", "paramRef", "name"), text(o, "spec", "paramRef", "namespace")
	switch {
	case name != "" && namespace != "":
		return namespace + "/" + name
	case name != "":
		return name
	}
	if selector, ok := o.Field("spec", "paramRef", "selector"); ok {
		return string(object.AppendJSON(nil, selector))
	}
	return unset
}
