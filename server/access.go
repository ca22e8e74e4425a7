package server

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/seed-6c0fa0ad/plinth/admission/guard"
	"github.com/seed-6c0fa0ad/plinth/admission/limits"
	"github.com/seed-6c0fa0ad/plinth/admission/quota"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Access is a server as stages of admission see it that need to know what there is: its
// store, the kinds that it serves, and the feed of what changes. It is a [quota.Cluster], a
// [limits.Reader], and what the stages of guard ask for.
type Access struct{ server *Server }

// Access gives the server to stages of admission.
func (s *Server) Access() Access { return Access{s} }

var (
	_ quota.Cluster = Access{}
	_ limits.Reader = Access{}

	_ guard.NamespaceReader = Access{}
	_ guard.Kinds           = Access{}
	_ guard.Authorizer      = Access{}
)

// errStop ends a list that nobody wants to go on with.
var errStop = errors.New("stopped")

// each visits the stored objects of a resource; those of all namespaces for "".
func (a Access) each(ctx context.Context, resource object.GroupResource, namespace string, visit func(*served, object.Key, *object.Encoded) error) error {
	found, ok := a.server.resources.Load().ofCollection(resource)
	if !ok {
		return object.NotFound(resource, "")
	}
	list, err := a.server.config.Store.List(ctx, object.Key{GroupResource: resource, Namespace: namespace}, storage.ListOptions{})
	if err != nil {
		return err
	}
	return list.Each(func(key object.Key, e *object.Encoded) error { return visit(found, key, e) })
}

// List yields the objects of a resource in a namespace, or in all for "".
func (a Access) List(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[object.Object, error] {
	return func(yield func(object.Object, error) bool) {
		err := a.each(ctx, resource, namespace, func(found *served, key object.Key, e *object.Encoded) error {
			o, err := found.fromStored(e)
			if err != nil {
				return fmt.Errorf("reading %s: %w", key, err)
			}
			if !yield(o, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// Names yields the names of the objects of a resource in a namespace.
func (a Access) Names(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		err := a.each(ctx, resource, namespace, func(_ *served, key object.Key, _ *object.Encoded) error {
			if !yield(key.Name, nil) {
				return errStop
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield("", err)
		}
	}
}

// all gives the objects of a resource, and none if it is not served.
func (a Access) all(ctx context.Context, resource object.GroupResource, namespace string) (all []object.Object, err error) {
	for o, err := range a.List(ctx, resource, namespace) {
		if object.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

var (
	quotas      = object.GroupVersionResource{Version: "v1", Resource: "resourcequotas"}
	limitRanges = object.GroupVersionResource{Version: "v1", Resource: "limitranges"}
)

// Quotas gives the ResourceQuotas of a namespace, or of all for ""; none if they are not served.
func (a Access) Quotas(ctx context.Context, namespace string) ([]object.Object, error) {
	return a.all(ctx, quotas.GroupResource(), namespace)
}

// LimitRanges gives those of a namespace; none if they are not served.
func (a Access) LimitRanges(ctx context.Context, namespace string) ([]object.Object, error) {
	return a.all(ctx, limitRanges.GroupResource(), namespace)
}

// serverUser is who writes what the server itself keeps.
var serverUser = object.User{Name: "system:apiserver", Groups: []string{groupMasters}}

// UpdateStatus writes the status of a quota in the version that it has.
func (a Access) UpdateStatus(ctx context.Context, quota object.Object) error {
	// Without the endpoint, every write would fail as if the quota were gone.
	if found, ok := a.server.resources.Load().ofCollection(quotas.GroupResource()); ok {
		if _, ok := found.subresource("status"); !ok {
			return object.InternalError(errors.New("resourcequotas are described without a subresource status, where their use is written"))
		}
	}
	target := Target{
		Resource: quotas, Subresource: "status", Namespace: quota.Namespace(), Name: quota.Name(), User: serverUser,
	}
	_, err := a.server.Update(ctx, target, quota, WriteOptions{FieldManager: serverManager})
	return err
}

// Namespace reads a namespace.
func (a Access) Namespace(ctx context.Context, name string) (object.Object, error) {
	found := a.server.resources.Load().namespaces
	if found == nil {
		return nil, errNotServed
	}
	e, err := a.server.config.Store.Get(ctx, object.Key{GroupResource: found.collection, Name: name})
	if err != nil {
		return nil, err
	}
	return found.fromStored(e)
}

// ResourceOf gives the resource of a kind, and whether its objects are in namespaces.
func (a Access) ResourceOf(kind object.GroupVersionKind) (resource object.GroupVersionResource, namespaced bool, err error) {
	found, ok := a.server.resources.Load().ofKind(kind)
	if !ok {
		return resource, false, fmt.Errorf("no matches for kind %q in version %q", kind.Kind, kind.GroupVersion())
	}
	return found.gvr, found.Namespaced, nil
}

// Authorize asks the authorizer of the server.
func (a Access) Authorize(ctx context.Context, access guard.AccessCheck) (allowed bool, reason string, err error) {
	return a.server.config.Authorizer.Authorize(ctx, Attributes{
		User: access.User, Verb: access.Verb,
		Group: access.Resource.Group, Version: access.Resource.Version, Resource: access.Resource.Resource, Subresource: access.Subresource,
		Namespace: access.Namespace, Name: access.Name,
	})
}
