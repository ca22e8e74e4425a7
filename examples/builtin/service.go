package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// defaultServiceType makes a service one of its cluster, unless it says otherwise.
func defaultServiceType(o object.Object) {
	if spec := ensure(o, "spec"); !has(spec, "type") {
		spec["type"] = string(corev1.ServiceTypeClusterIP)
	}
}
