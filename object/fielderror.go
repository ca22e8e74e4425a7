package object

import (
	"encoding/json"
	"fmt"
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
	FieldValueTooShort     FieldErrorType = "FieldValueTooShort"
	FieldValueTooMany      FieldErrorType = "FieldValueTooMany"
	FieldValueTooFew       FieldErrorType = "FieldValueTooFew"
	FieldInternalError     FieldErrorType = "InternalError"
)

// title is how a message begins.
func (t FieldErrorType) title() string {
	switch t {
	case FieldValueNotFound:
		return "Not found"
	case FieldValueRequired:
		return "Required value"
	case FieldValueDuplicate:
		return "Duplicate value"
	case FieldValueInvalid, FieldValueTypeInvalid:
		return "Invalid value"
	case FieldValueNotSupported:
		return "Unsupported value"
	case FieldValueForbidden:
		return "Forbidden"
	case FieldValueTooLong:
		return "Too long"
	case FieldValueTooShort:
		return "Too short"
	case FieldValueTooMany:
		return "Too many"
	case FieldValueTooFew:
		return "Too few"
	case FieldInternalError:
		return "Internal error"
	}
	return fmt.Sprintf("<unknown error %q>", string(t))
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
	text := e.Type.title()
	switch e.Type {
	case FieldValueRequired, FieldValueForbidden, FieldValueTooLong, FieldValueTooShort, FieldInternalError:
	default:
		if e.Value != (OmittedValue{}) {
			text += ": " + formatFieldValue(e.Value)
		}
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// OmittedValue as the value of a [FieldError] says that the message shows none, where
// the value would be too large.
type OmittedValue struct{}

// textAsJSON is a text that messages show as JSON, since the API has a type of its own for it.
type textAsJSON string

// formatFieldValue shows texts quoted, numbers and booleans plain and all else as
// JSON. As in the API, that goes by the exact type.
func formatFieldValue(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case int64, int32, float64, float32, bool:
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

// causes are the errors as a Status lists them. Unlike the message, the list
// keeps repetitions, as that of the API does.
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

// DuplicateField reports a value that must occur once and occurs again.
func DuplicateField(field string, value any) *FieldError {
	return &FieldError{Type: FieldValueDuplicate, Field: field, Value: value}
}

// NotFoundField reports a value that names something that is not there.
func NotFoundField(field string, value any) *FieldError {
	return &FieldError{Type: FieldValueNotFound, Field: field, Value: value}
}

// TypeInvalidField reports a value of the wrong type.
func TypeInvalidField(field string, value any, detail string) *FieldError {
	return &FieldError{Type: FieldValueTypeInvalid, Field: field, Value: value, Detail: detail}
}

// InternalField reports a failure to check a field that is not the fault of its value.
func InternalField(field string, err error) *FieldError {
	return &FieldError{Type: FieldInternalError, Field: field, Detail: err.Error()}
}

// TooLongField reports a value of more than limit bytes.
func TooLongField(field string, limit int) *FieldError {
	return &FieldError{Type: FieldValueTooLong, Field: field, Detail: "may not be more than " + count(limit, "byte")}
}

// TooShortField reports a value of less than limit characters.
func TooShortField(field string, limit int) *FieldError {
	return &FieldError{Type: FieldValueTooShort, Field: field, Detail: "must be at least " + count(limit, "character")}
}

// TooManyField reports a list of more than limit items.
func TooManyField(field string, actual, limit int) *FieldError {
	return &FieldError{Type: FieldValueTooMany, Field: field, Value: actual, Detail: "must have at most " + count(limit, "item")}
}

// TooFewField reports a list of less than limit items.
func TooFewField(field string, actual, limit int) *FieldError {
	return &FieldError{Type: FieldValueTooFew, Field: field, Value: actual, Detail: "must have at least " + count(limit, "item")}
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

// UnsupportedField reports a value that is none of those allowed, which are shown in the order given.
func UnsupportedField(field string, value any, allowed ...string) *FieldError {
	e := &FieldError{Type: FieldValueNotSupported, Field: field, Value: value}
	for i, s := range allowed {
		if i > 0 {
			e.Detail += ", "
		} else {
			e.Detail = "supported values: "
		}
		e.Detail += strconv.Quote(s)
	}
	return e
}
