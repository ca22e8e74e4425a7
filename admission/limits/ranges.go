package limits

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Reader gives the LimitRanges of a namespace, which are read-only.
type Reader interface {
	LimitRanges(ctx context.Context, namespace string) ([]object.Object, error)
}

// Ranges is the stage for the LimitRanges that a Reader gives. It belongs among the mutators
// and among the validators.
type Ranges struct{ Reader Reader }

// Name is that of the stage in traces.
func (r Ranges) Name() string { return "LimitRanger" }

// Mutate gives the containers of a new pod the defaults of their namespace.
func (r Ranges) Mutate(ctx context.Context, req *admission.Request) error {
	if !isPod(req) || !isLimited(req) {
		return nil
	}
	ranges, err := r.of(ctx, req)
	if err != nil {
		return err
	}
	for _, o := range ranges {
		if err := setDefaults(req.Object, o); err != nil {
			return fmt.Errorf("reading limit range %s: %w", o.Name(), err)
		}
	}
	return nil
}

// Validate refuses what is not within the limits of its namespace.
func (r Ranges) Validate(ctx context.Context, req *admission.Request) error {
	if !isLimited(req) {
		return nil
	}
	ranges, err := r.of(ctx, req)
	if err != nil {
		return err
	}
	for _, o := range ranges {
		violations, err := check(o, req)
		if err != nil {
			return fmt.Errorf("reading limit range %s: %w", o.Name(), err)
		}
		if err := object.JoinErrors(violations); err != nil {
			return err
		}
	}
	return nil
}

// of gives the ranges for a request in the order of their names.
func (r Ranges) of(ctx context.Context, req *admission.Request) ([]object.Object, error) {
	ranges, err := r.Reader.LimitRanges(ctx, req.Namespace)
	if err != nil {
		return nil, fmt.Errorf("unable to %s %s at this time because there was an error enforcing limit ranges: %w",
			req.Operation, req.Resource.GroupResource(), err)
	}
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b object.Object) int { return strings.Compare(a.Name(), b.Name()) })
	return ranges, nil
}

// isLimited says whether a request is about something that has limits: pods when they are made or
// resized, and claims. What is on its way out is left alone.
func isLimited(req *admission.Request) bool {
	if req.OldObject != nil && !req.OldObject.DeletionTimestamp().IsZero() {
		return false
	}
	switch {
	case isPod(req):
		return req.Subresource == "" && req.Operation == admission.Create ||
			req.Subresource == "resize" && req.Operation == admission.Update
	case req.Resource.Group == "" && req.Resource.Resource == "persistentvolumeclaims":
		return req.Subresource == "" && (req.Operation == admission.Create || req.Operation == admission.Update)
	}
	return false
}

func isPod(req *admission.Request) bool {
	return req.Resource.Group == "" && req.Resource.Resource == "pods"
}

// items gives what a range says, each item of one type.
func items(limitRange object.Object) []object.Object {
	v, _ := limitRange.Field("spec", "limits")
	list, _ := v.([]any)
	var found []object.Object
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			found = append(found, m)
		}
	}
	return found
}

// containers gives those of a pod, in the order in which they are looked at, and what they
// are called.
func containers(pod object.Object) (all []object.Object, kinds []string) {
	for _, c := range amounts.Containers(pod, "containers") {
		all, kinds = append(all, c), append(kinds, "container")
	}
	for _, c := range amounts.Containers(pod, "initContainers") {
		all, kinds = append(all, c), append(kinds, "init container")
	}
	return all, kinds
}
