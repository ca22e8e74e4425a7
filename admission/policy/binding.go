package policy

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Binding puts a policy in force. It is immutable.
type Binding struct {
	name    string
	spec    BindingSpec
	matcher match.Matcher
	params  *object.LabelSelector // nil if they are chosen by name

	denies, warns, audits bool

	problem error // why it cannot be used
}

// Name is that of the binding's document.
func (b *Binding) Name() string { return b.name }

// PolicyName is that of the policy that it puts in force.
func (b *Binding) PolicyName() string { return b.spec.PolicyName }

// CompileBinding reads a ValidatingAdmissionPolicyBinding. The errors are what the API says
// about a document that it doesn't accept; there is no binding then.
func CompileBinding(document object.Object) (*Binding, object.FieldErrors) {
	name, spec, err := decode[BindingSpec](document)
	if err != nil {
		return nil, object.FieldErrors{err}
	}
	return NewBinding(name, spec)
}

// NewBinding makes a binding of a program. It keeps parts of the spec, which must not change
// any more.
func NewBinding(name string, spec BindingSpec) (*Binding, object.FieldErrors) {
	errs := spec.check("spec")
	errs = append(errs, checkActions("spec.validationActions", spec.ValidationActions)...)
	return newBinding(name, spec, errs)
}

// CompileMutatingBinding reads a MutatingAdmissionPolicyBinding, as [CompileBinding] does the
// other kind.
func CompileMutatingBinding(document object.Object) (*Binding, object.FieldErrors) {
	name, spec, err := decode[BindingSpec](document)
	if err != nil {
		return nil, object.FieldErrors{err}
	}
	return NewMutatingBinding(name, spec)
}

// NewMutatingBinding makes a binding of a program for a [MutatingPolicy], which has no
// actions. It keeps parts of the spec, which must not change any more.
func NewMutatingBinding(name string, spec BindingSpec) (*Binding, object.FieldErrors) {
	spec.ValidationActions = nil
	errs := spec.check("spec")
	errs = append(errs, checkMutable("spec.matchResources", spec.MatchResources)...)
	return newBinding(name, spec, errs)
}

func newBinding(name string, spec BindingSpec, errs object.FieldErrors) (*Binding, object.FieldErrors) {
	if len(errs) > 0 {
		return nil, errs
	}
	b := &Binding{
		name: name, spec: spec,
		denies: slices.Contains(spec.ValidationActions, deny),
		warns:  slices.Contains(spec.ValidationActions, warn),
		audits: slices.Contains(spec.ValidationActions, audit),
	}
	var err error
	if b.matcher, err = spec.MatchResources.Compile(); err != nil {
		return nil, object.FieldErrors{object.InvalidField("spec.matchResources", object.OmittedValue{}, err.Error())}
	}
	if spec.ParamRef != nil && spec.ParamRef.Selector != nil {
		selector, err := spec.ParamRef.Selector.Selector()
		if err != nil {
			return nil, object.FieldErrors{object.InvalidField("spec.paramRef.selector", object.OmittedValue{}, err.Error())}
		}
		b.params = &selector
	}
	return b, nil
}

func (s *BindingSpec) check(field string) object.FieldErrors {
	var errs object.FieldErrors
	if s.PolicyName == "" {
		errs = append(errs, object.RequiredField(field+".policyName", ""))
	} else {
		for _, problem := range object.ValidateSubdomainName(s.PolicyName, false) {
			errs = append(errs, object.InvalidField(field+".policyName", s.PolicyName, problem))
		}
	}
	if s.ParamRef != nil {
		errs = append(errs, s.ParamRef.check(field+".paramRef")...)
	}
	if s.MatchResources != nil {
		errs = append(errs, s.MatchResources.Check(field+".matchResources")...)
	}
	return errs
}

func (r *ParamRef) check(field string) object.FieldErrors {
	const both = "name and selector are mutually exclusive"
	var errs object.FieldErrors
	if r.Name == "" && r.Selector == nil {
		errs = append(errs, object.RequiredField(field, "one of name or selector must be specified"))
	}
	if r.Name != "" {
		for _, problem := range object.ValidatePathSegmentName(r.Name, false) {
			errs = append(errs, object.InvalidField(field+".name", r.Name, problem))
		}
		if r.Selector != nil {
			errs = append(errs, object.ForbiddenField(field+".name", both))
		}
	}
	if r.Selector != nil {
		errs = append(errs, r.Selector.Validate(field+".selector")...)
		if r.Name != "" {
			errs = append(errs, object.ForbiddenField(field+".selector", both))
		}
	}
	switch r.ParameterNotFoundAction {
	case allow, deny:
	case "":
		errs = append(errs, object.RequiredField(field+".parameterNotFoundAction", ""))
	default:
		errs = append(errs, object.UnsupportedField(field+".parameterNotFoundAction", r.ParameterNotFoundAction, deny, allow))
	}
	return errs
}

func checkActions(field string, actions []string) object.FieldErrors {
	if len(actions) == 0 {
		return object.FieldErrors{object.RequiredField(field, "")}
	}
	var errs object.FieldErrors
	for i, action := range actions {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case action != deny && action != warn && action != audit:
			errs = append(errs, object.UnsupportedField(at, action, audit, deny, warn))
		case slices.Contains(actions[:i], action):
			errs = append(errs, object.DuplicateField(at, action))
		}
	}
	if slices.Contains(actions, deny) && slices.Contains(actions, warn) {
		errs = append(errs, object.InvalidField(field, actions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}
