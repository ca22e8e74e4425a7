package builtin

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The names of resources that need no group, beside those of huge pages.
var (
	countNames = []string{
		"pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
		"services.nodeports", "services.loadbalancers",
	}
	containerNames = []string{"cpu", "memory", "ephemeral-storage"}
	computeNames   = []string{
		"requests.cpu", "requests.memory", "requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage",
		"requests.storage",
	}
)

// isQuotaName says whether a quota can limit a resource of that name, which has no group.
func isQuotaName(name string) bool {
	return slices.Contains(countNames, name) || slices.Contains(containerNames, name) || slices.Contains(computeNames, name) ||
		strings.HasPrefix(name, "hugepages-") || strings.HasPrefix(name, "requests.hugepages-")
}

// isExtendedResource says whether a resource is one that nodes bring, of a group of its own.
func isExtendedResource(name string) bool {
	return !isNativeResource(name) && !strings.HasPrefix(name, "requests.") && len(validation.IsQualifiedName("requests."+name)) == 0
}

func isNativeResource(name string) bool {
	return !strings.Contains(name, "/") || strings.Contains(name, "kubernetes.io/")
}

// mayOvercommit says whether a node may promise more of a resource than it has, so that requests and
// limits may differ.
func mayOvercommit(resource string) bool {
	return isNativeResource(resource) && !strings.HasPrefix(resource, "hugepages-")
}

// checkResourceName checks the name of any resource.
func checkResourceName(path, name string) (errs object.FieldErrors) {
	for _, detail := range validation.IsQualifiedName(name) {
		errs = append(errs, object.InvalidField(path, name, detail))
	}
	if len(errs) == 0 && !strings.Contains(name, "/") && !isQuotaName(name) && name != "storage" {
		errs = append(errs, object.InvalidField(path, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}

// checkContainerResourceName checks the name of a resource that containers ask for.
func checkContainerResourceName(path, name string) object.FieldErrors {
	errs := checkResourceName(path, name)
	switch {
	case !strings.Contains(name, "/"):
		if !slices.Contains(containerNames, name) && !strings.HasPrefix(name, "hugepages-") {
			errs = append(errs, object.InvalidField(path, name, "must be a standard resource for containers"))
		}
	case !isNativeResource(name) && !isExtendedResource(name):
		errs = append(errs, object.InvalidField(path, name, "doesn't follow extended resource name standard"))
	}
	return errs
}
