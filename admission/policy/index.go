package policy

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Config is what policies need of those around them. What is missing cannot be used.
type Config struct {
	Params      Params            // for policies with parameters
	Authorizer  Authorizer        // for expressions that ask one
	Equivalence match.Equivalence // for resources that are served in several forms
	Converter   match.Converter   // between these
	Patcher     Patcher           // for policies that mutate
}

// Index is the policies of a cluster that are in force. It implements
// admission.Validator, for any number of goroutines.
type Index struct{ table }

// table is policies of one kind that are in force.
type table struct {
	config  Config
	entries []entry      // in the order of their names
	index   *match.Index // of the entries
}

// entry is a policy with its bindings, of which there is one at least.
type entry struct {
	policy   *Policy
	bindings []*Binding // in the order of their names
}

// NewIndex makes an index. Policies without a binding and bindings without a policy do nothing.
func NewIndex(config Config, policies []*Policy, bindings []*Binding) *Index {
	return &Index{newTable(config, policies, bindings)}
}

func newTable(config Config, policies []*Policy, bindings []*Binding) table {
	t := table{config: config}
	byPolicy := map[string][]*Binding{}
	for _, b := range bindings {
		byPolicy[b.PolicyName()] = append(byPolicy[b.PolicyName()], b)
	}
	for _, p := range policies {
		if bound := byPolicy[p.name]; len(bound) > 0 {
			slices.SortFunc(bound, func(a, b *Binding) int { return cmp.Compare(a.name, b.name) })
			t.entries = append(t.entries, entry{policy: p, bindings: bound})
		}
	}
	slices.SortFunc(t.entries, func(a, b entry) int { return cmp.Compare(a.policy.name, b.policy.name) })
	matchers := make([]*match.Matcher, len(t.entries))
	for i := range t.entries {
		matchers[i] = &t.entries[i].policy.matcher
	}
	t.index = match.NewIndex(matchers)
	return t
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
	for _, i := range x.index.Candidates(&r.subject) {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.policy(ctx, x.entries[i].policy, x.entries[i].bindings)
	}
	r.publishFailures()
	return r.verdict()
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
