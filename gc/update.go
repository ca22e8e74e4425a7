package gc

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Removable says whether an object is being deleted and nothing keeps it: no
// finalizers and no grace period are left.
func Removable(o object.Object) bool {
	if _, marked := o.Metadata()["deletionTimestamp"]; !marked {
		return false
	}
	grace, _ := o.DeletionGracePeriodSeconds()
	return grace == 0 && len(o.Finalizers()) == 0
}

// KeepMarks makes an update keep what a deletion has set: it puts old's
// deletionTimestamp into next, and its deletionGracePeriodSeconds where next has
// none. Call it before [ValidateMarks].
func KeepMarks(next, old object.Object) {
	had := old.Metadata()
	if v := had["deletionTimestamp"]; v != nil {
		next.EnsureMetadata()["deletionTimestamp"] = v
	}
	if v := had["deletionGracePeriodSeconds"]; v != nil && next.Metadata()["deletionGracePeriodSeconds"] == nil {
		next.EnsureMetadata()["deletionGracePeriodSeconds"] = v
	}
}

// ValidateMarks says what an update does to the marks of a deletion that only a
// DELETE may do. An object that is being deleted gets no new finalizers.
func ValidateMarks(next, old object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if old.Metadata()["deletionTimestamp"] != nil {
		if names := added(next.Finalizers(), old.Finalizers()); len(names) > 0 {
			errs = append(errs, object.ForbiddenField("metadata.finalizers",
				fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", names)))
		}
	}
	for _, name := range []string{"deletionTimestamp", "deletionGracePeriodSeconds"} {
		if is, was := next.Metadata()[name], old.Metadata()[name]; !reflect.DeepEqual(is, was) {
			errs = append(errs, object.InvalidField("metadata."+name, is, "field is immutable"))
		}
	}
	return errs
}

// added are the names in next and not in old, sorted, each once.
func added(next, old []string) []string {
	known := make(map[string]bool, len(old))
	for _, name := range old {
		known[name] = true
	}
	names := slices.DeleteFunc(slices.Clone(next), func(name string) bool { return known[name] })
	slices.Sort(names)
	return slices.Compact(names)
}
