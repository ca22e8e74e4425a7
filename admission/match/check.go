package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Check says what is wrong with a [Resources], in the API's words.
func (m *Resources) Check(field string) object.FieldErrors {
	var errs object.FieldErrors
	switch m.MatchPolicy {
	case "", exact, equivalent:
	default:
		errs = append(errs, object.UnsupportedField(field+".matchPolicy", m.MatchPolicy, equivalent, exact))
	}
	if m.NamespaceSelector != nil {
		errs = append(errs, m.NamespaceSelector.Validate(field+".namespaceSelector")...)
	}
	if m.ObjectSelector != nil {
		errs = append(errs, m.ObjectSelector.Validate(field+".objectSelector")...)
	}
	for i := range m.ResourceRules {
		errs = append(errs, m.ResourceRules[i].Check(fmt.Sprintf("%s.resourceRules[%d]", field, i))...)
	}
	for i := range m.ExcludeResourceRules {
		errs = append(errs, m.ExcludeResourceRules[i].Check(fmt.Sprintf("%s.excludeResourceRules[%d]", field, i))...)
	}
	return errs
}

// Check says what is wrong with a rule, in the API's words.
func (r *Rule) Check(field string) object.FieldErrors {
	errs := r.checkNames(field + ".resourceNames")
	errs = append(errs, checkWords(field+".operations", r.Operations, "operations")...)
	for i, operation := range r.Operations {
		if !slices.Contains(operations, operation) {
			errs = append(errs, object.UnsupportedField(fmt.Sprintf("%s.operations[%d]", field, i), operation, operations...))
		}
	}
	errs = append(errs, checkWords(field+".apiGroups", r.APIGroups, "API groups")...)
	errs = append(errs, checkWords(field+".apiVersions", r.APIVersions, "API versions")...)
	for i, version := range r.APIVersions {
		if version == "" {
			errs = append(errs, object.RequiredField(fmt.Sprintf("%s.apiVersions[%d]", field, i), ""))
		}
	}
	errs = append(errs, checkResources(field+".resources", r.Resources)...)
	switch r.Scope {
	case "", anything, clusterScope, namespacedScope:
	default:
		errs = append(errs, object.UnsupportedField(field+".scope", r.Scope, anything, clusterScope, namespacedScope))
	}
	return errs
}

var operations = []string{anything, "CONNECT", "CREATE", "DELETE", "UPDATE"}

func (r *Rule) checkNames(field string) object.FieldErrors {
	var errs object.FieldErrors
	for i, name := range r.ResourceNames {
		at := fmt.Sprintf("%s[%d]", field, i)
		for _, problem := range object.ValidatePathSegmentName(name, false) {
			errs = append(errs, object.InvalidField(at, name, problem))
		}
		if slices.Contains(r.ResourceNames[:i], name) {
			errs = append(errs, object.DuplicateField(at, name))
		}
	}
	return errs
}

// checkWords wants a list that is not empty, and in which * stands alone.
func checkWords(field string, values []string, what string) object.FieldErrors {
	switch {
	case len(values) == 0:
		return object.FieldErrors{object.RequiredField(field, "")}
	case len(values) > 1 && slices.Contains(values, anything):
		return object.FieldErrors{object.InvalidField(field, values, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

// checkResources wants no resource to be named that a wildcard before it covers.
func checkResources(field string, resources []string) object.FieldErrors {
	if len(resources) == 0 {
		return object.FieldErrors{object.RequiredField(field, "")}
	}
	var errs object.FieldErrors
	var wholes, parts []string // with all their parts; that are parts of all
	named := false             // whether the last one without a part is no wildcard
	for i, resource := range resources {
		at := fmt.Sprintf("%s[%d]", field, i)
		name, part, found := strings.Cut(resource, "/")
		if resource == "" {
			errs = append(errs, object.RequiredField(at, ""))
			continue
		}
		if !found {
			named = resource != anything
			continue
		}
		if slices.Contains(wholes, name) {
			errs = append(errs, object.InvalidField(at, resource, fmt.Sprintf("if '%s/*' is present, must not specify %s", name, resource)))
		}
		if slices.Contains(parts, part) {
			errs = append(errs, object.InvalidField(at, resource, fmt.Sprintf("if '*/%s' is present, must not specify %s", part, resource)))
		}
		if part == anything {
			wholes = append(wholes, name)
		}
		if name == anything {
			parts = append(parts, part)
		}
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs = append(errs, object.InvalidField(field, resources, "if '*/*' is present, must not specify other resources"))
	}
	if named && slices.Contains(resources, anything) {
		errs = append(errs, object.InvalidField(field, resources, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}
