package storage

import (
	"context"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Typed is a collection of a store as values of a Go type, a struct that embeds
// [object.TypeMeta] and [object.ObjectMeta]. Values go in and out as copies.
type Typed[T any] struct{ documents documents }

// For gives the view of a collection for the type T.
func For[T any](s *Store, kind Kind) *Typed[T] {
	return &Typed[T]{documents{store: s, kind: kind}}
}

// Event is a change of an object of type T. For Deleted, Object is the last state, with the
// resource version of the deletion.
type Event[T any] struct {
	Type   object.EventType
	Object *T
}

// Create stores a new object and returns it as stored: with its uid, creation time,
// resource version and generation, and with a name if it had only a generateName.
// It fails with Invalid and AlreadyExists.
func (t *Typed[T]) Create(ctx context.Context, v *T) (*T, error) {
	o, err := object.From(v)
	if err != nil {
		return nil, err
	}
	return typed[T](t.documents.create(ctx, o))
}

// Get reads an object. It fails with NotFound.
func (t *Typed[T]) Get(ctx context.Context, namespace, name string) (*T, error) {
	_, o, err := t.documents.get(ctx, namespace, name)
	return typed[T](o, err)
}

// Update replaces an object, which must be at the resource version that v names, and
// returns it as stored. The generation counts up if anything but metadata and status
// differs; if nothing does, nothing is written. It fails with NotFound, Conflict and Invalid.
func (t *Typed[T]) Update(ctx context.Context, v *T) (*T, error) {
	o, err := object.From(v)
	if err != nil {
		return nil, err
	}
	return typed[T](t.documents.update(ctx, o))
}

// Modify reads an object, has change edit it, and writes it back; if another
// write came in between, it does so again with the newer state, up to a hundred
// times. An error of change ends it and is returned as it is.
func (t *Typed[T]) Modify(ctx context.Context, namespace, name string, change func(*T) error) (*T, error) {
	return typed[T](t.documents.modify(ctx, namespace, name, func(o object.Object) (object.Object, error) {
		v, err := object.As[T](o)
		if err != nil {
			return nil, err
		}
		if err := change(v); err != nil {
			return nil, err
		}
		return object.From(v)
	}))
}

// Delete removes an object at once, finalizers or not, and returns its last
// state. It fails with NotFound, and with Conflict if the preconditions do not hold.
func (t *Typed[T]) Delete(ctx context.Context, namespace, name string, pre Preconditions) (*T, error) {
	return typed[T](t.documents.remove(ctx, namespace, name, pre))
}

// listBatch is how many objects are read at once, so that no read of the backend
// lasts while the consumer is busy.
const listBatch = 256

// List gives the objects of a namespace, or of all if it is empty, in the order of
// their names. All of them are of one state of the store. An error comes last.
func (t *Typed[T]) List(ctx context.Context, namespace string, opts ListOptions) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		l, err := t.documents.store.List(ctx, t.documents.kind.key(namespace, ""), opts)
		if err != nil {
			yield(nil, err)
			return
		}
		t.visit(ctx, l, yield)
	}
}

// visit yields what is on a page and says whether the consumer wants more.
func (t *Typed[T]) visit(ctx context.Context, l *List, yield func(*T, error) bool) (more bool) {
	batch := make([]*object.Encoded, 0, listBatch)
	for !l.Done() {
		batch = batch[:0]
		err := l.Visit(func(_ object.Key, e *object.Encoded) bool {
			batch = append(batch, e.Clone())
			return len(batch) < listBatch
		})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		for _, e := range batch {
			if v, err := t.decode(e); !yield(v, err) || err != nil {
				return false
			}
		}
	}
	return true
}

// Watch gives the changes of a namespace, or of all if it is empty, after a
// resource version, until ctx ends. After none (""), it begins with all that is there, as
// Added. An error comes last: that of ctx, or Expired if the version is too old,
// upon which a caller starts again from none.
func (t *Typed[T]) Watch(ctx context.Context, namespace, after string) iter.Seq2[Event[T], error] {
	return func(yield func(Event[T], error) bool) {
		from, err := object.ParseResourceVersion(after)
		if err == nil && after == "" {
			var more bool
			if from, more = t.initial(ctx, namespace, yield); !more {
				return
			}
		}
		if err != nil {
			yield(Event[T]{}, object.BadRequest("invalid resource version: %v", err))
			return
		}
		collection := t.documents.kind.key(namespace, "")
		for e, err := range t.documents.store.Events(ctx, collection, from) {
			event := Event[T]{Type: e.Type}
			if err == nil {
				event.Object, err = t.decode(e.Object)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func (t *Typed[T]) initial(ctx context.Context, namespace string, yield func(Event[T], error) bool) (from object.ResourceVersion, more bool) {
	l, err := t.documents.store.List(ctx, t.documents.kind.key(namespace, ""), ListOptions{})
	if err != nil {
		yield(Event[T]{}, err)
		return 0, false
	}
	more = t.visit(ctx, l, func(v *T, err error) bool {
		return yield(Event[T]{Type: object.Added, Object: v}, err)
	})
	return l.Version(), more
}

func (t *Typed[T]) decode(e *object.Encoded) (*T, error) {
	return typed[T](e.Object(t.documents.kind.TypeMeta()))
}

func typed[T any](o object.Object, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	return object.As[T](o)
}
