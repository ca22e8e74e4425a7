package gc

import "github.com/seed-6c0fa0ad/plinth/object"

// Removable says whether an object is being deleted and nothing keeps it: no
// finalizers and no grace period are left.
func Removable(o object.Object) bool {
	if _, marked := o.Metadata()["deletionTimestamp"]; !marked {
		return false
	}
	grace, _ := o.DeletionGracePeriodSeconds()
	return grace == 0 && len(o.Finalizers()) == 0
}
