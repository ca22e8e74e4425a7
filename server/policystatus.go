package server

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// policyCollection is the collection of policies that validate.
var policyCollection = object.GroupResource{Group: registrationGroup, Resource: "validatingadmissionpolicies"}

// policyWriter owns what CheckPolicies writes, and policyUser is who does it.
const (
	policyWriter = "validatingadmissionpolicy-status-controller"
	policyUser   = "system:serviceaccount:kube-system:validatingadmissionpolicy-status-controller"
)

// CheckPolicies checks the expressions of the ValidatingAdmissionPolicies in the store against
// the schemas of the kinds that they name, and writes what it finds to their status, until ctx
// ends. No policy waits for that to be in force. It must end before the store is closed.
func (s *Server) CheckPolicies(ctx context.Context) {
	var queue nameQueue
	queue.init()
	_, cancel := s.config.Store.Subscribe(func(events []object.Event) {
		for i := range events {
			if events[i].Key.GroupResource == policyCollection && events[i].Type != object.Deleted {
				queue.add(events[i].Key.Name)
			}
		}
	})
	defer cancel()
	if err := s.queuePolicies(ctx, &queue); err != nil && ctx.Err() == nil {
		s.config.Logger.ErrorContext(ctx, "reading policies to check", "error", err)
	}
	for {
		name, ok := queue.next(ctx)
		if !ok {
			return
		}
		if err := s.checkPolicy(ctx, name); err != nil && ctx.Err() == nil {
			s.config.Logger.ErrorContext(ctx, "checking a policy", "name", name, "error", err)
			queue.addAfter(name, retryAfter)
		}
	}
}

// queuePolicies queues those that there are.
func (s *Server) queuePolicies(ctx context.Context, queue *nameQueue) error {
	list, err := s.config.Store.List(ctx, object.Key{GroupResource: policyCollection}, storage.ListOptions{})
	if err != nil {
		return err
	}
	return list.Each(func(key object.Key, _ *object.Encoded) error {
		queue.add(key.Name)
		return nil
	})
}

// checkPolicy brings the status of a policy up to date with its generation.
func (s *Server) checkPolicy(ctx context.Context, name string) error {
	target := Target{
		Resource: object.GroupVersionResource{Group: registrationGroup, Version: "v1", Resource: policyCollection.Resource},
		Name:     name, User: object.User{Name: policyUser},
	}
	o, err := s.Get(ctx, target)
	if err != nil {
		return notMissing(err)
	}
	if observed, ok := o.Field("status", "observedGeneration"); ok && observed == o.Generation() {
		return nil
	}
	status := s.admissions.registrations.policies.CheckTypes(o, policyKinds{s.resources.Load()})
	config, err := object.From(map[string]any{
		"apiVersion": o.APIVersion(), "kind": o.Kind(), "metadata": map[string]any{"name": name}, "status": status,
	})
	if err != nil {
		return fmt.Errorf("writing what was found: %w", err)
	}
	target.Subresource = "status"
	_, err = s.Patch(ctx, target, apply.ApplyPatch, object.AppendJSON(nil, config), WriteOptions{FieldManager: policyWriter, Force: true})
	return notMissing(err)
}

// notMissing leaves out that something is gone.
func notMissing(err error) error {
	if object.IsNotFound(err) {
		return nil
	}
	return err
}

// policyKinds are the kinds that are served. It implements policy.Kinds.
type policyKinds struct{ *resourceSet }

var _ policy.Kinds = policyKinds{}

// KindOf implements policy.Kinds.
func (k policyKinds) KindOf(resource object.GroupVersionResource) (object.GroupVersionKind, bool) {
	found, ok := k.find(resource)
	if !ok {
		return object.GroupVersionKind{}, false
	}
	return found.gvk, true
}

// SchemaOf implements policy.Kinds.
func (k policyKinds) SchemaOf(kind object.GroupVersionKind) *schema.Schema {
	found, ok := k.ofKind(kind)
	if !ok {
		return nil
	}
	return found.version.schema()
}
