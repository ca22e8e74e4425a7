package controllertest

import (
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// working says whether a controller of this process has something in its queue or in the
// works. What is to be looked at later does not count. The queues are reached through their
// metrics alone, which all managers share: so another test's controller counts too.
func working() bool {
	families, err := metrics.Registry.Gather()
	if err != nil {
		return true
	}
	for _, family := range families {
		switch family.GetName() {
		case "workqueue_depth", "controller_runtime_active_workers":
			for _, m := range family.GetMetric() {
				if m.GetGauge().GetValue() > 0 {
					return true
				}
			}
		}
	}
	return false
}
