package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// conditionBudget is what all conditions of a policy may cost for one request. Validations
// and annotations have expr.Budget each.
const conditionBudget = expr.Budget / 4

// failure is a validation that doesn't let a request pass.
type failure struct {
	index   int // of the validation; 0 if it is none's
	message string
	reason  object.Reason
}

// published is a value for the audit log.
type published struct{ key, value string }

// outcome is what came of evaluating a policy once.
type outcome struct {
	failures []failure
	refusals []string // that deny whatever the binding says: annotations in error
	values   []published
}

// evaluate runs a policy with one set of parameters.
func (a *activation) evaluate() outcome {
	var o outcome
	holds, err := a.conditionsHold()
	if err != nil {
		a.fails(&o, 0, err)
		return o
	}
	if !holds {
		return o
	}
	if err := a.validate(&o); err != nil {
		return a.stopped(err)
	}
	if err := a.annotate(&o); err != nil {
		return a.stopped(err)
	}
	return o
}

// fails notes an error, which the policy may want to ignore.
func (a *activation) fails(o *outcome, index int, err error) {
	if a.policy.ignores {
		a.note("ignored: %v", err)
		return
	}
	o.failures = append(o.failures, failure{index: index, message: err.Error()})
}

// stopped is the outcome if the budget is used up, whatever was found before.
func (a *activation) stopped(err error) outcome {
	var o outcome
	a.fails(&o, 0, err)
	return o
}

// conditionsHold says whether the policy applies. A condition that is false counts
// more than any that are in error.
func (a *activation) conditionsHold() (bool, error) {
	a.inConditions = true
	defer func() { a.inConditions = false }()
	budget := int64(conditionBudget)
	var failed []error
	for i := range a.policy.conditions {
		value, err := a.spend(&a.policy.conditions[i], &budget)
		switch {
		case errors.Is(err, errBudget):
			return false, err
		case err != nil:
			failed = append(failed, err)
		case value != types.True:
			a.note("condition not met: %s", a.policy.conditions[i].text)
			return false, nil
		}
	}
	return len(failed) == 0, object.JoinErrors(failed)
}

// validate runs all validations, also behind those that fail.
func (a *activation) validate(o *outcome) error {
	budget := int64(expr.Budget)
	for i := range a.policy.validations {
		v := &a.policy.validations[i]
		value, err := a.spend(&v.expression, &budget)
		switch {
		case errors.Is(err, errBudget):
			return err
		case err != nil:
			a.fails(o, i, err)
		case value != types.True:
			o.failures = append(o.failures, failure{i, "", v.reason})
		}
	}
	a.explain(o, budget)
	return nil
}

// explain finds the messages of what failed, from what the validations left of the
// budget. If that is not enough, none has a message, and all count as errors.
func (a *activation) explain(o *outcome, budget int64) {
	for i := range o.failures {
		f := &o.failures[i]
		if f.message != "" { // that of an error
			continue
		}
		message, err := a.message(&a.policy.validations[f.index], &budget)
		if err != nil {
			a.unexplained(o, fmt.Errorf("failed messageExpression: %w", err))
			return
		}
		f.message = message
	}
}

func (a *activation) unexplained(o *outcome, err error) {
	failures := o.failures
	o.failures = nil
	for _, f := range failures {
		if f.reason == "" { // an error itself
			o.failures = append(o.failures, f)
			continue
		}
		a.fails(o, f.index, err)
	}
}

// message is what a validation that failed says. The error is that of the budget.
func (a *activation) message(v *validation, budget *int64) (string, error) {
	if v.dynamic == nil {
		return v.message, nil
	}
	value, err := a.spend(&expression{program: v.dynamic}, budget)
	if errors.Is(err, errBudget) {
		return "", err
	}
	if err != nil {
		a.note("messageExpression: %v", err)
		return v.message, nil
	}
	text, _ := value.Value().(string)
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxMessage || strings.Contains(text, "\n") {
		return v.message, nil
	}
	return text, nil
}

// annotate evaluates the audit annotations.
func (a *activation) annotate(o *outcome) error {
	budget := int64(expr.Budget)
	for i := range a.policy.annotations {
		annotation := &a.policy.annotations[i]
		value, err := a.spend(&annotation.expression, &budget)
		switch {
		case errors.Is(err, errBudget):
			return err
		case err != nil && !a.policy.ignores:
			o.refusals = append(o.refusals, err.Error())
		case err != nil:
			a.note("ignored: %v", err)
		default:
			text, _ := value.Value().(string)
			if text = strings.TrimSpace(text); text != "" {
				o.values = append(o.values, published{annotation.key, cut(text, maxAnnotationLength)})
			}
		}
	}
	return nil
}

func cut(s string, n int) string { return s[:min(n, len(s))] }

// errBudget is how an evaluation ends that leaves nothing to others.
var errBudget = errors.New("validation failed due to running out of cost budget, no further validation rules will be run")

// spend evaluates one expression and takes what it costs, with the variables that it
// used first, from the budget.
func (a *activation) spend(e *expression, budget *int64) (ref.Val, error) {
	value, cost, err := e.program.Evaluate(a)
	cost += a.variables.takeCost()
	if cost > uint64(*budget) {
		return nil, errBudget
	}
	*budget -= int64(cost)
	if err != nil {
		return nil, fmt.Errorf("expression '%s' resulted in error: %w", e.text, err)
	}
	return value, nil
}

// note tells a trace what the policy did.
func (a *activation) note(format string, args ...any) {
	switch {
	case a.run.subject.Request.Trace == nil:
	case a.policy.name == "": // conditions alone
		a.run.note(format, args...)
	default:
		a.run.note("policy %s: %s", a.policy.name, fmt.Sprintf(format, args...))
	}
}
