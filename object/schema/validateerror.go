package schema

import (
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// add words a problem of the value at hand. The format's first verb is its path.
func (v *validator) add(t object.FieldErrorType, value any, format string, args ...any) {
	v.addText(t, value, fmt.Sprintf(format, append([]any{v.path()}, args...)...))
}

func (v *validator) addText(t object.FieldErrorType, value any, text string) {
	v.addError(text, &object.FieldError{Type: t, Field: v.fieldOf(v.path()), Value: value, Detail: text})
}

func (v *validator) addError(text string, e *object.FieldError) {
	v.problems = append(v.problems, problem{text, e})
}

// addRequired words that a field of the object at hand is missing.
func (v *validator) addRequired(name string) {
	path := v.path() + "." + name
	v.addError(path+" in body is required", object.RequiredField(v.fieldOf(path), ""))
}

// addPlaceless words a problem to which the API gives no place but in the text.
func (v *validator) addPlaceless(text string) {
	v.addError(text, object.InvalidField(v.fieldOf(""), "", text))
}

// fieldOf makes a field of a path in messages.
func (v *validator) fieldOf(path string) string {
	path = strings.TrimPrefix(path, ".")
	switch {
	case path != "":
		return child(v.root, path)
	case v.root != "":
		return v.root
	}
	return "<nil>"
}
