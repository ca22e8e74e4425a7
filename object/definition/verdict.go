package definition

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Verdict is what a server has to say on an object.
type Verdict struct {
	// Unknown are the fields that the definition doesn't know: a strict client's
	// object is refused for them, others are warned of them and lose them.
	Unknown  []string
	Warnings []string           // that the answer carries, besides those of Unknown
	Errors   object.FieldErrors // that the object is refused for; none if it is fine
	Err      error              // what keeps it from being looked at, in the API's words
}
