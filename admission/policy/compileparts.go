package policy

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Limits of what a policy may have.
const (
	maxConditions       = 64
	maxAnnotations      = 20
	maxValueExpression  = 5 << 10
	maxMessage          = 5 << 10  // bytes that a messageExpression may give
	maxAnnotationLength = 10 << 10 // bytes of an annotation that are kept
)

// conditions compiles match conditions, which see no variables.
func (w *work) conditions(list string, conditions []MatchCondition) {
	if len(conditions) > maxConditions {
		w.add(object.TooManyField(list, len(conditions), maxConditions))
	}
	seen := map[string]bool{}
	for i, c := range conditions {
		field := fmt.Sprintf("%s[%d]", list, i)
		if strings.TrimSpace(c.Expression) == "" {
			w.add(object.RequiredField(field+".expression", ""))
		} else {
			w.policy.conditions = append(w.policy.conditions, w.trimmed(field+".expression", c.Expression,
				scopeOptions{params: w.base.params, authorizer: true}, cel.BoolType))
		}
		if c.Name == "" {
			w.add(object.RequiredField(field+".name", ""))
			continue
		}
		for _, problem := range object.ValidateLabelKey(c.Name) {
			w.add(object.InvalidField(field+".name", c.Name, problem))
		}
		if seen[c.Name] {
			w.add(object.DuplicateField(field+".name", c.Name))
		}
		seen[c.Name] = true
	}
}

// variables compiles variables, each of which sees those before it. One that is
// wrong is dynamic for those behind it.
func (w *work) variables(variables []Variable) {
	for i, v := range variables {
		field := fmt.Sprintf("spec.variables[%d]", i)
		switch {
		case strings.TrimSpace(v.Name) == "":
			w.add(object.RequiredField(field+".name", "name is not specified"))
		case !isIdentifier(v.Name):
			w.add(object.InvalidField(field+".name", v.Name, "must be a valid CEL identifier"))
		}
		if strings.TrimSpace(v.Expression) == "" {
			w.add(object.RequiredField(field+".expression", "expression is not specified"))
			continue
		}
		compiled, t := w.expression(field+".expression", v.Expression,
			scopeOptions{params: w.base.params, authorizer: true, variables: true})
		w.types.variables[v.Name] = cel.DynType
		if t != nil {
			w.types.variables[v.Name] = variableType(t)
		}
		w.policy.addVariable(v.Name, compiled)
	}
}

func (w *work) validations(validations []Validation) {
	for i, v := range validations {
		w.validation(fmt.Sprintf("spec.validations[%d]", i), v)
	}
}

func (w *work) validation(field string, v Validation) {
	compiled := validation{message: strings.TrimSpace(v.Message), reason: object.Reason(v.Reason)}
	if compiled.message == "" {
		compiled.message = "failed expression: " + strings.TrimSpace(v.Expression)
	}
	if strings.TrimSpace(v.Expression) == "" {
		w.add(object.RequiredField(field+".expression", "expression is not specified"))
	} else {
		compiled.expression, _ = w.expression(field+".expression", v.Expression, w.with(true), cel.BoolType)
	}
	switch {
	case v.MessageExpression == "":
	case strings.TrimSpace(v.MessageExpression) == "":
		w.add(object.InvalidField(field+".messageExpression", v.MessageExpression, "must be non-empty if specified"))
	default:
		dynamic, _ := w.expression(field+".messageExpression", v.MessageExpression, w.with(false), cel.StringType)
		compiled.dynamic = dynamic.program
	}
	switch trimmed := strings.TrimSpace(v.Message); {
	case v.Message != "" && trimmed == "":
		w.add(object.InvalidField(field+".message", v.Message, "must be non-empty if specified"))
	case strings.Contains(trimmed, "\n"):
		w.add(object.InvalidField(field+".message", v.Message, "must not contain line breaks"))
	}
	switch compiled.reason {
	case object.ErrForbidden, object.ErrInvalid, object.ErrRequestEntityTooLarge:
	case "":
		compiled.reason = object.ErrInvalid
	default:
		w.add(object.UnsupportedField(field+".reason", v.Reason,
			string(object.ErrForbidden), string(object.ErrInvalid), string(object.ErrRequestEntityTooLarge)))
	}
	w.policy.validations = append(w.policy.validations, compiled)
}

func (w *work) annotations(annotations []AuditAnnotation) {
	if len(annotations) > maxAnnotations {
		// The message shows them by the names of fields in Go, as the API's does.
		type shown struct{ Key, ValueExpression string }
		all := make([]shown, len(annotations))
		for i, a := range annotations {
			all[i] = shown(a)
		}
		w.add(object.InvalidField("spec.auditAnnotations", all, fmt.Sprintf("must not have more than %d auditAnnotations", maxAnnotations)))
		return
	}
	seen := map[string]bool{}
	for i, a := range annotations {
		w.annotation(fmt.Sprintf("spec.auditAnnotations[%d]", i), a, seen)
	}
}

func (w *work) annotation(field string, a AuditAnnotation, seen map[string]bool) {
	key := w.policy.name + "/" + a.Key
	for _, problem := range object.ValidateLabelKey(key) {
		w.add(object.InvalidField(field+".key", key, problem))
	}
	switch text := strings.TrimSpace(a.ValueExpression); {
	case text == "":
		w.add(object.RequiredField(field+".valueExpression", "valueExpression is not specified"))
	case len(text) > maxValueExpression:
		w.add(object.RequiredField(field+".valueExpression", fmt.Sprintf("must not exceed %d bytes in length", maxValueExpression)))
	default:
		compiled, _ := w.shown(field+".valueExpression", text, a.ValueExpression, w.with(true), cel.StringType, cel.NullType)
		w.policy.annotations = append(w.policy.annotations, annotation{compiled, key})
	}
	if seen[a.Key] {
		w.add(object.DuplicateField(field+".key", a.Key))
	}
	seen[a.Key] = true
}

// with gives what expressions of the policy see.
func (w *work) with(authorizer bool) scopeOptions {
	options := w.base
	options.authorizer = authorizer
	return options
}

// isIdentifier says whether CEL takes a name for one.
func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	switch name {
	case "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
		"import", "let", "loop", "package", "namespace", "return", "var", "void", "while":
		return false
	}
	return name != ""
}
