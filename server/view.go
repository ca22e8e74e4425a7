package server

import "github.com/seed-6c0fa0ad/plinth/object"

// show gives what the endpoint shows of an object.
func (c *call) show(o object.Object) (object.Object, error) {
	if view := c.view(); view != nil {
		return view.Show(o)
	}
	return o, nil
}

// patched gives what a patch of the endpoint changes.
func (c *call) patched(o object.Object) (object.Object, error) {
	if view := c.view(); view != nil {
		return view.Begin(o)
	}
	return o, nil
}

// changeBy gives the object that a document of the endpoint asks for: the document
// itself or, of a view, the live object changed by it. The document belongs to the callee.
func (c *call) changeBy(next, live object.Object) (object.Object, error) {
	view := c.view()
	if view == nil {
		return next, nil
	}
	if err := c.matchPath(next); err != nil {
		return nil, err
	}
	return view.Apply(live, next)
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
