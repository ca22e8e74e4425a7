package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// run is one request on its way through policies.
type run struct {
	subject   match.Subject
	config    *Config
	authorize expr.Authorizer

	userDocument, namespaceDocument map[string]any // made when they are asked for

	denials   []denial
	published []published // of the policy at hand
	audited   []auditedFailure
	patched   bool // whether a policy changed the object
}

// denial is a reason to refuse the request.
type denial struct {
	policy  *Policy
	binding *Binding // nil if it is that of no binding
	message string
	reason  object.Reason
}

func newRun(ctx context.Context, req *admission.Request, config *Config) *run {
	return &run{
		subject:   match.NewSubject(req, config.Equivalence),
		config:    config,
		authorize: authorize(ctx, config.Authorizer),
	}
}

func (r *run) note(format string, args ...any) { r.subject.Request.Note(format, args...) }

// policy applies a policy by its bindings, or without any if there are none.
func (r *run) policy(ctx context.Context, p *Policy, bindings []*Binding) {
	form := p.matcher.Match(&r.subject)
	if form == nil {
		return
	}
	if err := r.usable(p); err != nil {
		r.misconfigured(p, nil, err)
		return
	}
	r.published = nil
	if bindings == nil {
		r.bound(ctx, p, nil, form)
	}
	for _, b := range bindings {
		if b.matcher.Match(&r.subject) != nil {
			r.bound(ctx, p, b, form)
		}
	}
	r.publish()
}

// bound evaluates a policy for one binding, once for each of its parameters.
func (r *run) bound(ctx context.Context, p *Policy, b *Binding, form *match.Form) {
	params, err := r.parameters(ctx, p, b)
	if err != nil {
		r.misconfigured(p, b, err)
		return
	}
	if len(params) == 0 {
		r.note("policy %s: no parameters", p.name)
		return
	}
	next, old, err := r.objects(ctx, form)
	if err != nil {
		r.misconfigured(p, b, fmt.Errorf("failed to convert object version: %w", err))
		return
	}
	for _, param := range params {
		a := &activation{run: r, policy: p, form: *form, object: next, oldObject: old, params: param}
		a.variables.activation = a
		r.take(p, b, a.evaluate())
	}
}

// misconfigured denies what cannot be judged, for want of parameters, of the right form or
// of a policy that compiles.
func (r *run) misconfigured(p *Policy, b *Binding, err error) {
	r.note("policy %s: %v", p.name, err)
	switch {
	case p.ignores:
	case b == nil:
		r.deny(p, nil, fmt.Sprintf("failed to configure policy: %v", err), "")
	default:
		r.deny(p, b, fmt.Sprintf("failed to configure binding: %v", err), "")
	}
}

// objects gives the objects of the request in the form that a policy knows.
func (r *run) objects(ctx context.Context, form *match.Form) (next, old object.Object, err error) {
	req := r.subject.Request
	if form.Kind == req.Kind {
		return req.Object, req.OldObject, nil
	}
	if next, err = r.convert(ctx, req.Object, form.Kind); err == nil {
		old, err = r.convert(ctx, req.OldObject, form.Kind)
	}
	return next, old, err
}

func (r *run) convert(ctx context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error) {
	if o == nil {
		return nil, nil
	}
	err := errors.New("there is no converter")
	if r.config.Converter != nil {
		o, err = r.config.Converter.Convert(ctx, o, to)
	}
	return o, err
}

// take does with an outcome what the binding wants.
func (r *run) take(p *Policy, b *Binding, o outcome) {
	for _, f := range o.failures {
		r.note("policy %s: %s", p.name, f.message)
		if b == nil || b.denies {
			r.deny(p, b, f.message, f.reason)
		}
		if b != nil && b.audits {
			r.auditFailure(p, b, f)
		}
		if b != nil && b.warns {
			r.subject.Request.Warn(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.name, b.name, f.message))
		}
	}
	for _, message := range o.refusals {
		r.deny(p, b, message, "")
	}
	for _, v := range o.values {
		if !slices.Contains(r.published, v) {
			r.published = append(r.published, v)
		}
	}
}

func (r *run) deny(p *Policy, b *Binding, message string, reason object.Reason) {
	r.denials = append(r.denials, denial{p, b, message, reason})
}

// auditedFailure is a failure as the audit log shows it.
type auditedFailure struct {
	Message           string   `json:"message"`
	Policy            string   `json:"policy"`
	Binding           string   `json:"binding"`
	ExpressionIndex   int      `json:"expressionIndex"`
	ValidationActions []string `json:"validationActions"`
}

// maxAudited is how many failures the audit log gets of a request.
const maxAudited = 50

func (r *run) auditFailure(p *Policy, b *Binding, f failure) {
	if len(r.audited) < maxAudited {
		r.audited = append(r.audited, auditedFailure{f.message, p.name, b.name, f.index, b.spec.ValidationActions})
	}
}

// publishFailures tells the audit log of all failures at once.
func (r *run) publishFailures() {
	if len(r.audited) == 0 {
		return
	}
	if value, err := json.Marshal(r.audited); err == nil { // always: all is text
		r.subject.Request.Annotate("validation.policy.admission.k8s.io/validation_failure", string(value))
	}
}

// publish gives the audit log what the policy had for it, all values of a key in one.
func (r *run) publish() {
	for len(r.published) > 0 {
		key := r.published[0].key
		var values []string
		r.published = slices.DeleteFunc(r.published, func(v published) bool {
			if v.key == key {
				values = append(values, v.value)
			}
			return v.key == key
		})
		r.subject.Request.Annotate(key, strings.Join(values, ", "))
	}
}

// verdict is the error for the first denial.
func (r *run) verdict() error {
	if len(r.denials) == 0 {
		return nil
	}
	return r.denials[0].refuse(r.subject.Request)
}

// refuse words a denial: it says that it is forbidden, whatever its reason is.
func (d *denial) refuse(req *admission.Request) error {
	message := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", d.policy.name, d.message)
	if d.binding != nil {
		message = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", d.policy.name, d.binding.name, d.message)
	}
	err := req.Forbidden(errors.New(message))
	reason := d.reason
	if reason == "" {
		reason = object.ErrInvalid
	}
	err.Status.Reason, err.Status.Code = reason, reason.Code()
	err.Status.Details.Causes = append(err.Status.Details.Causes, object.Cause{Message: message})
	return err
}
