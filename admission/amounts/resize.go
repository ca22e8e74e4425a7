package amounts

import "github.com/seed-6c0fa0ad/plinth/object"

// source gives what a container needs from one point of view.
type source = func(container object.Object) (Amounts, error)

// sources gives the points of view of a pod that may be being resized: its spec, unless that
// cannot be had, what its node set aside, and what the containers have.
func sources(pod object.Object, part Part) []source {
	spec := func(c object.Object) (Amounts, error) { return Of(c, part) }
	statuses := containerStatuses(pod)
	infeasible := isInfeasible(pod)
	if len(statuses) == 0 && !infeasible {
		return []source{spec}
	}
	wanted := spec
	if infeasible {
		wanted = func(object.Object) (Amounts, error) { return Amounts{}, nil }
	}
	allocated := fromStatus(statuses, wanted, "allocatedResources")
	if part == Limits {
		return []source{wanted, fromStatus(statuses, wanted, "resources", "limits")}
	}
	return []source{wanted, allocated, fromStatus(statuses, allocated, "resources", "requests")}
}

// fromStatus reads what the status of a container says, or else another source.
func fromStatus(statuses map[string]object.Object, or source, path ...string) source {
	return func(c object.Object) (Amounts, error) {
		status := statuses[name(c)]
		if v, ok := status.Field(path...); ok && v != nil {
			return Read(status, path...)
		}
		return or(c)
	}
}

func name(container object.Object) string {
	s, _ := container["name"].(string)
	return s
}

// containerStatuses gives those of all containers by their names.
func containerStatuses(pod object.Object) map[string]object.Object {
	all := map[string]object.Object{}
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		v, _ := pod.Field("status", field)
		for _, status := range documents(v) {
			all[name(status)] = status
		}
	}
	return all
}

// isInfeasible says whether the node has found that a pod cannot be resized as its spec says.
func isInfeasible(pod object.Object) bool {
	v, _ := pod.Field("status", "conditions")
	for _, condition := range documents(v) {
		if condition["type"] == "PodResizePending" {
			return condition["reason"] == "Infeasible"
		}
	}
	return false
}
