package builtin

import "github.com/seed-6c0fa0ad/plinth/object"

// validate is the shape of a kind's own checks.
type validate = func(next, old object.Object) object.FieldErrors

// named puts in front of a kind's checks what the core groups want of finalizers:
// that their names are qualified.
func named(check validate) validate {
	return func(next, old object.Object) object.FieldErrors {
		return append(object.ValidateQualifiedFinalizers(next), check(next, old)...)
	}
}

// nothing is the checks of a kind that has none.
func nothing(object.Object, object.Object) object.FieldErrors { return nil }
