package builtin

import (
	"maps"
	"slices"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// containerFields are those of a pod that list containers which have resources.
var containerFields = []string{"containers", "initContainers"}

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
