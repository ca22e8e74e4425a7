package storage

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Preconditions must hold for a write to go ahead; those that are empty always do.
type Preconditions struct {
	UID             string
	ResourceVersion string
}

// Check fails with Conflict, in the API's words, if the object is not as required.
func (p Preconditions) Check(gr object.GroupResource, o object.Object) error {
	if p.UID != "" && p.UID != o.UID() {
		//lint:ignore ST1005 the API's words
		return object.Conflict(gr, o.Name(), fmt.Errorf(
			"Precondition failed: UID in precondition: %s, UID in object meta: %s", p.UID, o.UID()))
	}
	if p.ResourceVersion != "" && p.ResourceVersion != o.ResourceVersion() {
		//lint:ignore ST1005 the API's words
		return object.Conflict(gr, o.Name(), fmt.Errorf(
			"Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s",
			p.ResourceVersion, o.ResourceVersion()))
	}
	return nil
}
