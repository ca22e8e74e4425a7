package server

import (
	"github.com/seed-6c0fa0ad/plinth/object"
)

// call is one request on a resource, as the verbs see it: what it is about, who
// asks, and what it has to tell beside its answer.
type call struct {
	*Server
	*served
	set       *resourceSet
	sub       *Subresource // nil for the object itself
	namespace string
	name      string
	user      object.User
	opts      WriteOptions
	warnings  warnings
}

func (c *call) warn(text string) { c.warnings.add(text) }

// key names the object of the call, or its collection while the name is empty.
func (c *call) key() object.Key {
	return object.Key{GroupResource: c.collection, Namespace: c.namespace, Name: c.name}
}

func (c *call) groupResource() object.GroupResource {
	return object.GroupResource{Group: c.Group, Resource: c.Plural}
}

// groupKind names the kind in errors.
func (c *call) groupKind() object.GroupKind { return c.gvk.GroupKind() }

// rules are those of the endpoint: of the subresource, if it is one.
func (c *call) rules() Rules {
	if c.sub != nil {
		return c.sub.Rules
	}
	return c.Rules
}
