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

// podPresets are those of Pods.
func podPresets() *presets {
	return &presets{
		parts: []part{
			{"spec", onlyPodPresets()},
			{"spec", podSpecPresets()},
			{"status", podStatusPresets()},
		},
	}
}

func podStatusPresets() *presets {
	amounts, resources := amountPresets(), resourcePresets()
	container := &presets{parts: []part{{"allocatedResources", amounts}, {"resources", resources}}}
	return &presets{
		also: completeAddresses,
		parts: []part{
			{"initContainerStatuses", container},
			{"containerStatuses", container},
			{"ephemeralContainerStatuses", container},
			{"allocatedResources", amounts},
			{"resources", resources},
		},
	}
}

// completeAddresses makes the address of a pod the first of its addresses. If these
// differ, it is the one that counts.
func completeAddresses(status map[string]any) {
	address, all := text(status, "podIP"), list(status, "podIPs")
	var first string
	if len(all) > 0 {
		m, _ := all[0].(map[string]any)
		first = text(m, "ip")
	}
	switch {
	case address == "" && len(all) > 0:
		setDefault(status, "podIP", first)
	case address != first:
		status["podIPs"] = []any{map[string]any{"ip": address}}
	}
}

// preparePod says of a new pod what it will be to the nodes, and keeps the amounts of a
// whole pod, which older clients don't know.
func preparePod(next, old object.Object) {
	spec := mapping(next, "spec")
	if old != nil {
		if before := mapping(old, "spec"); spec != nil && spec["resources"] == nil && before["resources"] != nil {
			keep(spec, before, "resources")
		}
		keepEphemeral(next, old)
		return
	}
	selectLike(spec, mapping(next, "metadata", "labels"))
	completeWholePod(spec)
	status := ensure(next, "status")
	if gates := list(spec, "schedulingGates"); len(gates) > 0 {
		status["conditions"] = []any{gatedCondition()}
	}
	status["qosClass"] = string(qualityOf(spec))
}

// gatedCondition says that a pod is not to be given to a node yet.
func gatedCondition() map[string]any {
	return map[string]any{
		"type":               string(corev1.PodScheduled),
		"status":             string(corev1.ConditionFalse),
		"reason":             corev1.PodReasonSchedulingGated,
		"message":            "Scheduling is blocked due to non-empty scheduling gates",
		"lastProbeTime":      nil,
		"lastTransitionTime": now(),
	}
}

// keepPodStatus keeps what writers of the status may not know of.
func keepPodStatus(next, old object.Object) {
	status, before := ensure(next, "status"), mapping(old, "status")
	for _, name := range [...]string{"qosClass", "resourceClaimStatuses", "extendedResourceClaimStatus",
		"nodeAllocatableResourceClaimStatuses", "observedGeneration"} {
		keepMissing(status, before, name)
	}
	former := map[any][]map[string]any{}
	for condition := range mapsIn(before["conditions"]) {
		former[condition["type"]] = append(former[condition["type"]], condition)
	}
	for condition := range mapsIn(status["conditions"]) {
		if same := former[condition["type"]]; len(same) > 0 {
			keepMissing(condition, same[0], "observedGeneration")
			former[condition["type"]] = same[1:]
		}
	}
}
