package definition

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Verdict is what a server would say to the write of an object.
type Verdict struct {
	// Unknown are the paths of fields that the definition doesn't know, in the API's
	// order. A client may want to be refused for them (fieldValidation=Strict);
	// others lose them and are warned.
	Unknown  []string
	Warnings []string           // besides those of unknown fields
	Errors   object.FieldErrors // for which the object is refused
}

// Check says what a server would make of an object that a client writes in a version,
// in place of old if that is not nil, without one: object is what would be stored,
// with fields pruned and defaults set, but for metadata that only a server gives. The
// cost of rules is limited as there. Next and old stay as they are.
//
// An error says that the object cannot be looked at at all: there is no such version,
// or its metadata has the wrong types.
func (d *Definition) Check(version string, next, old object.Object) (stored object.Object, verdict Verdict, err error) {
	v := d.Version(version)
	if v == nil {
		return nil, Verdict{}, fmt.Errorf("checking %s: %s has no version %q", next, d.Name, version)
	}
	next, old = next.DeepCopy(), old.DeepCopy()
	if verdict.Unknown, err = v.Decode(next); err != nil {
		return nil, Verdict{}, object.BadRequest("%v", err)
	}
	if old != nil {
		v.Read(old)
		completeMetadata(next, old)
	}
	v.Prepare(next, old)
	if verdict.Errors = v.typeErrors(next); len(verdict.Errors) > 0 {
		return next, verdict, nil
	}
	verdict.Errors = append(v.metadataErrors(next, old), v.Validate(next, old)...)
	verdict.Warnings = v.Warnings(next, old)
	if v.DeprecationWarning != "" {
		verdict.Warnings = append([]string{v.DeprecationWarning}, verdict.Warnings...)
	}
	return next, verdict, nil
}

// completeMetadata gives an object the metadata of the one in its place that a client
// need not repeat.
func completeMetadata(next, old object.Object) {
	for _, name := range []string{"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "namespace"} {
		if _, ok := next.Metadata()[name]; ok {
			continue
		}
		if value, ok := old.Metadata()[name]; ok {
			next.EnsureMetadata()[name] = value
		}
	}
}
