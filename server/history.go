package server

import (
	"context"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Change is what one write did to an object. Prev is nil if it created the object, and Next if
// it removed it.
type Change struct {
	Version    object.ResourceVersion
	Prev, Next object.Object
}

// History gives what was done, after a version, to the object that the target names, or to those
// of the collection if it names none: all that the store remembers, in order, in the version of
// the target. An error comes last; it is Expired if the history that is asked for is gone.
func (s *Server) History(ctx context.Context, t Target, after object.ResourceVersion) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		c, err := s.call(ctx, t, WriteOptions{})
		if err != nil {
			yield(Change{}, err)
			return
		}
		for e, err := range s.config.Store.History(ctx, c.key(), after) {
			if err == nil && t.Name != "" && e.Key.Name != t.Name {
				continue
			}
			var change Change
			if err == nil {
				change, err = c.changeOf(&e)
			}
			if !yield(change, err) || err != nil {
				return
			}
		}
	}
}

func (c *call) changeOf(e *object.Event) (change Change, err error) {
	change.Version = e.Version
	if e.Prev != nil {
		if change.Prev, err = c.fromStored(e.Prev); err != nil {
			return change, err
		}
	}
	if e.Type != object.Deleted {
		change.Next, err = c.fromStored(e.Object)
	}
	return change, err
}
