package definition

import (
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
)

// Version is one version of a definition.
type Version struct {
	Name               string
	Kind               object.GroupVersionKind
	Namespaced         bool
	Served, Storage    bool
	Deprecated         bool
	DeprecationWarning string // for the Warning header of each answer; empty unless deprecated

	Schema           *schema.Schema // nil if all fields are unknown and kept
	Status           bool           // whether status is a subresource
	Scale            *Scale         // nil if scale is none
	Columns          []Column       // as declared; empty for the usual ones
	SelectableFields []SelectableField

	preserve bool // keep unknown fields of all objects
	rules    func() *rules.Rules
}

// Prepare changes an object of a client before it is validated: it takes away the
// status, or puts back the old one, where status is a subresource. Old is nil on a
// create.
func (v *Version) Prepare(next, old object.Object) {
	if !v.Status {
		return
	}
	status, ok := old["status"]
	if !ok {
		delete(next, "status")
		return
	}
	next["status"] = status
}

// PrepareStatus changes an object written through its status subresource: all but
// the status and metadata.managedFields is put back.
func (v *Version) PrepareStatus(next, old object.Object) {
	status, hasStatus := next["status"]
	fields, hasFields := next.Metadata()["managedFields"]
	clear(next)
	for name, value := range old.DeepCopy() {
		next[name] = value
	}
	delete(next.Metadata(), "managedFields")
	if hasFields {
		next.EnsureMetadata()["managedFields"] = fields
	}
	delete(next, "status")
	if hasStatus {
		next["status"] = status
	}
}
