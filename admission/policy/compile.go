package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Compiler compiles policies. The zero value is ready for use, by any number of
// goroutines. Policies of one compiler share the language, which takes a millisecond to make.
type Compiler struct {
	// Language, if set, is shared with others that speak it.
	Language *expr.Language

	own expr.Language
}

func (c *Compiler) language() *expr.Language {
	if c.Language != nil {
		return c.Language
	}
	return &c.own
}

// Compile compiles a ValidatingAdmissionPolicy. The errors are what the API says about
// a document that it doesn't accept; there is no policy then. What is wrong with its
// metadata, it leaves to others.
func (c *Compiler) Compile(document object.Object) (*Policy, object.FieldErrors) {
	name, spec, err := decode[Spec](document)
	if err != nil {
		return nil, object.FieldErrors{err}
	}
	return c.CompileSpec(name, spec)
}

// decode reads the name and the spec of a document.
func decode[S any](document object.Object) (name string, spec S, problem *object.FieldError) {
	d, err := object.As[struct {
		object.TypeMeta `json:",inline"`
		Metadata        object.ObjectMeta `json:"metadata"`
		Spec            S                 `json:"spec"`
	}](document)
	if err != nil {
		return document.Name(), spec, object.InvalidField("spec", object.OmittedValue{}, err.Error())
	}
	return d.Metadata.Name, d.Spec, nil
}

// CompileSpec compiles a policy of a program. It keeps parts of the spec, which must not
// change any more.
func (c *Compiler) CompileSpec(name string, spec Spec) (*Policy, object.FieldErrors) {
	w := newWork(c.language(), &Policy{name: name}, scopeOptions{params: spec.ParamKind != nil, variables: len(spec.Variables) > 0})
	w.head(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints)
	w.conditions("spec.matchConditions", spec.MatchConditions)
	w.variables(spec.Variables)
	if len(spec.Validations) == 0 && len(spec.AuditAnnotations) == 0 {
		const nothing = "validations or auditAnnotations must contain at least one item"
		w.add(object.RequiredField("spec.validations", nothing), object.RequiredField("spec.auditAnnotations", nothing))
	}
	w.validations(spec.Validations)
	w.annotations(spec.AuditAnnotations)
	if len(w.errs) > 0 {
		return nil, w.errs
	}
	return w.policy, nil
}

// work is one policy being compiled.
type work struct {
	language *expr.Language
	policy   *Policy
	types    objectTypes
	base     scopeOptions // what the policy has
	scopes   map[scopeOptions]*expr.Scope
	errs     object.FieldErrors
}

func newWork(language *expr.Language, p *Policy, base scopeOptions) *work {
	return &work{language: language, policy: p, types: objectTypes{variables: map[string]*cel.Type{}}, base: base}
}

func (w *work) add(errs ...*object.FieldError) { w.errs = append(w.errs, errs...) }

// head does what is not expressions.
func (w *work) head(failurePolicy string, paramKind *ParamKind, constraints *match.Resources) {
	w.policy.ignores = failurePolicy == ignore
	switch failurePolicy {
	case "", fail, ignore:
	default:
		w.add(object.UnsupportedField("spec.failurePolicy", failurePolicy, fail, ignore))
	}
	if paramKind != nil {
		w.add(paramKind.check("spec.paramKind")...)
		w.policy.paramKind, _ = paramKind.groupVersionKind() // a wrong one was reported
	}
	const field = "spec.matchConstraints"
	if constraints == nil {
		w.add(object.RequiredField(field, ""))
		return
	}
	if errs := constraints.Check(field); len(errs) > 0 {
		w.add(errs...)
	} else if len(constraints.ResourceRules) > 0 {
		var err error
		if w.policy.matcher, err = constraints.Compile(); err != nil {
			w.add(object.InvalidField(field, object.OmittedValue{}, err.Error()))
		}
	}
	if len(constraints.ResourceRules) == 0 {
		w.add(object.RequiredField(field+".resourceRules", ""))
	}
}

