package builtin

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

const (
	systemPriorityPrefix = "system-"
	maxUserPriority      = 1_000_000_000
)

// PriorityClasses describes scheduling.k8s.io/v1 PriorityClasses.
func PriorityClasses() server.Resource {
	return server.Resource{
		Group: "scheduling.k8s.io", Plural: "priorityclasses", Kind: "PriorityClass", ShortNames: []string{"pc"},
		Versions: []server.Version{{
			Name:    "v1",
			Codec:   Codec[schedulingv1.PriorityClass](),
			Default: defaultPriorityClass,
			Columns: priorityClassColumns(),
		}},
		Rules: server.Rules{Prepare: preparePriorityClass, Validate: named(validatePriorityClass)},
	}
}

func priorityClassColumns() []server.Column {
	return []server.Column{
		{
			Name: "Value", Type: "integer", Description: "The priority that it gives.",
			Value: func(o object.Object) any { return number(o, "value") },
		},
		{
			Name: "Global-Default", Type: "boolean", Description: "Whether it holds where no class is named.",
			Value: func(o object.Object) any { return o["globalDefault"] == true },
		},
		age(),
		{
			Name: "PreemptionPolicy", Type: "string", Description: "Whether it may displace what has a lower priority.",
			Value: func(o object.Object) any { return text(o, "preemptionPolicy") },
		},
	}
}

func defaultPriorityClass(o object.Object) {
	if o["preemptionPolicy"] == nil {
		o["preemptionPolicy"] = string(corev1.PreemptLowerPriority)
	}
}

func preparePriorityClass(next, old object.Object) {
	if old == nil {
		next.SetGeneration(1)
	}
}

func validatePriorityClass(next, old object.Object) object.FieldErrors {
	if old != nil {
		var errs object.FieldErrors
		if number(next, "value") != number(old, "value") {
			errs = append(errs, object.ForbiddenField("value", "may not be changed in an update."))
		}
		return append(errs, unchanged(next, old, "preemptionPolicy", "preemptionPolicy")...)
	}
	errs := checkPriority(next)
	switch policy := text(next, "preemptionPolicy"); corev1.PreemptionPolicy(policy) {
	case corev1.PreemptLowerPriority, corev1.PreemptNever:
	case "":
		errs = append(errs, object.RequiredField("preemptionPolicy", ""))
	default:
		errs = append(errs, object.UnsupportedField("preemptionPolicy", policy,
			string(corev1.PreemptLowerPriority), string(corev1.PreemptNever)))
	}
	return errs
}

// checkPriority keeps the names and the highest values for the two classes of the system.
func checkPriority(o object.Object) object.FieldErrors {
	name, value := o.Name(), number(o, "value")
	if !strings.HasPrefix(name, systemPriorityPrefix) {
		if value > maxUserPriority {
			return object.FieldErrors{object.ForbiddenField("value",
				fmt.Sprintf("maximum allowed value of a user defined priority is %d", maxUserPriority))}
		}
		return nil
	}
	if reason := checkSystemPriority(name, value, o["globalDefault"] == true); reason != "" {
		return object.FieldErrors{object.ForbiddenField("metadata.name",
			"priority class names with '"+systemPriorityPrefix+"' prefix are reserved for system use only. error: "+reason)}
	}
	return nil
}

func checkSystemPriority(name string, value int64, globalDefault bool) string {
	known := map[string]int64{"system-node-critical": 2*maxUserPriority + 1000, "system-cluster-critical": 2 * maxUserPriority}
	want, ok := known[name]
	switch {
	case !ok:
		return name + " is not a known system priority class"
	case value != want:
		return fmt.Sprintf("value of %s PriorityClass must be %d", name, want)
	case globalDefault:
		return fmt.Sprintf("globalDefault of %s PriorityClass must be false", name)
	}
	return ""
}
