package webhook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// Config is what webhooks need of those around them. What is missing cannot be used.
type Config struct {
	Clients     *callout.Clients  // for webhooks that are not functions
	Patcher     Patcher           // for those that mutate
	Authorizer  policy.Authorizer // for conditions that ask one
	Equivalence match.Equivalence // for resources that are served in several forms
	Converter   match.Converter   // between these
}

// Patcher does what the patches of webhooks say.
type Patcher interface {
	// JSONPatch applies a JSON Patch, which is a list of operations, to an object, and gives
	// the result in the form of its kind and with its defaults; an empty list is for what a
	// function changed, which only needs these. It leaves the object as it is; the result
	// belongs to the caller. An error should say no more than what is wrong with
	// the patch: it becomes that of the request, which is an internal one.
	JSONPatch(ctx context.Context, o object.Object, patch []byte) (object.Object, error)
}

// passage is one request on its way through the hooks of a stage.
type passage struct {
	config    *Config
	req       *admission.Request
	subject   match.Subject
	questions []*question // one for each form that was asked for, about the objects as they are
}

func newPassage(config *Config, req *admission.Request) *passage {
	return &passage{config: config, req: req, subject: match.NewSubject(req, config.Equivalence)}
}

// changed forgets what was found out about the object.
func (p *passage) changed() {
	p.subject = match.NewSubject(p.req, p.config.Equivalence)
	p.questions = nil
}

// question gives what to ask a hook, or nil if it is not about the request.
func (p *passage) question(ctx context.Context, h *hook) (*question, error) {
	form := h.matcher.Match(&p.subject)
	if form == nil {
		return nil, nil
	}
	q, err := p.questionIn(ctx, *form)
	if err != nil || h.conditions == nil {
		return q, err
	}
	holds, err := h.conditions.Hold(ctx, p.req, q.view, p.config.Authorizer)
	switch {
	case err != nil && !h.ignores:
		return nil, object.Forbidden(p.req.Resource.GroupResource(), p.req.Name, err)
	case err != nil:
		p.note(h, "not called, its conditions failed: %v", err)
		return nil, nil
	case !holds:
		p.note(h, "not called, its conditions are not met")
		return nil, nil
	}
	return q, nil
}

func (p *passage) questionIn(ctx context.Context, form match.Form) (*question, error) {
	for _, q := range p.questions {
		if q.view.Form == form {
			return q, nil
		}
	}
	view := policy.View{Form: form, Object: p.req.Object, OldObject: p.req.OldObject}
	if form.Kind != p.req.Kind {
		var err error
		if view.Object, err = p.convert(ctx, view.Object, form.Kind); err != nil {
			return nil, err
		}
		if view.OldObject, err = p.convert(ctx, view.OldObject, form.Kind); err != nil {
			return nil, err
		}
	}
	q := newQuestion(p.req, view)
	p.questions = append(p.questions, q)
	return q, nil
}

func (p *passage) convert(ctx context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error) {
	if o == nil {
		return nil, nil
	}
	err := errors.New("there is no converter")
	if p.config.Converter != nil {
		o, err = p.config.Converter.Convert(ctx, o, to)
	}
	if err != nil {
		return nil, object.InternalError(fmt.Errorf("converting the object to %s for webhooks: %w", to, err))
	}
	return o, nil
}

// heard does with an answer what doesn't depend on who asked. The error is the hook's no.
func (p *passage) heard(h *hook, a *Answer) error {
	for _, key := range slices.Sorted(maps.Keys(a.AuditAnnotations)) {
		p.annotate(h, h.name+"/"+key, a.AuditAnnotations[key])
	}
	for _, w := range a.Warnings {
		p.req.Warn(w)
	}
	if !a.Allowed {
		err := denial(h.name, a.Status)
		p.note(h, "denied the request: code %d", err.Status.Code)
		return err
	}
	return nil
}

// failed decides about a hook that failed. If that is ignored, the audit log gets to know
// under a key. The error ends the request. A request that has ended itself is no failure of the
// hook's.
func (p *passage) failed(ctx context.Context, h *hook, key string, err error) error {
	switch {
	case ctx.Err() != nil:
		p.note(h, "not waited for: %v", err)
		return tooLate(ctx)
	case !h.ignores:
		return object.InternalError(err)
	}
	p.note(h, "ignored: %v", err)
	p.req.Annotate(key, h.name)
	return nil
}

// annotate leaves out what the audit log doesn't take.
func (p *passage) annotate(h *hook, key, value string) {
	if problems := object.ValidateLabelKey(key); len(problems) > 0 {
		p.note(h, "audit annotation %q left out: %s", key, problems[0])
		return
	}
	p.req.Annotate(key, value)
}

// note tells a trace what a hook did.
func (p *passage) note(h *hook, format string, args ...any) {
	if p.req.Trace != nil {
		p.req.Note("webhook %s of %s: %s", h.name, h.configuration, fmt.Sprintf(format, args...))
	}
}
