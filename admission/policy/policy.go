package policy

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Policy is a policy that is ready to be evaluated, by any number of goroutines.
type Policy struct {
	name        string
	matcher     match.Matcher
	ignores     bool // whether an expression that fails lets the request pass
	paramKind   object.GroupVersionKind
	reinvocable bool // whether it mutates again if others change the object after it
	expressions

	once    sync.Once
	compile func() (expressions, error) // of a stored policy, until it was called
	problem error                       // why it cannot be evaluated
}

// expressions are those of a policy.
type expressions struct {
	conditions  []expression
	variables   []variable
	validations []validation
	annotations []annotation
	mutations   []mutation
}

// expression is one that is ready to run.
type expression struct {
	text    string
	program *expr.Program
}

// validation is a [Validation] that is ready to run.
type validation struct {
	expression
	message string        // what to say without one that is evaluated
	dynamic *expr.Program // of the messageExpression, or nil
	reason  object.Reason
}

// annotation is an [AuditAnnotation] that is ready to run.
type annotation struct {
	expression
	key string
}

// Name is that of the policy's document.
func (p *Policy) Name() string { return p.name }

// Validate implements admission.Validator: it enforces the policy for all requests that it
// matches, without a binding, parameters or an authorizer. What needs these goes into an [Index].
func (p *Policy) Validate(ctx context.Context, req *admission.Request) error {
	r := newRun(ctx, req, &Config{})
	r.policy(ctx, p, nil)
	return r.verdict()
}

// New compiles a policy of one expression, for programs that have no documents. It
// matches what the rules say, or everything if there are none.
func New(name, expression string, rules ...match.Rule) (*Policy, error) {
	if name == "" {
		return nil, errors.New("compiling a policy: it has no name")
	}
	var c Compiler
	spec := Spec{
		MatchConstraints: &match.Resources{ResourceRules: rules},
		Validations:      []Validation{{Expression: expression}},
	}
	if len(rules) == 0 {
		spec.MatchConstraints.ResourceRules = []match.Rule{match.For("*").Of("*", "*/*")}
	}
	p, errs := c.CompileSpec(name, spec)
	if len(errs) > 0 {
		return nil, fmt.Errorf("compiling policy %q: %w", name, errs)
	}
	return p, nil
}

// groupVersionKind reads what paramKind names.
func (k *ParamKind) groupVersionKind() (object.GroupVersionKind, error) {
	if k == nil {
		return object.GroupVersionKind{}, nil
	}
	gv, err := object.ParseGroupVersion(k.APIVersion)
	return object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: k.Kind}, err
}

// variable is a [Variable] that is ready to run.
type variable struct {
	name    string
	program *expr.Program
}

// addVariable takes the place of one with the same name.
func (p *Policy) addVariable(name string, e expression) {
	if i := p.variable(name); i >= 0 {
		p.variables[i].program = e.program
		return
	}
	p.variables = append(p.variables, variable{name, e.program})
}

// variable gives the place of a variable, or -1.
func (p *Policy) variable(name string) int {
	for i := range p.variables {
		if p.variables[i].name == name {
			return i
		}
	}
	return -1
}
