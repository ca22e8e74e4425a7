package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// MutatingIndex is the mutating policies of a cluster that are in force. It implements
// admission.Reinvoker, for any number of goroutines.
type MutatingIndex struct{ table }

var _ admission.Reinvoker = (*MutatingIndex)(nil)

// NewMutatingIndex makes an index. Policies without a binding and bindings without a policy do
// nothing. Nothing can be changed without a patcher in the config.
func NewMutatingIndex(config Config, policies []*MutatingPolicy, bindings []*Binding) *MutatingIndex {
	parts := make([]*Policy, len(policies))
	for i, p := range policies {
		parts[i] = &p.policy
	}
	return &MutatingIndex{newTable(config, parts, bindings)}
}

// Name implements admission.Named.
func (x *MutatingIndex) Name() string { return "MutatingAdmissionPolicy" }

// Mutate implements admission.Mutator: each policy changes what those before it made of the
// object. Which of them are about the request is decided before the first does so. All
// are asked before what failed is the answer.
func (x *MutatingIndex) Mutate(ctx context.Context, req *admission.Request) error {
	return x.run(ctx, req)
}

// Reinvoke implements admission.Reinvoker: policies that want it see the object again if
// anybody changed it, themselves included.
func (x *MutatingIndex) Reinvoke(ctx context.Context, req *admission.Request) error {
	return x.run(ctx, req)
}

func (x *MutatingIndex) run(ctx context.Context, req *admission.Request) error {
	if req.Object == nil || isExempt(req.Resource.GroupResource()) {
		return nil
	}
	r := newRun(ctx, req, &x.config)
	candidates := x.index.Candidates(&r.subject)
	if len(candidates) == 0 {
		return nil
	}
	var invocations []invocation
	for _, i := range candidates {
		invocations = r.plan(ctx, invocations, x.entries[i].policy, x.entries[i].bindings)
	}
	round := req.Round(x)
	round.Begin(req.Object)
	defer func() { round.End(req.Object) }()
	for i := range invocations {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.invoke(ctx, round, &invocations[i]); err != nil {
			return err
		}
	}
	if r.patched {
		round.Changed()
	}
	return r.failure()
}

// invocation is a policy to be evaluated for one binding and one of its parameters.
type invocation struct {
	policy  *Policy
	binding *Binding
	form    *match.Form
	params  object.Object
}

// part tells invocations apart, also between the two calls of a stage.
type part struct {
	policy          *Policy
	binding         *Binding
	namespace, name string // of the parameters
}

func (in *invocation) part() part {
	return part{in.policy, in.binding, in.params.Namespace(), in.params.Name()}
}

// plan appends the invocations of a policy.
func (r *run) plan(ctx context.Context, invocations []invocation, p *Policy, bindings []*Binding) []invocation {
	form := p.matcher.Match(&r.subject)
	if form == nil {
		return invocations
	}
	if err := r.usable(p); err != nil {
		r.misconfigured(p, nil, err)
		return invocations
	}
	for _, b := range bindings {
		if b.matcher.Match(&r.subject) == nil {
			continue
		}
		params, err := r.parameters(ctx, p, b)
		if err != nil {
			r.misconfigured(p, b, err)
			continue
		}
		for _, param := range params {
			invocations = append(invocations, invocation{p, b, form, param})
		}
	}
	return invocations
}

// invoke lets a policy change the object, if its conditions hold. The error ends the request
// whatever the policy says of failures.
func (r *run) invoke(ctx context.Context, round *admission.Round, in *invocation) error {
	if !round.Due(in.part()) {
		return nil
	}
	next, old, err := r.objects(ctx, in.form)
	if err != nil {
		r.misconfigured(in.policy, nil, err)
		return nil
	}
	a := &activation{run: r, policy: in.policy, form: *in.form, object: next, oldObject: old, params: in.params}
	a.variables.activation = a
	holds, err := a.conditionsHold()
	if err != nil {
		r.fail(in, err)
		return nil
	}
	if !holds {
		return nil
	}
	patched, err := r.mutate(ctx, a, in)
	round.Called(in.part(), in.policy.reinvocable, patched)
	return err
}

// mutate makes the mutations of a policy, each upon the ones before it. One that fails
// leaves the object to the next.
func (r *run) mutate(ctx context.Context, a *activation, in *invocation) (patched bool, err error) {
	for i := range in.policy.mutations {
		next, err := a.mutate(ctx, &in.policy.mutations[i])
		if isFinal(err) {
			return false, err
		}
		if err != nil {
			r.fail(in, err)
			next = a.object
		} else {
			a.note("mutation %d made", i)
			patched = true
		}
		a.setObject(next)
	}
	if !patched {
		return false, nil
	}
	req := r.subject.Request
	if a.form.Kind != req.Kind {
		if a.object, err = r.convert(ctx, a.object, req.Kind); err != nil {
			return false, object.InternalError(fmt.Errorf("failed to convert object: %w", err))
		}
	}
	req.Object, r.patched = a.object, true
	return true, nil
}

// isFinal says whether an error is an answer of its own, or the end of the context.
func isFinal(err error) bool {
	var status *object.StatusError
	return errors.As(err, &status) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// fail notes that an invocation failed, which the policy may want to ignore.
func (r *run) fail(in *invocation, err error) {
	r.note("policy %s: %v", in.policy.name, err)
	if !in.policy.ignores {
		r.deny(in.policy, in.binding, err.Error(), object.ErrInvalid)
	}
}

// failure is the error for what failed: it tells all, and has the reason of the first.
func (r *run) failure() error {
	if len(r.denials) == 0 {
		return nil
	}
	err := r.subject.Request.Forbidden(errors.New("admission request denied by policy"))
	for i, d := range r.denials {
		message := fmt.Sprintf("policy %q denied request: %s", d.policy.name, d.message)
		if d.binding != nil {
			message = fmt.Sprintf("policy '%s' with binding '%s' denied request: %s", d.policy.name, d.binding.name, d.message)
		}
		if i == 0 {
			err.Status.Message = message
			if d.reason != "" {
				err.Status.Reason = d.reason
			}
		}
		err.Status.Details.Causes = append(err.Status.Details.Causes, object.Cause{Message: message})
	}
	return err
}
