package builtin

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// resourceQuotas describes v1 ResourceQuotas.
func resourceQuotas(t *types) row {
	return row{
		version: "v1", kind: "ResourceQuota", plural: "resourcequotas", shortNames: "quota",
		codec: codecOf[corev1.ResourceQuota](t), traits: hasStatus | returnDeleted,
		validate: validateQuota, validateStatus: validateQuotaStatus, warn: warnOfQuota,
		columns: []server.Column{
			{
				Name: "Request", Type: "string", Description: "How much is used of what is limited.",
				Value: func(o object.Object) any { return usage(o, false) },
			},
			{
				Name: "Limit", Type: "string", Description: "How much is used of what containers may not exceed together.",
				Value: func(o object.Object) any { return usage(o, true) },
			},
			age(),
		},
	}
}

// usage gives what is used of the limits of a quota: of those on what containers may not exceed,
// or of the others.
func usage(quota object.Object, onLimits bool) string {
	var parts []string
	used, hard := mapping(quota, "status", "used"), mapping(quota, "status", "hard")
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		if strings.HasPrefix(name, "limits.") == onLimits {
			u := used[name]
			if u == nil {
				u = "0"
			}
			parts = append(parts, fmt.Sprintf("%s: %v/%v", name, u, hard[name]))
		}
	}
	return strings.Join(parts, ", ")
}

func validateQuota(next, old object.Object) object.FieldErrors {
	hard := mapping(next, "spec", "hard")
	errs := checkQuotaAmounts("spec.hard", hard)
	scopes, hasScopes := next.Field("spec", "scopes")
	if hasScopes {
		errs = append(errs, checkScopes(scopes, hard)...)
	}
	if selector := mapping(next, "spec", "scopeSelector"); selector != nil {
		errs = append(errs, checkScopeSelector(selector, scopes, hard)...)
	}
	if old != nil && !sameSet(list(next, "spec", "scopes"), list(old, "spec", "scopes")) {
		errs = append(errs, object.InvalidField("spec.scopes", scopes, "field is immutable"))
	}
	return errs
}

func validateQuotaStatus(next, _ object.Object) object.FieldErrors {
	return append(checkQuotaAmounts("status.hard", mapping(next, "status", "hard")),
		checkQuotaAmounts("status.used", mapping(next, "status", "used"))...)
}

func sameSet(a, b []any) bool {
	lacking := func(all []any) func(any) bool { return func(v any) bool { return !slices.Contains(all, v) } }
	return !slices.ContainsFunc(a, lacking(b)) && !slices.ContainsFunc(b, lacking(a))
}

func checkQuotaAmounts(field string, amounts map[string]any) (errs object.FieldErrors) {
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		path := keyed(field, name)
		errs = append(errs, checkResourceName(path, name)...)
		if !strings.Contains(name, "/") && !isQuotaName(name) {
			errs = append(errs, object.InvalidField(path, name, "must be a standard resource for quota"))
		}
		errs = append(errs, checkQuotaAmount(path, name, amountOf(amounts[name]))...)
	}
	return errs
}

func checkQuotaAmount(path, name string, q quantity.Quantity) (errs object.FieldErrors) {
	if q.Sign() < 0 {
		errs = append(errs, object.InvalidField(path, q.String(), "must be greater than or equal to 0"))
	}
	if (slices.Contains(countNames, name) || isExtendedResource(name)) && q.RoundedUp(-3).Compare(q.RoundedUp(0)) != 0 {
		errs = append(errs, object.InvalidField(path, q.String(), "must be an integer"))
	}
	return errs
}

// checkScopes says each thing once, as it shows all scopes anyway.
func checkScopes(scopes any, hard map[string]any) (errs object.FieldErrors) {
	names := texts(scopes)
	for _, wrong := range []struct {
		is     bool
		detail string
	}{
		{!allScopes(names), "unsupported scope"},
		{slices.ContainsFunc(names, func(s string) bool { return leavesOut(s, hard) }), "unsupported scope applied to resource"},
		{conflict(names), conflictingScopes},
	} {
		if wrong.is {
			errs = append(errs, object.InvalidField("spec.scopes", scopes, wrong.detail))
		}
	}
	return errs
}

const conflictingScopes = "conflicting scopes"

func checkScopeSelector(selector map[string]any, scopes any, hard map[string]any) (errs object.FieldErrors) {
	const field = "spec.scopeSelector.matchExpressions"
	var names []string
	leftOut := false
	for _, v := range list(selector, "matchExpressions") {
		expression, _ := v.(map[string]any)
		scope := text(expression, "scopeName")
		names = append(names, scope)
		if !isScope(scope) {
			errs = append(errs, object.InvalidField(field+".scopeName", scope, "unsupported scope"))
		}
		if leavesOut(scope, hard) && !leftOut {
			leftOut = true
			errs = append(errs, object.InvalidField(field, selector, "unsupported scope applied to resource"))
		}
		errs = append(errs, checkScopeOperator(field, scope, expression)...)
	}
	if conflict(names) {
		errs = append(errs, object.InvalidField(field, scopes, conflictingScopes))
	}
	return errs
}

func checkScopeOperator(field, scope string, expression map[string]any) (errs object.FieldErrors) {
	operator, values := text(expression, "operator"), list(expression, "values")
	switch scope {
	case "BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity":
		if operator != "Exists" {
			errs = append(errs, object.InvalidField(field+".operator", operator, "must be 'Exists' when scope is any of "+
				"ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "+
				"ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"))
		}
	}
	switch operator {
	case "In", "NotIn":
		if len(values) == 0 {
			errs = append(errs, object.RequiredField(field+".values",
				"must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"))
		}
	case "Exists", "DoesNotExist":
		if len(values) != 0 {
			errs = append(errs, object.InvalidField(field+".values", values,
				"must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"))
		}
	default:
		errs = append(errs, object.InvalidField(field+".operator", operator, "not a valid selector operator"))
	}
	return errs
}

func isScope(name string) bool {
	switch name {
	case "Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass", "VolumeAttributesClass", "CrossNamespacePodAffinity":
		return true
	}
	return false
}

func allScopes(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !isScope(name) })
}

// leavesOut says whether there is a well-known limit on what a scope has no objects for.
func leavesOut(scope string, hard map[string]any) bool {
	var inScope []string
	switch scope {
	case "BestEffort":
		inScope = []string{"pods"}
	case "Terminating", "NotTerminating", "NotBestEffort", "PriorityClass", "CrossNamespacePodAffinity":
		inScope = []string{"pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"}
	case "VolumeAttributesClass":
		inScope = []string{"persistentvolumeclaims", "requests.storage"}
	default:
		return false
	}
	for name := range hard {
		if isQuotaName(name) && !slices.Contains(inScope, name) {
			return true
		}
	}
	return false
}

// conflict says whether nothing is in all of the scopes.
func conflict(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(names, "Not"+name) })
}

// warnOfQuota: nobody can use what is requested beyond what it is limited to.
func warnOfQuota(next, old object.Object) (warnings []string) {
	if old != nil {
		return nil
	}
	hard := mapping(next, "spec", "hard")
	for _, name := range []string{"cpu", "memory", "storage", "ephemeral-storage"} {
		request := "requests." + name
		if !has(hard, request) && (name == "cpu" || name == "memory") {
			request = name
		}
		limit := "limits." + name
		if has(hard, request) && has(hard, limit) && amountOf(hard[request]).Compare(amountOf(hard[limit])) > 0 {
			warnings = append(warnings, fmt.Sprintf("ResourceQuota %s (%v) should be less than %s (%v)", request, hard[request], limit, hard[limit]))
		}
	}
	return warnings
}
