package policy

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Config is what policies need of those around them. What is missing cannot be used.
type Config struct {
	Params      Params      // for policies with parameters
	Authorizer  Authorizer  // for expressions that ask one
	Equivalence Equivalence // for resources that are served in several forms
	Converter   Converter   // between these
}

// Index is the policies of a cluster that are in force. It implements
// admission.Validator, for any number of goroutines.
type Index struct {
	config  Config
	entries []entry // in the order of their names
	byWords map[object.GroupResource][]int
}

// entry is a policy with its bindings, of which there is one at least.
type entry struct {
	policy     *Policy
	bindings   []*Binding // in the order of their names
	operations operationSet
}

// NewIndex makes an index. Policies without a binding and bindings without a policy do nothing.
func NewIndex(config Config, policies []*Policy, bindings []*Binding) *Index {
	x := &Index{config: config, byWords: map[object.GroupResource][]int{}}
	byPolicy := map[string][]*Binding{}
	for _, b := range bindings {
		byPolicy[b.PolicyName()] = append(byPolicy[b.PolicyName()], b)
	}
	for _, p := range policies {
		if bound := byPolicy[p.name]; len(bound) > 0 {
			slices.SortFunc(bound, func(a, b *Binding) int { return cmp.Compare(a.name, b.name) })
			x.entries = append(x.entries, entry{policy: p, bindings: bound, operations: p.matcher.operations()})
		}
	}
	slices.SortFunc(x.entries, func(a, b entry) int { return cmp.Compare(a.policy.name, b.policy.name) })
	for i := range x.entries {
		x.add(i)
	}
	return x
}

// add files an entry under the groups and resources in its rules, which may be wildcards.
func (x *Index) add(i int) {
	seen := map[object.GroupResource]bool{}
	for _, r := range x.entries[i].policy.matcher.include {
		for _, group := range r.APIGroups {
			for _, resource := range r.resources {
				words := object.GroupResource{Group: group, Resource: resource.name}
				if !seen[words] {
					seen[words] = true
					x.byWords[words] = append(x.byWords[words], i)
				}
			}
		}
	}
}

func (m *matcher) operations() operationSet {
	var set operationSet
	for i := range m.include {
		set |= m.include[i].operations
	}
	return set
}

// Name implements admission.Named.
func (x *Index) Name() string { return "ValidatingAdmissionPolicy" }

// Validate implements admission.Validator. All policies have their say, for their
// warnings, before the first that denies does so.
func (x *Index) Validate(ctx context.Context, req *admission.Request) error {
	if isExempt(req.Resource.GroupResource()) {
		return nil
	}
	r := newRun(ctx, req, &x.config)
	for _, i := range x.candidates(&r.subject) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.policy(ctx, x.entries[i].policy, x.entries[i].bindings)
	}
	return r.verdict()
}

// candidates gives those that can match, by operation, group and resource, in order.
func (x *Index) candidates(s *subject) []int {
	found := make([]int, 0, 16)
	found = x.lookUp(found, s, s.req.Resource.GroupResource())
	if len(x.entries) > 0 {
		for _, form := range s.equivalents() {
			if gr := form.Resource.GroupResource(); gr != s.req.Resource.GroupResource() {
				found = x.lookUp(found, s, gr)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (x *Index) lookUp(found []int, s *subject, gr object.GroupResource) []int {
	for _, words := range [...]object.GroupResource{
		gr, {Group: gr.Group, Resource: anything}, {Group: anything, Resource: gr.Resource}, {Group: anything, Resource: anything},
	} {
		for _, i := range x.byWords[words] {
			if x.entries[i].operations.has(s.req.Operation) {
				found = append(found, i)
			}
		}
	}
	return found
}

// isExempt says whether a resource is out of the reach of policies, so that a policy that
// denies everything can be taken back.
func isExempt(gr object.GroupResource) bool {
	if gr.Group != "admissionregistration.k8s.io" {
		return false
	}
	switch gr.Resource {
	case "validatingadmissionpolicies", "validatingadmissionpolicybindings",
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings":
		return true
	}
	return false
}
