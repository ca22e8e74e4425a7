package quota

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// scope is what a quota wants of the objects that it counts.
type scope struct {
	name, operator string
	values         []string
}

// scopesOf gives all scopes of a quota; an object must be in each.
func scopesOf(quota object.Object) []scope {
	var all []scope
	v, _ := quota.Field("spec", "scopes")
	for _, name := range texts(v) {
		all = append(all, scope{name: name, operator: "Exists"})
	}
	v, _ = quota.Field("spec", "scopeSelector", "matchExpressions")
	list, _ := v.([]any)
	for _, v := range list {
		m, _ := v.(map[string]any)
		name, _ := m["scopeName"].(string)
		operator, _ := m["operator"].(string)
		all = append(all, scope{name, operator, texts(m["values"])})
	}
	return all
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, 0, len(list))
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// selects says whether the scope selects an object of a class; "" is for those without one.
func (s scope) selects(class string) (bool, error) {
	switch s.operator {
	case "In":
		return class != "" && slices.Contains(s.values, class), nil
	case "NotIn":
		return class == "" || !slices.Contains(s.values, class), nil
	case "Exists":
		return class != "", nil
	case "DoesNotExist":
		return class == "", nil
	}
	return false, fmt.Errorf("failed to parse and convert selector: %q is not a valid scope selector operator", s.operator)
}

func podInScope(pod object.Object, s scope) (bool, error) {
	switch s.name {
	case "Terminating":
		return isTerminating(pod), nil
	case "NotTerminating":
		return !isTerminating(pod), nil
	case "BestEffort":
		return isBestEffort(pod)
	case "NotBestEffort":
		best, err := isBestEffort(pod)
		return !best, err
	case "PriorityClass":
		v, _ := pod.Field("spec", "priorityClassName")
		class, _ := v.(string)
		return s.selects(class)
	case "CrossNamespacePodAffinity":
		return looksIntoOtherNamespaces(pod), nil
	}
	return false, nil
}

// isTerminating says whether a pod ends by itself after some time.
func isTerminating(pod object.Object) bool {
	v, _ := pod.Field("spec", "activeDeadlineSeconds")
	seconds, ok := v.(int64)
	return ok && seconds >= 0
}

// isBestEffort says whether a pod asks for nothing that a node must set aside.
func isBestEffort(pod object.Object) (bool, error) {
	if class, _ := pod.Field("status", "qosClass"); class != nil && class != "" {
		return class == "BestEffort", nil
	}
	all := append(amounts.Containers(pod, "containers"), amounts.Containers(pod, "initContainers")...)
	if amounts.SetForWholePod(pod) {
		spec, _ := pod["spec"].(map[string]any)
		all = []object.Object{spec}
	}
	for _, c := range all {
		for _, part := range []amounts.Part{amounts.Requests, amounts.Limits} {
			a, err := amounts.Of(c, part)
			if err != nil {
				return false, err
			}
			if a["cpu"].Sign() != 0 || a["memory"].Sign() != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

// looksIntoOtherNamespaces says whether where a pod may run depends on pods of other namespaces.
func looksIntoOtherNamespaces(pod object.Object) bool {
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		v, _ := pod.Field("spec", "affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution")
		required, _ := v.([]any)
		if slices.ContainsFunc(required, namesNamespaces) {
			return true
		}
		v, _ = pod.Field("spec", "affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution")
		preferred, _ := v.([]any)
		for _, v := range preferred {
			weighted, _ := v.(map[string]any)
			if namesNamespaces(weighted["podAffinityTerm"]) {
				return true
			}
		}
	}
	return false
}

func namesNamespaces(term any) bool {
	m, _ := term.(map[string]any)
	names, _ := m["namespaces"].([]any)
	return len(names) > 0 || m["namespaceSelector"] != nil
}

// claimInScope goes by the classes that a claim has, wants or is being given.
func claimInScope(claim object.Object, s scope) (bool, error) {
	if s.name != "VolumeAttributesClass" {
		return false, nil
	}
	var classes []string
	for _, path := range [][]string{
		{"spec", "volumeAttributesClassName"},
		{"status", "currentVolumeAttributesClassName"},
		{"status", "modifyVolumeStatus", "targetVolumeAttributesClassName"},
	} {
		v, _ := claim.Field(path...)
		if class, _ := v.(string); class != "" {
			classes = append(classes, class)
		}
	}
	if len(classes) == 0 {
		return s.selects("")
	}
	for _, class := range classes {
		if in, err := s.selects(class); err != nil || in {
			return in, err
		}
	}
	return false, nil
}