func (k *ParamKind) check(field string) object.FieldErrors {
	errs := k.checkVersion(field + ".apiVersion")
	if k.Kind == "" {
		return append(errs, object.RequiredField(field+".kind", ""))
	}
	for _, problem := range object.ValidateDNS1035Name(strings.ToLower(k.Kind), false) {
		errs = append(errs, object.InvalidField(field+".kind", k.Kind, "may have mixed case, but should otherwise match: "+problem))
	}
	return errs
}

func (k *ParamKind) checkVersion(field string) object.FieldErrors {
	if k.APIVersion == "" {
		return object.FieldErrors{object.RequiredField(field, "")}
	}
	gv, err := object.ParseGroupVersion(k.APIVersion)
	if err != nil {
		return object.FieldErrors{object.InvalidField(field, k.APIVersion, err.Error())}
	}
	var errs object.FieldErrors
	if problems := object.ValidateSubdomainName(gv.Group, false); gv.Group != "" && len(problems) > 0 {
		errs = append(errs, object.InvalidField(field, gv.Group, strings.Join(problems, ",")))
	}
	if gv.Version == "" {
		return append(errs, object.InvalidField(field, gv.Version, "version must be specified"))
	}
	if problems := object.ValidateDNS1035Name(gv.Version, false); len(problems) > 0 {
		errs = append(errs, object.InvalidField(field, gv.Version, strings.Join(problems, ",")))
	}
	return errs
}

// expression compiles one expression, which may be of one of the types. options say what it sees.
func (w *work) expression(field, text string, options scopeOptions, wanted ...*cel.Type) (compiled expression, t *cel.Type) {
	return w.shown(field, text, text, options, wanted...)
}

// trimmed compiles an expression without the space around it, which counts for the places in
// messages. Errors of its evaluation show it as it is.
func (w *work) trimmed(field, text string, options scopeOptions, wanted ...*cel.Type) expression {
	trimmed := strings.TrimSpace(text)
	compiled, _ := w.shown(field, trimmed, trimmed, options, wanted...)
	compiled.text = text
	return compiled
}

// shown compiles an expression that messages show in another way.
func (w *work) shown(field, text, shown string, options scopeOptions, wanted ...*cel.Type) (compiled expression, t *cel.Type) {
	invalid := func(detail string) (expression, *cel.Type) {
		w.add(object.InvalidField(field, shown, detail))
		return expression{}, nil
	}
	scope, err := w.scope(options)
	if err != nil {
		return invalid("compilation failed: " + err.Error())
	}
	checked, err := w.language.Check(scope, text)
	if err != nil {
		return invalid("compilation failed: " + err.Error())
	}
	if t = checked.Type(); len(wanted) > 0 && !slices.ContainsFunc(wanted, t.IsExactType) {
		return invalid("must evaluate to " + oneOf(wanted) + " but got " + t.String())
	}
	program, err := checked.Program()
	if err != nil {
		w.add(object.InternalField(field, fmt.Errorf("program instantiation failed: %w", err)))
		return expression{}, nil
	}
	return expression{shown, program}, t
}

func oneOf(wanted []*cel.Type) string {
	if len(wanted) == 1 {
		return wanted[0].String()
	}
	names := make([]string, len(wanted))
	for i, t := range wanted {
		names[i] = t.String()
	}
	return "one of [" + strings.Join(names, " ") + "]"
}

// scope gives the scope with these names. It sees variables as they are added.
func (w *work) scope(options scopeOptions) (*expr.Scope, error) {
	if s, ok := w.scopes[options]; ok {
		return s, nil
	}
	declare := w.language.Scope
	if options.patches {
		declare = w.language.MutationScope
	}
	s, err := declare(w.types, options.names()...)
	if err != nil {
		return nil, err
	}
	if w.scopes == nil {
		w.scopes = map[scopeOptions]*expr.Scope{}
	}
	w.scopes[options] = s
	return s, nil
}
