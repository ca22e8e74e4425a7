package apitest

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// loader is the manager of the fields of what a server begins with.
const loader = "apitest"

// everywhere are the namespaces of every cluster.
var everywhere = [...]string{"default", "kube-node-lease", "kube-public", "kube-system"}

// fill creates what the server is to begin with.
func (s *Server) fill(ctx context.Context) error {
	m := &manifest{}
	for _, load := range s.setup.load {
		if err := load(m); err != nil {
			return err
		}
	}
	if err := s.define(ctx, m.definitions); err != nil {
		return err
	}
	there := map[string]bool{}
	for _, o := range m.namespaces {
		there[o.Name()] = true
	}
	for _, name := range everywhere {
		if !there[name] {
			m.namespaces = append(m.namespaces, object.Object{
				"kind": "Namespace", "apiVersion": "v1", "metadata": map[string]any{"name": name}})
		}
	}
	for _, o := range append(m.namespaces, m.others...) {
		if err := s.load(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// define creates definitions and waits until what they define is served.
func (s *Server) define(ctx context.Context, definitions []object.Object) error {
	for _, o := range definitions {
		delete(o, "status") // of another cluster, or a place holder
		if _, err := s.create(ctx, o); err != nil {
			return err
		}
	}
	if len(definitions) == 0 {
		return nil
	}
	if err := s.Settle(ctx); err != nil {
		return fmt.Errorf("waiting for the definitions to be served: %w", err)
	}
	for _, o := range definitions {
		if err := s.checkServed(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// checkServed says why what is defined is not served, if it is not.
func (s *Server) checkServed(ctx context.Context, o object.Object) error {
	at, err := s.TargetOf(o)
	if err != nil {
		return err
	}
	live, err := s.Get(ctx, at)
	if err != nil {
		return fmt.Errorf("reading the definition %s: %w", o.Name(), err)
	}
	if !definition.IsTrue(live, "Established") {
		conditions, _ := live.Field("status", "conditions")
		return fmt.Errorf("the definition %s is not established: %s", o.Name(), object.AppendJSON(nil, conditions))
	}
	return nil
}

// load creates an object, with its status if it has one.
func (s *Server) load(ctx context.Context, o object.Object) error {
	created, err := s.create(ctx, o)
	status, ok := o["status"]
	if err != nil || !ok {
		return err
	}
	at, err := s.TargetOf(created)
	if err != nil {
		return err
	}
	at.Subresource, created["status"] = "status", status
	_, err = s.Update(ctx, at, created, server.WriteOptions{FieldManager: loader})
	if err != nil && !object.IsNotFound(err) { // without the subresource, the status was created
		return fmt.Errorf("setting the status of %s %s: %w", o.Kind(), o.Name(), err)
	}
	return nil
}

func (s *Server) create(ctx context.Context, o object.Object) (object.Object, error) {
	at, err := s.TargetOf(o)
	if err != nil {
		return nil, err
	}
	at.Name = ""
	created, err := s.Create(ctx, at, o, server.WriteOptions{FieldManager: loader})
	if err != nil {
		return nil, fmt.Errorf("creating %s %s: %w", o.Kind(), o.Name(), err)
	}
	return created, nil
}

// TargetOf says where an object is served, by its kind and its name. One that names no
// namespace is in "default", if it has to be in one.
func (s *Server) TargetOf(o object.Object) (server.Target, error) {
	gvr, namespaced, err := s.Access().ResourceOf(o.GroupVersionKind())
	if err != nil {
		return server.Target{}, fmt.Errorf("finding the resource of %s: %w", o.GroupVersionKind(), err)
	}
	at := server.Target{Resource: gvr, Name: o.Name()}
	if namespaced {
		if at.Namespace = o.Namespace(); at.Namespace == "" {
			at.Namespace = "default"
		}
	}
	return at, nil
}
