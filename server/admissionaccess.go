package server

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// admissionAccess is the server as policies and webhooks see it.
type admissionAccess struct{ *Server }

var (
	_ match.Equivalence = admissionAccess{}
	_ match.Converter   = admissionAccess{}
	_ policy.Params     = admissionAccess{}
	_ policy.Authorizer = admissionAccess{}
)

// Equivalent implements [match.Equivalence]: the versions of a resource, and other resources
// that show the same collection, as far as they have the subresource.
func (a admissionAccess) Equivalent(resource object.GroupVersionResource, subresource string) []match.Form {
	found, ok := a.resources.Load().find(resource)
	if !ok {
		return nil
	}
	var all []match.Form
	for _, other := range found.peers {
		face := other
		if subresource != "" {
			if _, ok := other.subresource(subresource); !ok {
				continue
			}
			if view, ok := other.views[subresource]; ok {
				face = view
			}
		}
		all = append(all, match.Form{Resource: other.gvr, Kind: face.gvk})
	}
	return all
}

// Convert implements [match.Converter].
func (a admissionAccess) Convert(_ context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error) {
	from, ok := a.resources.Load().ofKind(o.GroupVersionKind())
	if !ok {
		return nil, fmt.Errorf("converting to %s: %s is not served", to, o.GroupVersionKind())
	}
	return from.forms.convert(o, to.GroupVersion().String())
}

// Serves implements [policy.Params].
func (a admissionAccess) Serves(kind object.GroupVersionKind) bool {
	_, ok := a.resources.Load().ofKind(kind)
	return ok
}

// Params implements [policy.Params]. They are read from the store each time, so that a policy
// never judges by parameters that are not there any more, or not there yet after a restart.
func (a admissionAccess) Params(ctx context.Context, q policy.ParamQuery) ([]object.Object, error) {
	found, ok := a.resources.Load().ofKind(q.Kind)
	if !ok {
		return nil, fmt.Errorf("%s is not served", q.Kind)
	}
	namespace, err := q.Namespace(found.Namespaced)
	if err != nil {
		return nil, err
	}
	key := object.Key{GroupResource: found.collection, Namespace: namespace, Name: q.Name}
	if q.Selector != nil {
		return found.selected(ctx, a.config.Store, key, *q.Selector)
	}
	e, err := a.config.Store.Get(ctx, key)
	if object.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	o, err := found.fromStored(e)
	return []object.Object{o}, err
}

// selected reads the objects of a collection with certain labels.
func (s *served) selected(ctx context.Context, store *storage.Store, key object.Key, labels object.LabelSelector) (all []object.Object, err error) {
	list, err := store.List(ctx, key, storage.ListOptions{Selector: object.Selector{Labels: labels}})
	if err != nil {
		return nil, err
	}
	err = list.Each(func(_ object.Key, e *object.Encoded) error {
		o, err := s.fromStored(e)
		all = append(all, o)
		return err
	})
	return all, err
}

// Authorize implements [policy.Authorizer].
func (a admissionAccess) Authorize(ctx context.Context, check expr.AccessCheck) (allowed bool, reason string, err error) {
	version := ""
	if check.Path == "" {
		version = "*"
	}
	return a.config.Authorizer.Authorize(ctx, Attributes{
		User: check.User, Verb: check.Verb, Path: check.Path,
		Group: check.Group, Version: version, Resource: check.Resource, Subresource: check.Subresource,
		Namespace: check.Namespace, Name: check.Name,
	})
}
