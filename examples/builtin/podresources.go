package builtin

import (
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// This file is about what the containers of a pod ask for and may not exceed.

// containerFields are those of a pod that list containers which have resources.
var containerFields = []string{"containers", "initContainers"}

// defaultRequests lets containers of a pod request what they are limited to, unless they say
// otherwise. Templates of pods stay as they are.
func defaultRequests(pod object.Object) {
	for _, field := range containerFields {
		for _, c := range amounts.Containers(pod, field) {
			if limits := mapping(c, "resources", "limits"); len(limits) > 0 {
				setMissing(mapping(c, "resources"), "requests", "limits")
			}
		}
	}
}

// validatePodResources checks that no request is above its limit, and that what nodes cannot
// promise twice is not requested in part.
func validatePodResources(pod, _ object.Object) (errs object.FieldErrors) {
	for _, field := range containerFields {
		for i, c := range amounts.Containers(pod, field) {
			path := "spec." + field + "[" + strconv.Itoa(i) + "].resources."
			errs = append(errs, checkRequests(path, mapping(c, "resources", "requests"), mapping(c, "resources", "limits"))...)
		}
	}
	return errs
}

func checkRequests(path string, requests, limits map[string]any) (errs object.FieldErrors) {
	for _, part := range []struct {
		name    string
		amounts map[string]any
	}{{"limits", limits}, {"requests", requests}} {
		for _, name := range slices.Sorted(maps.Keys(part.amounts)) {
			errs = append(errs, checkContainerResourceName(path+keyed(part.name, name), name)...)
			errs = append(errs, checkQuotaAmount(path+keyed(part.name, name), name, amountOf(part.amounts[name]))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		request, limit := amountOf(requests[name]), amountOf(limits[name])
		invalid := func(relation string) {
			errs = append(errs, object.InvalidField(path+"requests", request.String(), "must be "+relation+" "+name+" limit of "+limit.String()))
		}
		switch above := request.Compare(limit); {
		case !has(limits, name) && !mayOvercommit(name):
			errs = append(errs, object.RequiredField(path+"limits", "Limit must be set for non overcommitable resources"))
		case !has(limits, name):
		case above != 0 && !mayOvercommit(name):
			invalid("equal to")
		case above > 0:
			invalid("less than or equal to")
		}
	}
	return errs
}

// beginPod completes the status of a new pod.
func beginPod(pod object.Object) { ensure(pod, "status")["qosClass"] = string(qualityOf(pod)) }

// qualityOf says how much a pod can rely on what it asks for.
func qualityOf(pod object.Object) corev1.PodQOSClass {
	if amounts.SetForWholePod(pod) {
		return quality(mapping(pod, "spec", "resources"))
	}
	var class corev1.PodQOSClass
	for _, field := range containerFields {
		for _, c := range amounts.Containers(pod, field) {
			own := quality(mapping(c, "resources"))
			if class != "" && class != own {
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

// quality is that of one container: guaranteed is what has limits of both that it requests in full.
func quality(resources object.Object) corev1.PodQOSClass {
	guaranteed := 0
	for _, name := range []string{"cpu", "memory"} {
		request, limit := amountOf(mapping(resources, "requests")[name]), amountOf(mapping(resources, "limits")[name])
		switch {
		case request.Compare(limit) != 0:
			return corev1.PodQOSBurstable
		case request.Sign() != 0:
			guaranteed++
		}
	}
	return []corev1.PodQOSClass{corev1.PodQOSBestEffort, corev1.PodQOSBurstable, corev1.PodQOSGuaranteed}[guaranteed]
}
