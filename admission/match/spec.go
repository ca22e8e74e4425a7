package match

import (
	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Resources says which requests a policy, a binding or a webhook is about.
type Resources struct {
	NamespaceSelector    *object.LabelSelectorSpec `json:"namespaceSelector,omitempty"`
	ObjectSelector       *object.LabelSelectorSpec `json:"objectSelector,omitempty"`
	ResourceRules        []Rule                    `json:"resourceRules,omitempty"`
	ExcludeResourceRules []Rule                    `json:"excludeResourceRules,omitempty"`
	MatchPolicy          string                    `json:"matchPolicy,omitempty"` // Exact or Equivalent (the default)
}

// Rule matches requests by what they do to what.
type Rule struct {
	ResourceNames []string `json:"resourceNames,omitempty"`
	Operations    []string `json:"operations,omitempty"`
	APIGroups     []string `json:"apiGroups,omitempty"`
	APIVersions   []string `json:"apiVersions,omitempty"`
	Resources     []string `json:"resources,omitempty"`
	Scope         string   `json:"scope,omitempty"` // Cluster, Namespaced or * (the default)
}

// For begins a rule for some operations, or for all with "*", in all versions:
// For(admission.Create).Of("apps", "deployments").
func For(operations ...admission.Operation) Rule {
	r := Rule{APIVersions: []string{anything}}
	for _, o := range operations {
		r.Operations = append(r.Operations, string(o))
	}
	return r
}

// Of gives the rule with a group and resources of it.
func (r Rule) Of(group string, resources ...string) Rule {
	r.APIGroups, r.Resources = []string{group}, resources
	return r
}

// Words of the API.
const (
	exact, equivalent = "Exact", "Equivalent"
	clusterScope      = "Cluster"
	namespacedScope   = "Namespaced"
	anything          = "*"
)
