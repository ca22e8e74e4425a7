package storage

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// PrepareUpdate keeps what no update may change: the creation time; once the
// object is being deleted, the deletion time and that there is a grace period; and the uid, unless
// next names one (which validation compares). It changes next only.
func PrepareUpdate(next, old object.Object) {
	m, was := next.EnsureMetadata(), old.Metadata()
	for _, name := range []string{"creationTimestamp", "deletionTimestamp"} {
		if v, ok := was[name]; ok {
			m[name] = v
		}
	}
	delete(m, "selfLink") // the API gave it up
	if next.UID() == "" {
		next.SetUID(old.UID())
	}
	if seconds, ok := old.DeletionGracePeriodSeconds(); ok {
		if _, set := next.DeletionGracePeriodSeconds(); !set {
			next.SetDeletionGracePeriodSeconds(seconds)
		}
	}
}

// PrepareGeneration sets the generation of the next state of an object: 1 at
// first (old is nil), and one more whenever what is wanted has changed.
func PrepareGeneration(next, old object.Object) {
	switch {
	case old == nil:
		next.SetGeneration(1)
	case WantChanged(next, old):
		next.SetGeneration(old.Generation() + 1)
	default:
		next.SetGeneration(old.Generation())
	}
}

// WantChanged says whether the two states differ in what is wanted: in anything
// but type, metadata and status.
func WantChanged(next, old object.Object) bool {
	wanted := 0
	for name, value := range next {
		if !isWanted(name) {
			continue
		}
		wanted++
		if before, ok := old[name]; !ok || !object.EqualValues(value, before) {
			return true
		}
	}
	for name := range old {
		if isWanted(name) {
			wanted--
		}
	}
	return wanted != 0
}

func isWanted(field string) bool {
	switch field {
	case "kind", "apiVersion", "metadata", "status":
		return false
	}
	return true
}
