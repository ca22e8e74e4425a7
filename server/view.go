package server

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// show gives what the endpoint shows of an object.
func (c *call) show(o object.Object) (object.Object, error) {
	if view := c.view(); view != nil {
		return view.Show(o)
	}
	return o, nil
}

// begin gives what a write of the endpoint starts from: the object or, of a view, its
// document, with the owners of what that has of the object.
func (c *call) begin(o object.Object) (object.Object, error) {
	view := c.view()
	if view == nil {
		return o, nil
	}
	shown, err := view.Begin(o)
	if err != nil {
		return nil, err
	}
	owners, err := c.face.scale.Show(o)
	if err != nil {
		return nil, err
	}
	if owners != nil {
		shown.EnsureMetadata()["managedFields"] = owners
	}
	return shown, nil
}

// showToValidators gives the document of a view for validators, who don't see its owners. An
// object may lack what the document is about as long as no write has set it.
func (c *call) showToValidators(o object.Object) (object.Object, error) {
	shown, err := c.view().Show(o)
	if err == nil {
		return shown, nil
	}
	if shown, err = c.view().Begin(o); err == nil {
		shown["spec"] = map[string]any{}
	}
	return shown, err
}

// changeBy gives the object that a document of the endpoint asks for: the document
// itself or, of a view, the live object changed by it. The document belongs to the callee.
func (c *call) changeBy(ctx context.Context, next, live object.Object) (object.Object, error) {
	if c.view() == nil {
		return next, nil
	}
	if err := c.matchPath(next); err != nil {
		return nil, err
	}
	shown, err := c.begin(live)
	if err != nil {
		return nil, err
	}
	c.track(shown, next)
	return c.through(ctx, next, live)
}

// through gives a copy of an object in the state that the document of a view wants, with
// its owners.
func (c *call) through(ctx context.Context, next, live object.Object) (object.Object, error) {
	next, err := c.mutateView(ctx, next, live)
	if err != nil {
		return nil, err
	}
	o, err := c.view().Apply(live, next)
	if err != nil {
		return nil, err
	}
	given, _ := next.Metadata()["managedFields"].([]any)
	owners, err := c.face.scale.Store(live, given)
	if err != nil {
		return nil, fmt.Errorf("owners of fields of %s: %w", live, err)
	}
	if delete(o.EnsureMetadata(), "managedFields"); owners != nil {
		o.Metadata()["managedFields"] = owners
	}
	return o, nil
}

func (c *call) mutateView(ctx context.Context, next, live object.Object) (object.Object, error) {
	if c.attempt == nil {
		return next, nil
	}
	shown, err := c.begin(live)
	if err != nil {
		return nil, err
	}
	return c.attempt.mutate(ctx, next, shown)
}

// encodeView gives the document that a view shows of a stored object.
func (c *call) encodeView(e *object.Encoded) (*object.Encoded, error) {
	o, err := c.fromStored(e)
	if err != nil {
		return nil, err
	}
	if o, err = c.view().Show(o); err != nil {
		return nil, err
	}
	encoded, err := object.Encode(o, nil)
	encoded.Version = e.Version
	return &encoded, err
}
