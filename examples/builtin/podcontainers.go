package builtin

import (
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// validatePod checks what a pod cannot do without: containers with names and images, and what
// these ask for. The rest of what the API checks is not looked at.
func validatePod(pod, old object.Object) (errs object.FieldErrors) {
	if len(list(pod, "spec", "containers")) == 0 {
		errs = append(errs, object.RequiredField("spec.containers", ""))
	}
	if old == nil && len(list(pod, "spec", ephemeralField)) > 0 {
		errs = append(errs, object.ForbiddenField("spec."+ephemeralField, "cannot be set on create"))
	}
	seen := map[string]bool{}
	for _, field := range containerFields {
		for i, c := range amounts.Containers(pod, field) {
			errs = append(errs, checkContainer("spec."+field+"["+strconv.Itoa(i)+"]", c, seen)...)
		}
	}
	return append(errs, validatePodResources(pod, old)...)
}

// checkContainer checks name and image. The names of all containers are in seen.
func checkContainer(path string, c object.Object, seen map[string]bool) (errs object.FieldErrors) {
	name := text(c, "name")
	problems := object.ValidateLabelName(name, false)
	switch {
	case name == "":
		errs = append(errs, object.RequiredField(path+".name", ""))
	case len(problems) > 0:
		errs = append(errs, object.InvalidField(path+".name", name, problems[0]))
	case seen[name]:
		errs = append(errs, object.DuplicateField(path+".name", name))
	}
	seen[name] = true
	switch image := text(c, "image"); {
	case image == "":
		errs = append(errs, object.RequiredField(path+".image", ""))
	case strings.TrimSpace(image) != image:
		errs = append(errs, object.InvalidField(path+".image", image, "must not have leading or trailing whitespace"))
	}
	return errs
}
