package builtin

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// podGrace is how long a Pod is given to end. One that no node runs, or not any more,
// needs no time.
func podGrace(o object.Object, asked *int64) int64 {
	phase := corev1.PodPhase(text(o, "status", "phase"))
	if text(o, "spec", "nodeName") == "" || phase == corev1.PodFailed || phase == corev1.PodSucceeded {
		return 0
	}
	if asked != nil {
		return *asked
	}
	if own, ok := o.Field("spec", "terminationGracePeriodSeconds"); ok {
		if seconds, _ := own.(int64); seconds >= 0 {
			return seconds
		}
		return 1
	}
	return corev1.DefaultTerminationGracePeriodSeconds
}
