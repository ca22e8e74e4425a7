package server

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Target names what a verb is about. Namespace and Name are empty where the
// verb goes over a collection. The verbs below are those of HTTP without it: the
// same rules, for a program that needs no one's permission.
type Target struct {
	Resource    object.GroupVersionResource
	Subresource string
	Namespace   string
	Name        string
	User        object.User // who is said to act
}

// Get reads one object.
func (s *Server) Get(ctx context.Context, t Target) (object.Object, error) {
	c, err := s.call(ctx, t, WriteOptions{})
	if err != nil {
		return nil, err
	}
	e, err := c.live(ctx)
	return c.result(e, err)
}

// List reads a collection, or a page of it, and gives the metadata of the list.
func (s *Server) List(ctx context.Context, t Target, opts ListOptions) ([]object.Object, object.ListMeta, error) {
	c, err := s.call(ctx, t, WriteOptions{})
	if err == nil {
		err = opts.validate()
	}
	if err != nil {
		return nil, object.ListMeta{}, err
	}
	list, err := c.list(ctx, opts)
	if err != nil {
		return nil, object.ListMeta{}, err
	}
	items := []object.Object{}
	b := batch{served: c.served, add: func(e *object.Encoded) error {
		o, err := c.fromStored(e)
		items = append(items, o)
		return err
	}}
	err = list.Each(func(_ object.Key, e *object.Encoded) error { return b.next(e) })
	if err == nil {
		err = b.flush()
	}
	if err != nil {
		return nil, object.ListMeta{}, err
	}
	return items, listMetaOf(list), nil
}

// Create stores a new object and gives it as stored. o is not changed.
func (s *Server) Create(ctx context.Context, t Target, o object.Object, opts WriteOptions) (object.Object, error) {
	c, err := s.call(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	if o, err = c.take(o); err != nil {
		return nil, err
	}
	e, err := c.post(ctx, o)
	return c.result(e, err)
}

// Update replaces an object. If o names a resource version, it must be the live
// one. o is not changed.
func (s *Server) Update(ctx context.Context, t Target, o object.Object, opts WriteOptions) (object.Object, error) {
	c, err := s.call(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	if o, err = c.take(o); err != nil {
		return nil, err
	}
	change, err := c.replace(o)
	if err != nil {
		return nil, err
	}
	e, _, err := c.update(ctx, change)
	return c.result(e, err)
}

// take copies a document of the program and, if it has a Go type or follows a schema,
// treats it as one of a client.
func (c *call) take(o object.Object) (object.Object, error) {
	if c.face.version.Codec != nil {
		return c.decodeBody(mediaJSON, object.AppendJSON(nil, o))
	}
	o = o.DeepCopy()
	o.SetType(c.face.typeMeta)
	if c.face.version.Documents == nil {
		return o, nil
	}
	unknown, err := c.face.normalize(o)
	if err != nil {
		return nil, c.errDecode(c.gvk, err)
	}
	return o, c.report(findings{fields: unknownFields(unknown)})
}

// Patch changes an object by a patch. An apply, which needs a field manager, creates
// the object if there is none.
func (s *Server) Patch(ctx context.Context, t Target, kind apply.PatchType, patch []byte, opts WriteOptions) (object.Object, error) {
	c, err := s.call(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	if kind == apply.ApplyPatch && opts.FieldManager == "" {
		return nil, invalidOptions("PatchOptions", object.FieldErrors{errNoManager()})
	}
	change, err := c.patch(kind, patch)
	if err != nil {
		return nil, err
	}
	e, _, err := c.update(ctx, change)
	return c.result(e, err)
}

// Delete deletes an object or marks it, and gives its last, or marked, state.
// removed says which.
func (s *Server) Delete(ctx context.Context, t Target, opts gc.DeleteOptions) (o object.Object, removed bool, err error) {
	c, err := s.call(ctx, t, WriteOptions{DryRun: opts.DryRun})
	if err == nil {
		err = opts.Validate()
	}
	if err != nil {
		return nil, false, err
	}
	d, err := c.delete(ctx, opts)
	o, err = c.result(d.object, err)
	return o, d.removed, err
}

// DeleteCollection deletes what the options select, each object as Delete does.
func (s *Server) DeleteCollection(ctx context.Context, t Target, list ListOptions, opts gc.DeleteOptions) error {
	c, err := s.call(ctx, t, WriteOptions{DryRun: opts.DryRun})
	if err == nil {
		err = opts.ValidateAll()
	}
	if err != nil {
		return err
	}
	keys, err := c.keys(ctx, list)
	if err != nil {
		return err
	}
	return c.deleteEach(ctx, keys, opts)
}

// call resolves a target.
func (s *Server) call(ctx context.Context, t Target, opts WriteOptions) (*call, error) {
	set := s.resources.Load()
	found, ok := set.find(t.Resource)
	if !ok {
		return nil, object.PathNotFound()
	}
	c := &call{Server: s, served: found, set: set, namespace: t.Namespace, name: t.Name, user: t.User, opts: opts}
	c.trace = admission.TraceOf(ctx)
	return c, c.enter(t.Subresource)
}

func (c *call) result(e *object.Encoded, err error) (object.Object, error) {
	if err != nil {
		return nil, err
	}
	o, err := c.fromStored(e)
	if err != nil {
		return nil, err
	}
	return c.show(o)
}
