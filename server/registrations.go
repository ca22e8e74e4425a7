package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// registrationGroup is the API group of what is stored and admits: policies and webhooks.
const registrationGroup = "admissionregistration.k8s.io"

// registrations are the policies and webhooks in the store, ready for use. They are in force
// on a server that has their kinds among its resources.
type registrations struct {
	*Server
	policies policy.Compiler
	webhooks webhook.Compiler
	clients  callout.Clients

	validatingPolicies collected[*policy.Policy]
	validatingBindings collected[*policy.Binding]
	mutatingPolicies   collected[*policy.MutatingPolicy]
	mutatingBindings   collected[*policy.Binding]
	validatingWebhooks collected[*webhook.Configuration]
	mutatingWebhooks   collected[*webhook.Configuration]
}

func (r *registrations) init(s *Server) {
	r.Server = s
	r.webhooks.Policies = &r.policies
	r.clients.Service = s.config.Service
}

// read gives the stages that the store holds now.
func (r *registrations) read(ctx context.Context) (chain admission.Chain, err error) {
	err = cmp.Or(
		r.validatingPolicies.read(ctx, r, "validatingadmissionpolicies", r.storedPolicy),
		r.validatingBindings.read(ctx, r, "validatingadmissionpolicybindings", storedBinding),
		r.mutatingPolicies.read(ctx, r, "mutatingadmissionpolicies", r.storedMutatingPolicy),
		r.mutatingBindings.read(ctx, r, "mutatingadmissionpolicybindings", storedBinding),
		r.validatingWebhooks.read(ctx, r, "validatingwebhookconfigurations", r.webhooks.CompileValidating),
		r.mutatingWebhooks.read(ctx, r, "mutatingwebhookconfigurations", r.webhooks.CompileMutating),
	)
	if err != nil {
		return chain, err
	}
	r.addPolicies(&chain)
	r.addWebhooks(&chain)
	return chain, nil
}

// Policies that were accepted once are compiled when they are first needed.

func (r *registrations) storedPolicy(o object.Object) (*policy.Policy, object.FieldErrors) {
	return r.policies.Stored(o), nil
}

func (r *registrations) storedMutatingPolicy(o object.Object) (*policy.MutatingPolicy, object.FieldErrors) {
	return r.policies.StoredMutating(o), nil
}

func storedBinding(o object.Object) (*policy.Binding, object.FieldErrors) {
	return policy.StoredBinding(o), nil
}

func (r *registrations) addPolicies(chain *admission.Chain) {
	access := admissionAccess{r.Server}
	config := policy.Config{
		Params: access, Authorizer: access, Equivalence: access, Converter: access,
		Patcher: admissionPatcher{Server: r.Server, strict: true},
	}
	mutating, bindings := r.mutatingPolicies.inForce, r.mutatingBindings.inForce
	if len(mutating) > 0 && len(bindings) > 0 {
		chain.Mutators = append(chain.Mutators, policy.NewMutatingIndex(config, mutating, bindings))
	}
	validating, bindings := r.validatingPolicies.inForce, r.validatingBindings.inForce
	if len(validating) > 0 && len(bindings) > 0 {
		chain.Validators = append(chain.Validators, policy.NewIndex(config, validating, bindings))
	}
}

func (r *registrations) addWebhooks(chain *admission.Chain) {
	access := admissionAccess{r.Server}
	config := webhook.Config{
		Clients: &r.clients, Authorizer: access, Equivalence: access, Converter: access,
		Patcher: admissionPatcher{Server: r.Server},
	}
	mutating, validating := r.mutatingWebhooks.inForce, r.validatingWebhooks.inForce
	if len(mutating) > 0 {
		chain.Mutators = append(chain.Mutators, webhook.NewMutating(config, mutating...))
	}
	if len(validating) > 0 {
		chain.Validators = append(chain.Validators, webhook.NewValidating(config, validating...))
	}
	r.clients.Retain(webhook.Targets(slices.Concat(mutating, validating)...)...)
}

// collected is what was made of the documents of one kind.
type collected[T any] struct {
	byName  map[string]compiled[T]
	inForce []T // in the order of the names
}

type compiled[T any] struct {
	version object.ResourceVersion // of the document
	value   T
	errs    object.FieldErrors // why there is no value
}

// read brings up to date what was made of the documents; those that did not change are not
// looked at. One that is not accepted, which no client can have stored, is left out.
func (c *collected[T]) read(ctx context.Context, r *registrations, plural string, compile func(object.Object) (T, object.FieldErrors)) error {
	found, ok := r.resources.Load().find(object.GroupVersionResource{Group: registrationGroup, Version: "v1", Resource: plural})
	if !ok {
		*c = collected[T]{}
		return nil
	}
	list, err := r.config.Store.List(ctx, object.Key{GroupResource: found.collection}, storage.ListOptions{})
	if err != nil {
		return fmt.Errorf("reading %s: %w", plural, err)
	}
	now := collected[T]{byName: map[string]compiled[T]{}}
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		one, ok := c.byName[key.Name]
		if !ok || one.version != e.Version {
			o, err := found.fromStored(e)
			if err != nil {
				return fmt.Errorf("reading %s %s: %w", plural, key.Name, err)
			}
			one = compiled[T]{version: e.Version}
			if one.value, one.errs = compile(o); len(one.errs) > 0 {
				r.config.Logger.ErrorContext(ctx, "not in force", "resource", plural, "name", key.Name, "error", one.errs)
			}
		}
		now.add(key.Name, one)
		return nil
	})
	if err != nil {
		return err
	}
	*c = now
	return nil
}

func (c *collected[T]) add(name string, one compiled[T]) {
	c.byName[name] = one
	if len(one.errs) == 0 {
		c.inForce = append(c.inForce, one.value)
	}
}
