package policy

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Conditions are the match conditions of something that is no policy, such as a webhook. They are
// ready to be evaluated, by any number of goroutines.
type Conditions struct{ policy Policy }

// CompileConditions compiles match conditions, which stand in the field with this path. The
// errors are what the API says about them; there are no conditions then.
func (c *Compiler) CompileConditions(field string, conditions []MatchCondition) (*Conditions, object.FieldErrors) {
	var compiled Conditions
	w := work{language: c.language(), policy: &compiled.policy}
	w.conditions(field, conditions)
	if len(w.errs) > 0 {
		return nil, w.errs
	}
	return &compiled, nil
}

// View is a request in the form in which somebody knows it.
type View struct {
	Form              match.Form
	Object, OldObject object.Object
}

// Hold says whether all conditions are true for a request, and true if there are none. One that
// is false counts more than any that are in error. Without an authorizer, nothing is allowed to anybody.
func (c *Conditions) Hold(ctx context.Context, req *admission.Request, view View, authorizer Authorizer) (bool, error) {
	a := &activation{
		run:    newRun(ctx, req, &Config{Authorizer: authorizer}),
		policy: &c.policy,
		form:   view.Form, object: view.Object, oldObject: view.OldObject,
	}
	return a.conditionsHold()
}
