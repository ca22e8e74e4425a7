package policy

import (
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Spec is the spec of a ValidatingAdmissionPolicy. What is left out has the API's default.
type Spec struct {
	FailurePolicy    string            `json:"failurePolicy,omitempty"` // Fail (the default) or Ignore
	ParamKind        *ParamKind        `json:"paramKind,omitempty"`
	MatchConstraints *match.Resources  `json:"matchConstraints,omitempty"`
	MatchConditions  []MatchCondition  `json:"matchConditions,omitempty"`
	Variables        []Variable        `json:"variables,omitempty"`
	Validations      []Validation      `json:"validations,omitempty"`
	AuditAnnotations []AuditAnnotation `json:"auditAnnotations,omitempty"`
}

// ParamKind is the kind of the parameters.
type ParamKind struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// MatchCondition is an expression that has to be true for a policy to apply.
type MatchCondition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// Variable is a name for the value of an expression, for the expressions behind it.
type Variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// Validation is an expression that has to be true, and what to say if it isn't.
type Validation struct {
	Expression        string `json:"expression"`
	Message           string `json:"message,omitempty"`
	MessageExpression string `json:"messageExpression,omitempty"`
	Reason            string `json:"reason,omitempty"` // Invalid is the default
}

// AuditAnnotation is an expression whose value goes to the audit log.
type AuditAnnotation struct {
	Key             string `json:"key"`
	ValueExpression string `json:"valueExpression"`
}

// BindingSpec is the spec of a ValidatingAdmissionPolicyBinding.
type BindingSpec struct {
	PolicyName        string           `json:"policyName"`
	ParamRef          *ParamRef        `json:"paramRef,omitempty"`
	MatchResources    *match.Resources `json:"matchResources,omitempty"`
	ValidationActions []string         `json:"validationActions,omitempty"`
}

// ParamRef says which parameters a binding gives to its policy.
type ParamRef struct {
	Name                    string                    `json:"name,omitempty"`
	Namespace               string                    `json:"namespace,omitempty"`
	Selector                *object.LabelSelectorSpec `json:"selector,omitempty"`
	ParameterNotFoundAction string                    `json:"parameterNotFoundAction,omitempty"`
}

// Words of the API.
const (
	fail, ignore      = "Fail", "Ignore"
	deny, warn, audit = "Deny", "Warn", "Audit"
	allow             = "Allow"
)
