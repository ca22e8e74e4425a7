package object

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// FieldErrorType is the reason of a [FieldError], as it stands in a cause.
type FieldErrorType string

// The types of field errors that the API knows.
const (
	FieldValueNotFound     FieldErrorType = "FieldValueNotFound"
	FieldValueRequired     FieldErrorType = "FieldValueRequired"
	FieldValueDuplicate    FieldErrorType = "FieldValueDuplicate"
	FieldValueInvalid      FieldErrorType = "FieldValueInvalid"
	FieldValueTypeInvalid  FieldErrorType = "FieldValueTypeInvalid"
	FieldValueNotSupported FieldErrorType = "FieldValueNotSupported"
	FieldValueForbidden    FieldErrorType = "FieldValueForbidden"
	FieldValueTooLong      FieldErrorType = "FieldValueTooLong"
	FieldValueTooMany      FieldErrorType = "FieldValueTooMany"
	FieldInternalError     FieldErrorType = "InternalError"
)

var fieldErrorTitles = map[FieldErrorType]string{
	FieldValueNotFound:     "Not found",
	FieldValueRequired:     "Required value",
	FieldValueDuplicate:    "Duplicate value",
	FieldValueInvalid:      "Invalid value",
	FieldValueTypeInvalid:  "Invalid value",
	FieldValueNotSupported: "Unsupported value",
	FieldValueForbidden:    "Forbidden",
	FieldValueTooLong:      "Too long",
	FieldValueTooMany:      "Too many",
	FieldInternalError:     "Internal error",
}

// FieldError says what is wrong with one field of an object.
type FieldError struct {
	Type   FieldErrorType
	Field  string // dotted path, e.g. "metadata.ownerReferences[0].uid"
	Value  any    // the offending value, shown by the types that show one
	Detail string
}

// Error gives "field: Title: value: detail".
func (e *FieldError) Error() string { return e.Field + ": " + e.Body() }

// Body is the message without the field, as it stands in a cause.
func (e *FieldError) Body() string {
	parts := []string{fieldErrorTitles[e.Type]}
	switch e.Type {
	case FieldValueRequired, FieldValueForbidden, FieldValueTooLong, FieldInternalError:
	default:
		parts = append(parts, formatFieldValue(e.Value))
	}
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	return strings.Join(parts, ": ")
}

// formatFieldValue shows texts quoted, numbers and booleans plain and all else as JSON.
func formatFieldValue(v any) string {
	switch rv := reflect.ValueOf(v); rv.Kind() {
	case reflect.Invalid:
		return "null"
	case reflect.String:
		return strconv.Quote(rv.String())
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return fmt.Sprint(v)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprintf("%#v", v)
	}
	return string(data)
}

// FieldErrors are the errors of one object, in the order found.
type FieldErrors []*FieldError

// Error gives the one message, or "[first, second]" with repetitions left out.
func (errs FieldErrors) Error() string {
	seen := make(map[string]bool, len(errs))
	var texts []string
	for _, e := range errs {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

func (errs FieldErrors) causes() []Cause {
	causes := make([]Cause, len(errs))
	for i, e := range errs {
		causes[i] = Cause{Reason: string(e.Type), Message: e.Body(), Field: e.Field}
	}
	return causes
}

// InvalidField reports a value that breaks a rule.
func InvalidField(field string, value any, detail string) *FieldError {
	return &FieldError{Type: FieldValueInvalid, Field: field, Value: value, Detail: detail}
}

// RequiredField reports a value that is missing.
func RequiredField(field, detail string) *FieldError {
	return &FieldError{Type: FieldValueRequired, Field: field, Detail: detail}
}

// ForbiddenField reports a value that may not be set here.
func ForbiddenField(field, detail string) *FieldError {
	return &FieldError{Type: FieldValueForbidden, Field: field, Detail: detail}
}

// TooLongField reports a value of more than limit bytes.
func TooLongField(field string, limit int) *FieldError {
	return &FieldError{Type: FieldValueTooLong, Field: field, Detail: fmt.Sprintf("may not be more than %d bytes", limit)}
}

// UnsupportedField reports a value that is none of those allowed, which are shown in the order given.
func UnsupportedField(field string, value any, allowed ...string) *FieldError {
	quoted := make([]string, len(allowed))
	for i, s := range allowed {
		quoted[i] = strconv.Quote(s)
	}
	return &FieldError{
		Type: FieldValueNotSupported, Field: field, Value: value,
		Detail: "supported values: " + strings.Join(quoted, ", "),
	}
}
