package policy

import (
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Stored makes a policy of a ValidatingAdmissionPolicy that was accepted when it was
// written. Its expressions are compiled when a request first matches it, so that a server with
// hundreds of policies starts at once.
//
// What is not accepted any more, or never was, is a failure of each request that the policy
// matches, as far as that can be known, and failurePolicy decides about it.
func (c *Compiler) Stored(document object.Object) *Policy {
	name, spec, err := decode[Spec](document)
	p := &Policy{name: name}
	if err != nil {
		p.isUnreadable(document, err)
		return p
	}
	p.later(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints, func() (*Policy, object.FieldErrors) {
		return c.CompileSpec(name, spec)
	})
	return p
}

// StoredMutating makes a policy of a MutatingAdmissionPolicy, as [Compiler.Stored] does of the
// other kind.
func (c *Compiler) StoredMutating(document object.Object) *MutatingPolicy {
	name, spec, err := decode[MutatingSpec](document)
	m := &MutatingPolicy{Policy{name: name, reinvocable: spec.ReinvocationPolicy == ifNeeded}}
	if err != nil {
		m.policy.isUnreadable(document, err)
		return m
	}
	m.policy.later(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints, func() (*Policy, object.FieldErrors) {
		compiled, errs := c.CompileMutatingSpec(name, spec)
		if compiled == nil {
			return nil, errs
		}
		return &compiled.policy, nil
	})
	return m
}

// StoredBinding makes a binding of either kind that was accepted when it was written. One that is not
// accepted any more fails for each request that it matches, as far as that can be known.
func StoredBinding(document object.Object) *Binding {
	name, spec, err := decode[BindingSpec](document)
	if err != nil {
		readable, _ := document["spec"].(map[string]any)
		spec.PolicyName, _ = readable["policyName"].(string)
		return &Binding{name: name, spec: BindingSpec{PolicyName: spec.PolicyName}, problem: err}
	}
	b, errs := newBinding(name, spec, spec.check("spec"))
	if len(errs) > 0 {
		b = &Binding{name: name, spec: spec, problem: errs}
		b.matcher, _ = spec.MatchResources.Compile() // or it matches all that its policy does
	}
	return b
}

// later makes a policy of all but its expressions, which the function compiles.
func (p *Policy) later(failurePolicy string, paramKind *ParamKind, constraints *match.Resources, compile func() (*Policy, object.FieldErrors)) {
	p.ignores = failurePolicy == ignore
	p.paramKind, _ = paramKind.groupVersionKind()    // what is wrong here, compiling will say;
	if m, err := constraints.Compile(); err == nil { // until then the policy matches everything
		p.matcher = m
	}
	p.compile = func() (expressions, error) {
		compiled, errs := compile()
		if len(errs) > 0 {
			return expressions{}, errs
		}
		return compiled.expressions, nil
	}
}

// isUnreadable makes a policy that fails for all requests: what it is about, nobody knows.
func (p *Policy) isUnreadable(document object.Object, problem error) {
	spec, _ := document["spec"].(map[string]any)
	p.ignores = spec["failurePolicy"] == ignore
	p.problem = problem
}

// ready compiles what isn't yet. The error says why the policy cannot be evaluated.
func (p *Policy) ready() error {
	p.once.Do(func() {
		if p.compile != nil {
			p.expressions, p.problem = p.compile()
			p.compile = nil
		}
	})
	return p.problem
}
