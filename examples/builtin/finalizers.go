package builtin

import "github.com/seed-6c0fa0ad/plinth/object"

// named puts in front of a kind's checks what the core groups want of finalizers:
// that their names are qualified.
func named(check validate) validate {
	return func(next, old object.Object) object.FieldErrors {
		return append(object.ValidateQualifiedFinalizers(next), check(next, old)...)
	}
}

// nothing is the checks of a kind that has none.
func nothing(object.Object, object.Object) object.FieldErrors { return nil }
