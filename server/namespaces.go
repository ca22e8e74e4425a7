package server

import (
	"context"
	"errors"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// namespaceController is who empties namespaces, and namespaceWriter owns what it writes.
const (
	namespaceController = "system:serviceaccount:kube-system:namespace-controller"
	namespaceWriter     = "kube-controller-manager"
)

// Namespaces gives a [gc.Emptier] access to the server. Its namespaces need the
// subresources status and finalize. The emptier must end before the store is closed.
func (s *Server) Namespaces() gc.Namespaces { return namespaceAccess{s} }

type namespaceAccess struct{ *Server }

func (n namespaceAccess) target(name, subresource string) Target {
	return Target{
		Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: name, Subresource: subresource,
		User: object.User{Name: namespaceController},
	}
}

// Follow implements [gc.Namespaces].
func (n namespaceAccess) Follow(ctx context.Context, marked, left func(namespace string)) (stop func(), err error) {
	collection := object.GroupResource{Resource: "namespaces"}
	if namespaces := n.resources.Load().namespaces; namespaces != nil {
		collection = namespaces.collection
	}
	_, stop = n.config.Store.Subscribe(func(events []object.Event) {
		for i := range events {
			switch e := &events[i]; {
			case e.Key.GroupResource == collection && e.Object.Deleting():
				marked(e.Key.Name)
			case e.Type == object.Deleted && e.Key.Namespace != "":
				left(e.Key.Namespace)
			}
		}
	})
	list, err := n.config.Store.List(ctx, object.Key{GroupResource: collection}, storage.ListOptions{})
	if err == nil {
		err = list.Each(func(key object.Key, e *object.Encoded) error {
			if e.Deleting() {
				marked(key.Name)
			}
			return nil
		})
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// Get implements [gc.Namespaces].
func (n namespaceAccess) Get(ctx context.Context, name string) (object.Object, error) {
	return n.Server.Get(ctx, n.target(name, ""))
}

// Write implements [gc.Namespaces].
func (n namespaceAccess) Write(ctx context.Context, namespace object.Object, subresource string) (object.Object, error) {
	return n.Update(ctx, n.target(namespace.Name(), subresource), namespace, WriteOptions{FieldManager: namespaceWriter})
}

// Resources implements [gc.Namespaces]: group by group, in the preferred versions.
func (n namespaceAccess) Resources(context.Context) (found []object.GroupVersionResource, err error) {
	for _, group := range n.resources.Load().groups {
		for _, version := range group.versions {
			for _, r := range version.resources {
				if r.Namespaced && r.version == &r.Versions[0] && r.canBeEmptied() {
					found = append(found, r.gvr)
				}
			}
		}
	}
	return found, nil
}

func (r *Resource) canBeEmptied() bool {
	return len(r.Verbs) == 0 || slices.Contains(r.Verbs, "list") && slices.Contains(r.Verbs, "delete")
}

// Empty implements [gc.Namespaces]. A resource that is not served any more is empty.
func (n namespaceAccess) Empty(ctx context.Context, r object.GroupVersionResource, namespace string) (gc.Remaining, error) {
	c, err := n.call(ctx, Target{Resource: r, Namespace: namespace, User: object.User{Name: namespaceController}}, WriteOptions{})
	if err != nil {
		if errors.Is(err, object.ErrNotFound) {
			err = nil
		}
		return gc.Remaining{}, err
	}
	keys, left, err := c.survey(ctx)
	if err != nil || len(keys) == 0 {
		return left, err
	}
	background := gc.Background
	if err := c.deleteEach(ctx, keys, gc.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return gc.Remaining{}, err
	}
	_, left, err = c.survey(ctx)
	return left, err
}

// survey lists the objects of the collection that are still to be deleted, and counts
// all that are there. What is marked already is not deleted once more, unless it has a
// policy that would keep it, or nothing keeps it and yet it is there: a deletion that a
// crash cut short.
func (c *call) survey(ctx context.Context) (keys []object.Key, left gc.Remaining, err error) {
	list, err := c.config.Store.List(ctx, c.collectionKey(), storage.ListOptions{})
	if err != nil {
		return nil, left, err
	}
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		if !e.Deleting() {
			keys = append(keys, key)
			left.Objects++
			return nil
		}
		o, err := e.Object(c.typeMeta)
		if err != nil {
			return err
		}
		if hasPolicy(o) || c.removable(o) {
			keys = append(keys, key)
		}
		left.Add(o)
		return nil
	})
	return keys, left, err
}

// hasPolicy says whether an object waits for its dependents, or they for it.
func hasPolicy(o object.Object) bool {
	return slices.ContainsFunc(o.Finalizers(), func(name string) bool {
		return name == object.FinalizerOrphan || name == object.FinalizerForeground
	})
}
