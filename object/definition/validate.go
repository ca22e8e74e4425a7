package definition

import "github.com/seed-6c0fa0ad/plinth/object"

// Validate says what is wrong with a definition that a client writes, in the API's
// words and order: in the whole of it, metadata included. Old is nil on a create. On
// an update, some checks are left out that the old one doesn't pass either.
func Validate(next, old object.Object) object.FieldErrors {
	return nil
}

// ValidateStatus is [Validate] for a write through the status subresource.
func ValidateStatus(next, old object.Object) object.FieldErrors {
	return nil
}

// Warnings gives what the API warns of in a definition, on a create when old is nil
// or an update, although it is valid.
func Warnings(next, old object.Object) []string {
	return nil
}
