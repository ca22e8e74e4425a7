package server

import (
	"fmt"
	"reflect"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// terminating is why nothing new is created while a definition goes.
const terminating = "create not allowed while custom resource definition is terminating"

// install serves the objects of a definition as it stands. What cannot be served,
// because the program serves a resource of that name itself, say, is logged.
func (d *definitions) install(o object.Object) {
	known := d.known[o.Name()]
	names := definition.AcceptedNames(o)
	closed := !o.DeletionTimestamp().IsZero()
	if known != nil && known.resource != nil && known.generation == o.Generation() && reflect.DeepEqual(known.accepted, names) {
		if known.closed != closed {
			if err := d.swap(known, known.resource, closed); err != nil {
				d.config.Logger.Error("closing a custom resource", "definition", o.Name(), "error", err)
			}
		}
		return
	}
	if known == nil {
		known = &installed{}
		d.known[o.Name()] = known
	}
	known.group, known.generation, known.accepted = groupOf(o), o.Generation(), names
	parsed, err := d.shared.Parse(o)
	if err == nil {
		var c *customResource
		if c, err = newCustomResource(d.stopping, newParsedDefinition(parsed), d.config.Service); err == nil {
			err = d.swap(known, c, closed)
		}
	}
	if err != nil {
		d.config.Logger.Error("serving a custom resource", "definition", o.Name(), "error", err)
	}
}

// swap serves another state of a definition in place of the one before, at once.
func (d *definitions) swap(known *installed, c *customResource, closed bool) error {
	reason := ""
	if closed {
		reason = terminating
	}
	r := c.resource(reason)
	if len(r.Versions) == 0 {
		d.uninstall(known)
		known.resource = c
		return nil
	}
	before := object.GroupResource{Group: known.group, Resource: known.plural}
	if err := d.replaceResource(before, r); err != nil {
		return fmt.Errorf("serving %s: %w", c.Name, err)
	}
	if known.resource != nil && known.resource != c {
		known.resource.close()
	}
	known.resource, known.closed, known.plural = c, closed, r.Plural
	return nil
}

// uninstall stops serving a definition.
func (d *definitions) uninstall(known *installed) {
	if known.plural != "" {
		d.Remove(object.GroupResource{Group: known.group, Resource: known.plural})
		known.plural = ""
	}
	if known.resource != nil {
		known.resource.close()
		known.resource = nil
	}
}

// forget is for a definition that is gone: its names are free again.
func (d *definitions) forget(name string) {
	known, ok := d.known[name]
	if !ok {
		return
	}
	d.uninstall(known)
	delete(d.known, name)
	d.queue.forget(object.GroupResource{Group: known.group, Resource: known.accepted.Plural})
	for other, entry := range d.known {
		if entry.group == known.group {
			d.queue.add(other)
		}
	}
}

// replaceResource serves r in the place of another resource, if that is there.
func (s *Server) replaceResource(old object.GroupResource, r Resource) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, err := s.resources.Load().without(old).with(r)
	if err != nil {
		return err
	}
	s.follow(set)
	if r.Closed != "" {
		set.waitForCreates(object.GroupResource{Group: r.Group, Resource: r.Plural})
	}
	return nil
}
