package definition

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// deprecationWarning is what clients of a deprecated version are told unless the
// definition says otherwise: it points to the highest version above that isn't.
func deprecationWarning(gvk object.GroupVersionKind, versions []version) string {
	warning := fmt.Sprintf("%s %s is deprecated", gvk.GroupVersion(), gvk.Kind)
	best := ""
	for _, v := range versions {
		if v.served && !v.deprecated && CompareVersions(v.name, gvk.Version) > 0 && (best == "" || CompareVersions(v.name, best) > 0) {
			best = v.name
		}
	}
	if best == "" {
		return warning
	}
	return fmt.Sprintf("%s; use %s/%s %s", warning, gvk.Group, best, gvk.Kind)
}
