package schema

import (
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// reason is a text that messages show as JSON, since the API has a type of its own
// for it.
type reason string

// rule checks the form of a rule.
func (c *nodeChecker) rule(s *Schema, r *Rule, field string) {
	message := strings.TrimSpace(r.Message)
	rule := strings.TrimSpace(r.Rule)
	switch {
	case rule == "":
		c.required(child(field, "rule"), "rule is not specified")
	case r.Message != "" && message == "":
		c.invalid(child(field, "message"), r.Message, "must be non-empty if specified")
	case hasLineBreaks(message):
		c.invalid(child(field, "message"), r.Message, "must not contain line breaks")
	case hasLineBreaks(rule) && message == "":
		c.required(child(field, "message"), "message must be specified if rule contains line breaks")
	}
	if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
		c.required(child(field, "messageExpression"), "messageExpression must be non-empty if specified")
	}
	switch r.Reason {
	case "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired":
	default:
		if r.Reason == "" && !r.emptyReason {
			break
		}
		c.errs = append(c.errs, object.UnsupportedField(c.path(child(field, "reason")), reason(r.Reason),
			"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"))
	}
	if r.FieldPath != "" {
		c.fieldPath(s, r.FieldPath, child(field, "fieldPath"))
	}
}

func (c *nodeChecker) fieldPath(s *Schema, path, field string) {
	if strings.TrimSpace(path) == "" {
		c.invalid(field, path, "must be non-empty if specified")
	}
	if hasLineBreaks(path) {
		c.invalid(field, path, "must not contain line breaks")
	}
	if _, _, err := s.FieldPath(path); err != nil && s.unsupported() == "" {
		c.invalid(field, path, "must be a valid path")
	}
}

func hasLineBreaks(s string) bool { return strings.ContainsAny(s, "\n\r") }
