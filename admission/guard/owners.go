package guard

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// AccessCheck is what a user may have to be allowed to do.
type AccessCheck struct {
	User        object.User
	Verb        string
	Resource    object.GroupVersionResource // with * for all
	Subresource string
	Namespace   string
	Name        string
}

// Authorizer decides what users may do. A reason is for the user.
type Authorizer interface {
	Authorize(ctx context.Context, a AccessCheck) (allowed bool, reason string, err error)
}

// Kinds knows the resources of kinds.
type Kinds interface {
	// ResourceOf gives the resource of a kind, and whether its objects are in namespaces.
	ResourceOf(kind object.GroupVersionKind) (resource object.GroupVersionResource, namespaced bool, err error)
}

// Owners is the validator of owner references: to change those of an object one must be allowed to
// delete it, and to block the deletion of an owner one must be allowed to set finalizers on it.
type Owners struct {
	Authorizer Authorizer
	Kinds      Kinds
}

// Name is that of the stage in traces.
func (o Owners) Name() string { return "OwnerReferencesPermissionEnforcement" }

// Validate implements [admission.Validator].
func (o Owners) Validate(ctx context.Context, req *admission.Request) error {
	if req.Operation != admission.Create && req.Operation != admission.Update || isPodStatus(req) {
		return nil
	}
	refs, before := req.Object.OwnerReferences(), req.OldObject.OwnerReferences()
	if len(refs) == 0 && len(before) == 0 || reflect.DeepEqual(refs, before) {
		return nil
	}
	if req.Operation == admission.Update {
		if err := o.checkDelete(ctx, req); err != nil {
			return err
		}
	}
	return o.checkBlocked(ctx, req, blocked(refs, before))
}

// isPodStatus: what writes the statuses of pods cannot change their owners.
func isPodStatus(req *admission.Request) bool {
	return req.Resource.GroupResource() == object.GroupResource{Resource: "pods"} && req.Subresource == "status"
}

// checkDelete: with an owner, the object goes when the owner does.
func (o Owners) checkDelete(ctx context.Context, req *admission.Request) error {
	allowed, reason, err := o.Authorizer.Authorize(ctx, AccessCheck{
		User: req.User, Verb: "delete", Resource: req.Resource, Subresource: req.Subresource, Namespace: req.Namespace, Name: req.Name,
	})
	if allowed {
		return nil
	}
	return fmt.Errorf("cannot set an ownerRef on a resource you can't delete: %v, %v", reason, err)
}

// blocked gives the references that block the deletion of their owner and did not before.
func blocked(refs, before []object.OwnerReference) []object.OwnerReference {
	isBlocking := func(r object.OwnerReference) bool { return r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion }
	return slices.DeleteFunc(refs, func(r object.OwnerReference) bool {
		return !isBlocking(r) || slices.ContainsFunc(before, func(b object.OwnerReference) bool { return b.UID == r.UID && isBlocking(b) })
	})
}

// checkBlocked asks first whether the user may set finalizers on everything, which needs no
// knowledge of kinds.
func (o Owners) checkBlocked(ctx context.Context, req *admission.Request, refs []object.OwnerReference) error {
	if len(refs) == 0 {
		return nil
	}
	all := object.GroupVersionResource{Group: "*", Version: "*", Resource: "*"}
	finalize := AccessCheck{User: req.User, Verb: "update", Resource: all, Subresource: "finalizers", Name: "*"}
	if allowed, _, _ := o.Authorizer.Authorize(ctx, finalize); allowed {
		return nil
	}
	for _, ref := range refs {
		resource, namespaced, err := o.resourceOf(ref)
		if err != nil {
			return fmt.Errorf("cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion %s Kind %s: %w",
				ref.APIVersion, ref.Kind, err)
		}
		finalize.Resource, finalize.Namespace, finalize.Name = resource, "", ref.Name
		if namespaced { // it must be in that of what it owns
			finalize.Namespace = req.Namespace
		}
		if allowed, reason, err := o.Authorizer.Authorize(ctx, finalize); !allowed {
			return fmt.Errorf("cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: %v, %v", reason, err)
		}
	}
	return nil
}

func (o Owners) resourceOf(ref object.OwnerReference) (resource object.GroupVersionResource, namespaced bool, err error) {
	gv, err := object.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return resource, false, err
	}
	return o.Kinds.ResourceOf(object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: ref.Kind})
}
