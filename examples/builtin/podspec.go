package builtin

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// podSpecPresets are those of pods and of their templates.
func podSpecPresets() *presets {
	container := containerPresets()
	return &presets{
		also: completePodSpec,
		values: []preset{
			{"dnsPolicy", string(corev1.DNSClusterFirst)},
			{"restartPolicy", string(corev1.RestartPolicyAlways)},
			{"schedulerName", corev1.DefaultSchedulerName},
			{"terminationGracePeriodSeconds", int64(corev1.DefaultTerminationGracePeriodSeconds)},
		},
		parts: []part{
			{"containers", container},
			{"initContainers", container},
			{"ephemeralContainers", container},
			{"volumes", volumePresets()},
			{"overhead", amountPresets()},
			{"resources", resourcePresets()},
		},
	}
}

// templatePresets are those of what pods are made of.
func templatePresets() *presets { return at("template", at("spec", podSpecPresets())) }

// completePodSpec makes the two names of the service account one, and the context of
// security one that is there.
func completePodSpec(spec map[string]any) {
	if name, _ := spec["serviceAccountName"].(string); name != "" {
		spec["serviceAccount"] = name
	} else if name, _ := spec["serviceAccount"].(string); name != "" {
		spec["serviceAccountName"] = name
	}
	ensure(spec, "securityContext")
}

// onlyPodPresets are those of pods that templates don't have.
func onlyPodPresets() *presets {
	requests := at("resources", &presets{also: requestLimits})
	return &presets{
		also:   completeOnlyPod,
		values: []preset{{"enableServiceLinks", corev1.DefaultEnableServiceLinks}},
		parts:  []part{{"containers", requests}, {"initContainers", requests}},
	}
}

// completeOnlyPod allows no negative time to end, and gives ports of a pod on the
// network of its host the same number there.
func completeOnlyPod(spec map[string]any) {
	if seconds, ok := spec["terminationGracePeriodSeconds"].(int64); ok && seconds < 0 {
		spec["terminationGracePeriodSeconds"] = int64(1)
	}
	if spec["hostNetwork"] != true {
		return
	}
	for _, name := range [...]string{"containers", "initContainers"} {
		for container := range mapsIn(spec[name]) {
			for port := range mapsIn(container["ports"]) {
				if n, _ := port["hostPort"].(int64); n == 0 && port["containerPort"] != nil {
					port["hostPort"] = port["containerPort"]
				}
			}
		}
	}
}

// requestLimits makes of limits the requests that are missing.
func requestLimits(resources map[string]any) {
	limits := mapping(resources, "limits")
	requests := mapping(resources, "requests")
	switch {
	case len(limits) == 0:
	case requests == nil:
		resources["requests"] = maps.Clone(limits)
	default:
		for name, amount := range limits {
			setDefault(requests, name, amount)
		}
	}
}

func resourcePresets() *presets {
	amounts := amountPresets()
	return &presets{parts: []part{{"limits", amounts}, {"requests", amounts}}}
}
