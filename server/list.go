package server

import (
	"context"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// list checks the options and opens the list.
func (c *call) list(ctx context.Context, opts ListOptions) (*storage.List, error) {
	selector, err := c.selector(opts)
	if err != nil {
		return nil, err
	}
	return c.config.Store.List(ctx, c.collectionKey(), storage.ListOptions{
		Selector:        selector,
		Limit:           opts.Limit,
		Continue:        opts.Continue,
		ResourceVersion: opts.ResourceVersion,
		Match:           storage.MatchRule(opts.ResourceVersionMatch),
	})
}

// collectionKey names what a list or watch goes over.
func (c *call) collectionKey() object.Key {
	return object.Key{GroupResource: c.collection, Namespace: c.namespace}
}

// selector checks the options of a list or a watch and gives what they select, in the
// order of the API's checks: how selectors are written, what options go together, which
// fields there are.
func (c *call) selector(opts ListOptions) (s object.Selector, err error) {
	if s.Labels, err = object.ParseLabelSelector(opts.LabelSelector); err != nil {
		return s, object.BadRequest("%v", err)
	}
	if s.Fields, err = object.ParseFieldSelector(opts.FieldSelector); err != nil {
		return s, object.BadRequest("%v", err)
	}
	if err := opts.validate(); err != nil {
		return s, err
	}
	for _, term := range s.Fields.Requirements() {
		if err := c.checkField(term.Field); err != nil {
			return s, err
		}
		if _, ok := c.Fields[term.Field]; ok && c.version.Documents != nil {
			s.Read = c.readField
		}
	}
	return s, c.checkOneName(s.Fields)
}

// checkOneName refuses a field selector beside a path that names one object, unless it
// selects that one.
func (c *call) checkOneName(fields object.FieldSelector) error {
	if c.name == "" || fields.Empty() {
		return nil
	}
	if name, ok := fields.Exact("metadata.name"); !ok || name != c.name {
		return object.BadRequest("fieldSelector metadata.name doesn't match requested name")
	}
	return nil
}

// readField reads a selectable field from the document of an object that was stored
// before a definition made the field selectable. What cannot be read is empty.
func (s *served) readField(e *object.Encoded, field string) string {
	o, err := s.fromStored(e)
	if err != nil {
		return ""
	}
	return s.Fields[field](o)
}

// checkField refuses field selectors on what is not selectable. The kinds with a Go
// type that have no fields of their own take the namespace even if they have none.
func (c *call) checkField(name string) error {
	if _, ok := c.Fields[name]; ok || name == "metadata.name" {
		return nil
	}
	if name == "metadata.namespace" && (c.Namespaced || c.hasPlainFields()) {
		return nil
	}
	return c.errField(name)
}

// keys lists the names of the collection's objects that the options select.
func (c *call) keys(ctx context.Context, opts ListOptions) ([]object.Key, error) {
	list, err := c.list(ctx, opts)
	if err != nil {
		return nil, err
	}
	var keys []object.Key
	err = list.Each(func(key object.Key, _ *object.Encoded) error {
		keys = append(keys, key)
		return nil
	})
	return keys, err
}

// errField words the refusal of a field selector.
func (c *call) errField(name string) error {
	if !c.hasPlainFields() {
		return object.BadRequest("field label not supported: %s", name)
	}
	return object.BadRequest("%q is not a known field selector: only \"metadata.name\", \"metadata.namespace\"", name)
}

// hasPlainFields says whether the kind is one that says nothing of field selectors.
// Those without a Go type do: a definition lists their fields, if only none.
func (c *call) hasPlainFields() bool { return c.version.Codec != nil && len(c.Fields) == 0 }

func listMetaOf(l *storage.List) object.ListMeta {
	return object.ListMeta{
		ResourceVersion:    l.Version().String(),
		Continue:           l.Continue(),
		RemainingItemCount: l.Remaining(),
	}
}
