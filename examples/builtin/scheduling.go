package builtin

import (
	"context"
	"fmt"
	"iter"

	corev1 "k8s.io/api/core/v1"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Lister yields the objects of a resource in a namespace, or in all for "". They are
// read-only.
type Lister interface {
	List(ctx context.Context, resource object.GroupResource, namespace string) iter.Seq2[object.Object, error]
}

// Scheduling is the stage of admission that gives new pods the priority of their class, and
// some time on nodes that are lost. It belongs among the mutators.
type Scheduling struct{ Lister Lister }

// Name is that of the stage in traces.
func (s Scheduling) Name() string { return "Scheduling" }

// Mutate changes pods that are about to be made, and keeps what updates leave out.
func (s Scheduling) Mutate(ctx context.Context, req *admission.Request) error {
	if req.Resource.Group != "" || req.Resource.Resource != "pods" || req.Subresource != "" {
		return nil
	}
	switch req.Operation {
	case admission.Create:
		if err := s.prioritize(ctx, ensure(req.Object, "spec")); err != nil {
			return err
		}
	case admission.Update:
		keepMissing(ensure(req.Object, "spec"), mapping(req.OldObject, "spec"), "priority", "preemptionPolicy")
	default:
		return nil
	}
	tolerate(mapping(req.Object, "spec"))
	return nil
}

// prioritize gives a pod what its class says, or the default class, or else nothing special.
func (s Scheduling) prioritize(ctx context.Context, spec map[string]any) error {
	class, err := s.class(ctx, text(spec, "priorityClassName"))
	if err != nil {
		return err
	}
	priority, policy := number(class, "value"), class["preemptionPolicy"]
	if class == nil {
		policy = string(corev1.PreemptLowerPriority)
	} else {
		spec["priorityClassName"] = class.Name()
	}
	if given, ok := spec["priority"].(int64); ok && given != priority {
		return fmt.Errorf("the integer value of priority (%d) must not be provided in pod spec; "+
			"priority admission controller computed %d from the given PriorityClass name", given, priority)
	}
	spec["priority"] = priority
	if policy == nil {
		return nil
	}
	if given := spec["preemptionPolicy"]; given != nil && given != policy {
		return fmt.Errorf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; "+
			"priority admission controller computed %s from the given PriorityClass name", given, policy)
	}
	spec["preemptionPolicy"] = policy
	return nil
}

// class finds the class of a name, or for none the default one; of several the lowest. It is
// nil if there is no default.
func (s Scheduling) class(ctx context.Context, name string) (found object.Object, err error) {
	for o, err := range s.Lister.List(ctx, object.GroupResource{Group: "scheduling.k8s.io", Resource: "priorityclasses"}, "") {
		switch {
		case object.IsNotFound(err): // the kind is not served
		case err != nil:
			return nil, fmt.Errorf("listing the priority classes: %w", err)
		case name != "" && o.Name() == name:
			return o, nil
		case name == "" && o["globalDefault"] == true && (found == nil || number(o, "value") < number(found, "value")):
			found = o
		}
	}
	if name != "" {
		return nil, fmt.Errorf("no PriorityClass with name %s was found", name)
	}
	return found, nil
}

// tolerate lets a pod stay for five minutes on a node that is not ready or can't be reached,
// unless it says for how long.
func tolerate(spec map[string]any) {
	for _, taint := range [...]string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if tolerates(spec, taint) {
			continue
		}
		spec["tolerations"] = append(list(spec, "tolerations"), map[string]any{
			"key": taint, "operator": string(corev1.TolerationOpExists), "effect": string(corev1.TaintEffectNoExecute), "tolerationSeconds": int64(300),
		})
	}
}

func tolerates(spec map[string]any, taint string) bool {
	for toleration := range mapsIn(spec["tolerations"]) {
		key, effect := text(toleration, "key"), text(toleration, "effect")
		if (key == taint || key == "") && (effect == string(corev1.TaintEffectNoExecute) || effect == "") {
			return true
		}
	}
	return false
}
