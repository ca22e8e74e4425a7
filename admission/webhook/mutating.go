package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Mutating asks webhooks, one after the other, what to change about an object. It implements
// admission.Reinvoker, for any number of goroutines.
type Mutating struct {
	config Config
	hooks  []*hook
	index  *match.Index
}

// NewMutating makes a stage of the webhooks of some configurations.
func NewMutating(config Config, configurations ...*Configuration) *Mutating {
	m := &Mutating{config: config}
	m.hooks, m.index = inOrder(configurations)
	return m
}

// Name implements admission.Named.
func (m *Mutating) Name() string { return "MutatingAdmissionWebhook" }

// Mutate implements admission.Mutator.
func (m *Mutating) Mutate(ctx context.Context, req *admission.Request) error {
	return m.run(ctx, req, 0)
}

// Reinvoke implements admission.Reinvoker. It asks those again that want it and behind which the
// object changed, be it by one of them or by another stage.
func (m *Mutating) Reinvoke(ctx context.Context, req *admission.Request) error {
	return m.run(ctx, req, 1)
}

func (m *Mutating) run(ctx context.Context, req *admission.Request, number int) error {
	if len(m.hooks) == 0 || isExempt(req.Resource.GroupResource()) {
		return nil
	}
	round := req.Round(m)
	round.Begin(req.Object)
	defer func() { round.End(req.Object) }()
	p := newPassage(&m.config, req)
	for _, i := range m.index.Candidates(&p.subject) {
		h := m.hooks[i]
		if !round.Due(h) {
			continue
		}
		q, err := p.question(ctx, h)
		if err != nil {
			return err
		}
		if q == nil {
			continue
		}
		changed, err := p.mutate(ctx, h, q, fmt.Sprintf("round_%d_index_%d", number, i))
		round.Called(h, h.reinvocable, changed)
		if err != nil {
			return err
		}
	}
	return nil
}

// mutate has one hook change the object. place is its name in the audit log.
func (p *passage) mutate(ctx context.Context, h *hook, q *question, place string) (changed bool, err error) {
	defer func() { p.auditMutation(h, place, changed) }()
	r, err := h.ask(ctx, p.config.Clients, q, true)
	if err == nil {
		if err := p.heard(h, &r.Answer); err != nil {
			return false, err
		}
		err = r.checkPatch(h, q.view.Object != nil)
	}
	if err != nil {
		return false, p.failed(ctx, h, "failed-open.mutation.webhook.admission.k8s.io/"+place, err)
	}
	next, err := p.changedObject(ctx, h, q, &r)
	switch {
	case err != nil:
		return false, err
	case next == nil || next.Equal(q.view.Object):
		p.note(h, "changed nothing")
		return false, nil
	}
	if err := p.put(ctx, next, q.view.Form.Kind); err != nil {
		return false, err
	}
	p.note(h, "changed the object")
	return true, nil
}

// checkPatch says of a patch that cannot be read that the hook failed, and forgets one that does
// nothing. Of which type it is matters only if there is something to patch.
func (r *reply) checkPatch(h *hook, patchable bool) error {
	if len(r.Patch) == 0 {
		return nil
	}
	var operations []map[string]json.RawMessage
	if err := json.Unmarshal(r.Patch, &operations); err != nil {
		return &callError{h.name, fmt.Errorf("received undecodable patch in webhook response: %w", inTypesOfAPI(err))}
	}
	if len(operations) == 0 {
		r.Patch = nil
		return nil
	}
	if r.patchType != "" && patchable {
		return &callError{h.name, fmt.Errorf("unsupported patch type %q", r.patchType)}
	}
	return nil
}

// inTypesOfAPI names the types of a patch as the API does.
func inTypesOfAPI(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err
	}
	name := "jsonpatch.Patch"
	if wrong.Type.Kind() == reflect.Map {
		name = "jsonpatch.Operation"
	}
	return fmt.Errorf("json: cannot unmarshal %s into Go value of type %s", wrong.Value, name)
}

// changedObject gives what the object becomes, or nil if the hook changes nothing. Whatever goes
// wrong here is not for the failure policy: the hook has spoken.
func (p *passage) changedObject(ctx context.Context, h *hook, q *question, r *reply) (object.Object, error) {
	from, patch := q.view.Object, r.Patch
	if r.object != nil { // which gets its defaults as one does that was patched
		from, patch = r.object, []byte("[]")
	}
	switch {
	case len(patch) == 0:
		return nil, nil
	case q.view.Object == nil:
		return nil, object.InternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", h.name))
	case p.config.Patcher == nil && r.object != nil:
		return r.object, nil
	case p.config.Patcher == nil:
		return nil, object.InternalError(errors.New("patches of webhooks cannot be applied here"))
	}
	next, err := p.config.Patcher.JSONPatch(ctx, from, patch)
	if err != nil {
		return nil, object.InternalError(err)
	}
	if kind := next.GroupVersionKind(); kind != q.view.Object.GroupVersionKind() {
		return nil, object.InternalError(fmt.Errorf("admission webhook %q attempted to make the object one of %s", h.name, kind))
	}
	return next, nil
}

// put replaces the object by one of this kind.
func (p *passage) put(ctx context.Context, next object.Object, kind object.GroupVersionKind) error {
	if kind != p.req.Kind {
		converted, err := p.convert(ctx, next, p.req.Kind)
		if err != nil {
			return err
		}
		next = converted.DeepCopy()
	}
	p.req.Object = next
	p.changed()
	return nil
}

// auditMutation tells the audit log that a hook was asked.
func (p *passage) auditMutation(h *hook, place string, changed bool) {
	value, err := json.Marshal(struct {
		Configuration string `json:"configuration"`
		Webhook       string `json:"webhook"`
		Mutated       bool   `json:"mutated"`
	}{h.configuration, h.name, changed})
	if err == nil { // always: all is text
		p.req.Annotate("mutation.webhook.admission.k8s.io/"+place, string(value))
	}
}
