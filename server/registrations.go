package server

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// registrationGroup is the API group of what is stored and admits: policies and webhooks.
const registrationGroup = "admissionregistration.k8s.io"

// registrations are the policies and webhooks in the store, ready for use. What did not
// change since they were last read is not made anew. They are in force on a server that has
// their kinds among its resources.
type registrations struct {
	server   *Server
	compiler policy.Compiler

	policies collected[*policy.Policy]
	bindings collected[*policy.Binding]
}

// collected is what was made of the documents of one kind, by name.
type collected[T any] map[string]made[T]

type made[T any] struct {
	version object.ResourceVersion
	value   T
}

// read gives the stages that the store holds now.
func (r *registrations) read(ctx context.Context) (chain admission.Chain, err error) {
	if r.policies, err = read(ctx, r, "validatingadmissionpolicies", r.policies, r.policy); err != nil {
		return chain, err
	}
	if r.bindings, err = read(ctx, r, "validatingadmissionpolicybindings", r.bindings, r.binding); err != nil {
		return chain, err
	}
	access := admissionAccess{r.server}
	if len(r.policies) > 0 && len(r.bindings) > 0 {
		chain.Validators = append(chain.Validators, policy.NewIndex(
			policy.Config{Params: access, Authorizer: access, Equivalence: access, Converter: access},
			r.policies.values(), r.bindings.values()))
	}
	return chain, nil
}

func (r *registrations) policy(o object.Object) (*policy.Policy, error) {
	p, errs := r.compiler.Compile(o)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return p, nil
}

func (r *registrations) binding(o object.Object) (*policy.Binding, error) {
	b, errs := policy.CompileBinding(o)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return b, nil
}

func (c collected[T]) values() []T {
	all := make([]T, 0, len(c))
	for _, m := range c {
		all = append(all, m.value)
	}
	return all
}

// read brings up to date what was made of the documents of a kind.
func read[T any](ctx context.Context, r *registrations, plural string, before collected[T], compile func(object.Object) (T, error)) (collected[T], error) {
	found, ok := r.server.resources.Load().find(object.GroupVersionResource{Group: registrationGroup, Version: "v1", Resource: plural})
	if !ok {
		return nil, nil
	}
	list, err := r.server.config.Store.List(ctx, object.Key{GroupResource: found.collection}, storage.ListOptions{})
	if err != nil {
		return before, fmt.Errorf("reading %s: %w", plural, err)
	}
	now := collected[T]{}
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		if m, ok := before[key.Name]; ok && m.version == e.Version {
			now[key.Name] = m
			return nil
		}
		o, err := found.fromStored(e)
		if err != nil {
			return fmt.Errorf("reading %s %s: %w", plural, key.Name, err)
		}
		value, err := compile(o)
		if err != nil {
			return err
		}
		now[key.Name] = made[T]{e.Version, value}
		return nil
	})
	return now, err
}
