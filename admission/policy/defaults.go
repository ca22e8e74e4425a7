package policy

import "github.com/seed-6c0fa0ad/plinth/object"

// SetDefaults completes a policy or a binding, of the kinds that validate and that mutate, with
// what the API takes for granted.
func SetDefaults(o object.Object) {
	spec, ok := o["spec"].(map[string]any)
	if !ok {
		return
	}
	if _, isBinding := spec["policyName"]; !isBinding && spec["failurePolicy"] == nil {
		spec["failurePolicy"] = fail
	}
	for _, name := range [...]string{"matchConstraints", "matchResources"} {
		if resources, ok := spec[name].(map[string]any); ok {
			setMatchDefaults(resources)
		}
	}
}

func setMatchDefaults(resources map[string]any) {
	if resources["matchPolicy"] == nil {
		resources["matchPolicy"] = "Equivalent"
	}
	for _, selector := range [...]string{"namespaceSelector", "objectSelector"} {
		if resources[selector] == nil {
			resources[selector] = map[string]any{}
		}
	}
	for _, name := range [...]string{"resourceRules", "excludeResourceRules"} {
		rules, _ := resources[name].([]any)
		for _, r := range rules {
			if rule, ok := r.(map[string]any); ok && rule["scope"] == nil {
				rule["scope"] = "*"
			}
		}
	}
}
