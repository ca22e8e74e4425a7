package server

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// call is one request on a resource, as the verbs see it: what it is about, who
// asks, and what it has to tell beside its answer.
type call struct {
	*Server
	*served
	set       *resourceSet
	sub       *Subresource // nil for the object itself
	face      *served      // what the endpoint shows: the object, or the view of a subresource
	namespace string
	name      string
	user      object.User
	agent     string // the program that asks, by its User-Agent
	opts      WriteOptions

	// mayCreate asks whether the user may create the object of the call; nil if a program
	// asks, which needs no one's permission.
	mayCreate func(ctx context.Context) error

	// What a create knows of its namespace; see checkNamespace.
	gate  *gate
	marks uint64

	attempt *review // of the write under way; nil if nobody wants to see it
	ofMany  bool    // whether the object is deleted as one of a collection
	asides
}

// enter goes on to a subresource, if one is named.
func (c *call) enter(subresource string) error {
	c.face = c.served
	if subresource == "" {
		return nil
	}
	sub, ok := c.subresource(subresource)
	switch {
	case !ok && c.isCustom():
		return object.NotFound(c.groupResource(), c.name)
	case !ok:
		return object.PathNotFound()
	}
	c.sub = sub
	if view, ok := c.views[subresource]; ok {
		c.face = view
	}
	return nil
}

// view is what the endpoint shows in place of the object, or nil.
func (c *call) view() *View {
	if c.sub == nil {
		return nil
	}
	return c.sub.View
}

// key names the object of the call, or its collection while the name is empty.
func (c *call) key() object.Key {
	return object.Key{GroupResource: c.collection, Namespace: c.namespace, Name: c.name}
}

func (c *call) groupResource() object.GroupResource {
	return object.GroupResource{Group: c.Group, Resource: c.Plural}
}

// groupKind names the kind in errors about an object that is not valid, which speak
// of the stored form: its group is that of the collection.
func (c *call) groupKind() object.GroupKind {
	return object.GroupKind{Group: c.collection.Group, Kind: c.Kind}
}

// rules are those of the endpoint: of the subresource, if it is one.
func (c *call) rules() Rules {
	if c.sub != nil {
		return c.sub.Rules
	}
	return c.Rules
}

// warnOf passes on what the kind warns of.
func (c *call) warnOf(next, old object.Object) {
	warn := c.rules().Warn
	if warn == nil {
		return
	}
	for _, text := range warn(next, old) {
		c.warn(text)
	}
}
