package builtin

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// qualityOf says how much a pod can rely on: on all that it may take, on some of it, or
// on nothing.
func qualityOf(spec map[string]any) corev1.PodQOSClass {
	if amounts.SetForWholePod(object.Object{"spec": spec}) {
		return qualityOfPart(mapping(spec, "resources"))
	}
	var class corev1.PodQOSClass
	for _, name := range containerFields {
		for container := range mapsIn(spec[name]) {
			own := qualityOfPart(mapping(container, "resources"))
			if class != "" && own != class {
				return corev1.PodQOSBurstable
			}
			class = own
		}
	}
	if class == "" {
		return corev1.PodQOSBestEffort
	}
	return class
}

// qualityOfPart is the quality of one container, or of a whole pod.
func qualityOfPart(resources map[string]any) corev1.PodQOSClass {
	cpu, memory := qualityOfAmount(resources, "cpu"), qualityOfAmount(resources, "memory")
	if cpu != memory {
		return corev1.PodQOSBurstable
	}
	return cpu
}

func qualityOfAmount(resources map[string]any, name string) corev1.PodQOSClass {
	request, limit := mapping(resources, "requests")[name], mapping(resources, "limits")[name]
	if request == nil && limit == nil {
		return corev1.PodQOSBestEffort
	}
	least := amountOf(request)
	switch {
	case least.Compare(amountOf(limit)) != 0:
		return corev1.PodQOSBurstable
	case least.Sign() == 0:
		return corev1.PodQOSBestEffort
	}
	return corev1.PodQOSGuaranteed
}

// completeWholePod gives a pod that says something of what it takes as a whole the rest,
// from its containers.
func completeWholePod(spec map[string]any) {
	whole := mapping(spec, "resources")
	if len(mapping(whole, "requests")) == 0 && len(mapping(whole, "limits")) == 0 {
		return
	}
	containers := object.Object{"spec": map[string]any{"containers": spec["containers"], "initContainers": spec["initContainers"]}}
	requests, err := amounts.Spec(containers, amounts.Requests)
	if err != nil {
		return // which is for the checks to say
	}
	limits, err := amounts.Spec(containers, amounts.Limits)
	if err != nil {
		return
	}
	for name, amount := range limits {
		if strings.HasPrefix(name, corev1.ResourceHugePagesPrefix) && !has(mapping(whole, "requests"), name) {
			setDefault(ensure(whole, "limits"), name, amount.String())
		}
	}
	completeWholeRequests(whole, requests)
	completeWholeLimits(whole, limits, spec)
}

// completeWholeRequests makes requests of those of the containers, or else of the limits.
func completeWholeRequests(whole map[string]any, ofContainers amounts.Amounts) {
	for name, amount := range ofContainers {
		if name == "cpu" || name == "memory" {
			setDefault(ensure(whole, "requests"), name, amount.String())
		}
	}
	for name, amount := range mapping(whole, "limits") {
		if amounts.IsOfWholePod(name) {
			setDefault(ensure(whole, "requests"), name, amount)
		}
	}
}

// completeWholeLimits makes limits of those of the containers where each of them has one.
func completeWholeLimits(whole map[string]any, ofContainers amounts.Amounts, spec map[string]any) {
	for name, v := range mapping(whole, "requests") {
		limit, ok := ofContainers[name]
		if !ok || !amounts.IsOfWholePod(name) || has(mapping(whole, "limits"), name) || !allLimit(spec, name) {
			continue
		}
		if request := amountOf(v); request.Compare(limit) > 0 {
			limit = request
		}
		ensure(whole, "limits")[name] = limit.String()
	}
}

func allLimit(spec map[string]any, resource string) bool {
	for _, name := range [...]string{"containers", "initContainers", "ephemeralContainers"} {
		for container := range mapsIn(spec[name]) {
			if !has(mapping(container, "resources", "limits"), resource) {
				return false
			}
		}
	}
	return true
}
