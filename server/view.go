package server

import "github.com/seed-6c0fa0ad/plinth/object"

// show gives what the endpoint shows of an object.
func (c *call) show(o object.Object) (object.Object, error) {
	view := c.view()
	if view == nil {
		return o, nil
	}
	shown, err := view.Show(o)
	if err == nil {
		shown.SetType(c.face.typeMeta)
	}
	return shown, err
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
	o := live.DeepCopy()
	if err := view.Change(o, next); err != nil {
		return nil, err
	}
	o.SetUID(next.UID())
	o.SetResourceVersion(next.ResourceVersion())
	return o, nil
}

// encodeView gives the document that a view shows of a stored object.
func (c *call) encodeView(e *object.Encoded) (*object.Encoded, error) {
	o, err := c.fromStored(e)
	if err != nil {
		return nil, err
	}
	shown, err := c.show(o)
	if err != nil {
		return nil, err
	}
	encoded, err := object.Encode(shown, nil)
	encoded.Version = e.Version
	return &encoded, err
}
