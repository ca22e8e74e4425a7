package builtin

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

const ephemeralField = "ephemeralContainers"

// ephemeralContainers is the endpoint by which containers are added to a pod that runs.
func ephemeralContainers() server.Subresource {
	return server.Subresource{
		Name: "ephemeralcontainers", Verbs: []string{"get", "patch", "update"},
		Rules: server.Rules{
			Prepare:  keepAllButEphemeral,
			Validate: validateEphemeral,
			Changes:  apply.Except("status"),
		},
	}
}

// keepAllButEphemeral takes nothing but these containers from a write of the endpoint.
func keepAllButEphemeral(next, old object.Object) {
	added, given := mapping(next, "spec")[ephemeralField]
	for _, part := range []string{"spec", "status"} {
		keep(next, old, part)
	}
	for _, name := range []string{"labels", "annotations", "finalizers", "ownerReferences"} {
		keep(next.EnsureMetadata(), old.Metadata(), name)
	}
	spec := ensure(next, "spec")
	if delete(spec, ephemeralField); given && added != nil {
		spec[ephemeralField] = added
	}
}

// keepEphemeral keeps them as they are in writes of the pod itself.
func keepEphemeral(next, old object.Object) {
	if spec := mapping(next, "spec"); spec != nil {
		keep(spec, mapping(old, "spec"), ephemeralField)
	}
}

// validateEphemeral checks containers that are added: those that are there stay as they are.
func validateEphemeral(next, old object.Object) (errs object.FieldErrors) {
	const field = "spec." + ephemeralField
	seen := map[string]bool{}
	for _, others := range containerFields {
		for _, c := range amounts.Containers(next, others) {
			seen[text(c, "name")] = true
		}
	}
	all := amounts.Containers(next, ephemeralField)
	for i, c := range all {
		path := field + "[" + strconv.Itoa(i) + "]"
		errs = append(errs, checkContainer(path, c, seen)...)
		if target := text(c, "targetContainerName"); target != "" && !isContainer(next, target) {
			errs = append(errs, object.NotFoundField(path+".targetContainerName", target))
		}
		for _, name := range []string{"ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"} {
			if has(c, name) {
				errs = append(errs, object.ForbiddenField(path+"."+name, "cannot be set for an Ephemeral Container"))
			}
		}
	}
	for _, c := range amounts.Containers(old, ephemeralField) {
		i := slices.IndexFunc(all, func(o object.Object) bool { return text(o, "name") == text(c, "name") })
		switch {
		case i < 0:
			errs = append(errs, object.ForbiddenField(field, fmt.Sprintf("existing ephemeral containers %q may not be removed\n", text(c, "name"))))
		case !all[i].Equal(c):
			errs = append(errs, object.ForbiddenField(field, fmt.Sprintf("existing ephemeral containers %q may not be changed\n", text(c, "name"))))
		}
	}
	return errs
}

func isContainer(pod object.Object, name string) bool {
	return slices.ContainsFunc(amounts.Containers(pod, "containers"), func(c object.Object) bool { return text(c, "name") == name })
}
