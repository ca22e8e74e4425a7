package builtin

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Leases describes coordination.k8s.io/v1 Leases.
func Leases() server.Resource {
	return server.Resource{
		Group: "coordination.k8s.io", Plural: "leases", Kind: "Lease", Namespaced: true,
		Versions: []server.Version{{
			Name:  "v1",
			Codec: Codec[coordinationv1.Lease](),
			Columns: []server.Column{
				{
					Name: "Holder", Type: "string", Description: "Who holds the lease.",
					Value: func(o object.Object) any { return text(o, "spec", "holderIdentity") },
				},
				age(),
			},
		}},
		CreateOnUpdate:  true,
		VersionedUpdate: true,
		Rules:           server.Rules{Prepare: prepareLease, Validate: validateLease},
	}
}

// prepareLease drops what coordinated leader election uses, which is off unless
// a cluster asks for it.
func prepareLease(next, old object.Object) {
	spec := mapping(next, "spec")
	for _, name := range []string{"strategy", "preferredHolder"} {
		if !has(mapping(old, "spec"), name) {
			delete(spec, name)
		}
	}
}

func validateLease(next, _ object.Object) object.FieldErrors {
	var errs object.FieldErrors
	spec := mapping(next, "spec")
	if n, ok := spec["leaseDurationSeconds"].(int64); ok && n <= 0 {
		errs = append(errs, object.InvalidField("spec.leaseDurationSeconds", n, "must be greater than 0"))
	}
	if n, ok := spec["leaseTransitions"].(int64); ok && n < 0 {
		errs = append(errs, object.InvalidField("spec.leaseTransitions", n, "must be greater than or equal to 0"))
	}
	return errs
}
