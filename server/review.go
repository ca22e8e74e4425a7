package server

import (
	"cmp"
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// review is one attempt of a write on its way through admission. A nil review, of a
// server without stages, lets everything pass.
type review struct {
	*call
	chain  *admission.Chain
	req    *admission.Request
	unread error // why the namespace could not be read that a stage wanted to see
}

// review begins one for an operation. Its options are made for those who see them.
func (c *call) review(ctx context.Context, operation admission.Operation, options func() object.Object) (*review, error) {
	chain, err := c.admissions.current(ctx)
	if err != nil || chain == nil {
		return nil, err
	}
	req := &admission.Request{
		Operation: operation, Resource: c.gvr, Kind: c.face.gvk,
		Name: c.name, Namespace: c.namespace,
		User: c.user, DryRun: c.opts.dryRun(), Options: options(), Trace: c.trace,
	}
	if c.sub != nil {
		req.Subresource = c.sub.Name
	}
	r := &review{call: c, chain: chain, req: req}
	req.FindNamespace = func() (o object.Object) {
		o, r.unread = c.findNamespace(ctx, req.Namespace)
		return o
	}
	return r, nil
}

// reviewWrite begins the review of a create or an update.
func (c *call) reviewWrite(ctx context.Context, operation admission.Operation) (*review, error) {
	kind := "UpdateOptions"
	if operation == admission.Create {
		kind = "CreateOptions"
	}
	return c.review(ctx, operation, func() object.Object { return c.opts.document(kind) })
}

// findNamespace reads a namespace for a stage; nil if there is none.
func (c *call) findNamespace(ctx context.Context, name string) (object.Object, error) {
	if c.set.namespaces == nil || name == "" {
		return nil, nil
	}
	o, err := c.Access().Namespace(ctx, name)
	if object.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading namespace %s: %w", name, err)
	}
	return o, nil
}

// ask runs stages and passes on what they said beside their verdict, which doesn't count if
// they could not see the namespace: they may have taken it for one without labels.
func (r *review) ask(ctx context.Context, stages func(context.Context, *admission.Request) error) error {
	defer r.take()
	err := stages(ctx, r.req)
	return cmp.Or(r.unread, err)
}

// about sets what the request is about. What gets its name later has none, and a namespace
// is in itself.
func (r *review) about(o, old object.Object) {
	r.req.Object, r.req.OldObject = o, old
	r.req.Name = cmp.Or(r.req.Name, o.Name())
	if r.req.IsNamespace() {
		r.req.Namespace = r.req.Name
	}
}

// validate asks the validators about the next state of an object in the form that rules
// are about.
func (r *review) validate(ctx context.Context, next, old object.Object) (err error) {
	if r == nil || len(r.chain.Validators) == 0 {
		return nil
	}
	if r.req.Object, err = r.exposed(next); err == nil {
		r.req.OldObject, err = r.exposed(old)
	}
	if err != nil {
		return err
	}
	r.req.Name = next.Name() // which may have been made just now
	return r.ask(ctx, r.chain.Validate)
}

// finish tells the validators whether what they let pass came to pass.
func (r *review) finish(happened bool) {
	if r != nil {
		r.req.Finish(happened)
	}
}

// settle does the rest of a write that is under review, and tells the validators what came of
// it, also if it panics.
func (c *call) settle(write func() (*object.Encoded, error)) (stored *object.Encoded, err error) {
	happened := false
	defer func() { c.attempt.finish(happened) }()
	stored, err = write()
	happened = err == nil
	return stored, err
}

// exposed gives what the endpoint shows of a document in the form that rules are about.
func (r *review) exposed(o object.Object) (object.Object, error) {
	switch {
	case o == nil:
		return nil, nil
	case r.view() != nil:
		return r.showToValidators(o)
	case r.stored || r.version.Documents != nil:
		return o, nil
	}
	o, err := r.version.FromStored(o.DeepCopy())
	if err != nil {
		return nil, err
	}
	o.SetType(r.typeMeta)
	return o, nil
}

// take passes on what the stages said beside their verdict.
func (r *review) take() {
	for _, text := range r.req.Warnings() {
		r.warn(text)
	}
	r.annotate(r.req.Annotations())
}

// audit tells what was noted of a write.
func (c *call) audit(ctx context.Context, verb string) {
	if c.config.Audit == nil || len(c.annotations) == 0 {
		return
	}
	about := Attributes{
		User: c.user, Verb: verb, Group: c.gvr.Group, Version: c.gvr.Version, Resource: c.gvr.Resource,
		Namespace: c.namespace, Name: c.name,
	}
	if c.sub != nil {
		about.Subresource = c.sub.Name
	}
	if about.Name == "" && c.attempt != nil { // one that was not created
		about.Name = c.attempt.req.Name
	}
	c.config.Audit(ctx, about, c.annotations)
}

// reviewDelete asks all stages about the deletion of an object.
func (c *call) reviewDelete(ctx context.Context, o object.Object, opts gc.DeleteOptions) (err error) {
	r, err := c.review(ctx, admission.Delete, func() object.Object { return deleteOptionsDocument(opts) })
	if c.attempt = r; r == nil || err != nil {
		return err
	}
	if o, err = r.exposed(o); err != nil {
		return err
	}
	if c.ofMany {
		r.req.Name = ""
	}
	r.req.OldObject = o
	if r.req.IsNamespace() {
		r.req.Namespace = o.Name()
	}
	return r.ask(ctx, r.chain.Run)
}
