package builtin

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// admissionKinds are the policies and their bindings. A server that has them among its
// resources enforces what is stored of them.
func admissionKinds(t *types) []row {
	const (
		group  = "admissionregistration.k8s.io"
		traits = clusterWide | generated | putVersioned
	)
	var compiler policy.Compiler
	return []row{
		{
			group: group, version: "v1", kind: "ValidatingAdmissionPolicy", plural: "validatingadmissionpolicies",
			codec: codecOf[admissionv1.ValidatingAdmissionPolicy](t), traits: traits | hasStatus,
			defaults: policy.SetDefaults, columns: policyColumns("Validations", "validations"),
			validate: documentValidation(func(o object.Object) object.FieldErrors {
				_, errs := compiler.Compile(o)
				return errs
			}),
		},
		{
			group: group, version: "v1", kind: "ValidatingAdmissionPolicyBinding", plural: "validatingadmissionpolicybindings",
			codec: codecOf[admissionv1.ValidatingAdmissionPolicyBinding](t), traits: traits,
			defaults: policy.SetDefaults, columns: bindingColumns(),
			validate: documentValidation(func(o object.Object) object.FieldErrors {
				_, errs := policy.CompileBinding(o)
				return errs
			}),
		},
	}
}

// documentValidation makes checks of one that looks at the new document alone.
func documentValidation(check func(o object.Object) object.FieldErrors) validate {
	return func(next, _ object.Object) object.FieldErrors { return check(next) }
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
