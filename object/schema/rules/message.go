package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// maxMessage is how many bytes a messageExpression may give.
const maxMessage = 5 << 10

// name is how errors call a rule.
func (r *rule) name() string {
	if r.Message != "" {
		return strings.TrimSpace(r.Message)
	}
	return strings.TrimSpace(r.Rule.Rule)
}

func (r *rule) defaultMessage() string {
	if r.Message == "" {
		return "failed rule: " + r.name()
	}
	return r.name()
}

// fieldError is the error of a rule that doesn't hold, by the reason it gives.
func (r *rule) fieldError(field string, value any, detail string) *object.FieldError {
	switch object.FieldErrorType(r.Reason) {
	case object.FieldValueForbidden:
		return object.ForbiddenField(field, detail)
	case object.FieldValueRequired:
		return object.RequiredField(field, detail)
	case object.FieldValueDuplicate:
		return object.DuplicateField(field, value)
	}
	return object.InvalidField(field, value, detail)
}

// message evaluates the messageExpression of a rule. text is empty if it gives nothing
// that can be used. failure says why no more rules may be run. As in the API, oldSelf is never
// an optional value here, though a message is compiled as if it were where it is one for the rule.
func (e *evaluation) message(r *rule, vars *variables) (text, failure string) {
	plain := *vars
	plain.optional = false
	result, cost, err := r.message.Evaluate(&plain)
	if cost > uint64(e.Budget) {
		return "", "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
	}
	if errors.Is(err, expr.ErrTooCostly) {
		return "", fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression)
	}
	e.Budget -= int64(cost)
	if err != nil {
		return "", ""
	}
	text, _ = result.Value().(string)
	text = strings.TrimSpace(text)
	if len(text) > maxMessage || strings.Contains(text, "\n") {
		return "", ""
	}
	return text, ""
}
