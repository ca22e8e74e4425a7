package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// selectLike narrows what the rules for the place of a new pod select: to pods whose
// labels of some keys are like its own, or unlike them.
func selectLike(spec, labels map[string]any) {
	for constraint := range mapsIn(spec["topologySpreadConstraints"]) {
		narrow(constraint, "matchLabelKeys", metav1.LabelSelectorOpIn, labels)
	}
	for _, kind := range [...]string{"podAffinity", "podAntiAffinity"} {
		affinity := mapping(spec, "affinity", kind)
		for preferred := range mapsIn(affinity["preferredDuringSchedulingIgnoredDuringExecution"]) {
			narrowTerm(mapping(preferred, "podAffinityTerm"), labels)
		}
		for required := range mapsIn(affinity["requiredDuringSchedulingIgnoredDuringExecution"]) {
			narrowTerm(required, labels)
		}
	}
}

func narrowTerm(term, labels map[string]any) {
	narrow(term, "matchLabelKeys", metav1.LabelSelectorOpIn, labels)
	narrow(term, "mismatchLabelKeys", metav1.LabelSelectorOpNotIn, labels)
}

// narrow adds to the selector of a rule an expression for each of the keys that the pod has.
// A rule without a selector selects nothing anyway.
func narrow(rule map[string]any, field string, operator metav1.LabelSelectorOperator, labels map[string]any) {
	selector := mapping(rule, "labelSelector")
	if selector == nil {
		return
	}
	for _, key := range texts(rule[field]) {
		if value, ok := labels[key]; ok {
			selector["matchExpressions"] = append(list(selector, "matchExpressions"),
				map[string]any{"key": key, "operator": string(operator), "values": []any{value}})
		}
	}
}
