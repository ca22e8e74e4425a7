package server

import (
	"cmp"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// wrote tells who made a write, once it is done.
func (c *call) wrote(verb string, version object.ResourceVersion) {
	if c.config.Wrote == nil {
		return
	}
	about := Attributes{
		User: c.user, Verb: verb, Group: c.gvr.Group, Version: c.gvr.Version, Resource: c.gvr.Resource,
		Namespace: c.namespace, Name: c.name,
	}
	if c.sub != nil {
		about.Subresource = c.sub.Name
	}
	c.config.Wrote(about, cmp.Or(c.opts.FieldManager, c.agent), version)
}
