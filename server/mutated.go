package server

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// mutate gives the object that the mutators make of one in the form of the endpoint.
func (r *review) mutate(ctx context.Context, o, old object.Object) (object.Object, error) {
	r.about(o, old)
	if len(r.chain.Mutators) == 0 {
		return o, nil
	}
	owners := o.Metadata()["managedFields"]
	if err := r.ask(ctx, r.chain.Mutate); err != nil {
		return nil, err
	}
	if !r.req.Mutated() {
		return o, nil
	}
	o, err := document(r.req.Object)
	if err != nil {
		return nil, err
	}
	o.SetType(r.face.typeMeta)
	dropEmpty(o)
	r.checkOwners(o, owners)
	r.dropDuplicateOwners(o, true)
	return o, nil
}

// document gives what mutators made of an object as one that a reader of JSON might have made:
// a mutator in Go may have put anything into it, which no rule would know.
func document(o object.Object) (object.Object, error) {
	if o == nil {
		return nil, object.InternalError(errors.New("mutating admission left no object"))
	}
	if isJSON(map[string]any(o)) {
		return o, nil
	}
	made, err := object.From(map[string]any(o))
	if err != nil {
		return nil, object.InternalError(fmt.Errorf("mutating admission left what is no JSON: %w", err))
	}
	return made, nil
}

func isJSON(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range v {
			if !isJSON(member) {
				return false
			}
		}
		return true
	case []any:
		for _, item := range v {
			if !isJSON(item) {
				return false
			}
		}
		return true
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case string, int64, bool, nil:
		return true
	}
	return false
}

// checkOwners puts the owners of fields back if a mutator made nonsense of them.
func (r *review) checkOwners(o object.Object, owners any) {
	err := apply.CheckOwners(o)
	if err == nil {
		return
	}
	if delete(o.Metadata(), "managedFields"); owners != nil {
		o.EnsureMetadata()["managedFields"] = owners
	}
	r.warn(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating " +
		"admission controller; please fix your requests: " + err.Error())
}
