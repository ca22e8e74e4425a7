package builtin

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// scaleView shows a workload as how many replicas it wants and has.
func scaleView() *server.View {
	return &server.View{
		Kind:  object.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
		Codec: Codec[autoscalingv1.Scale](), Replicas: "spec.replicas",
		Columns: []server.Column{
			{Name: "Desired", Type: "integer", Description: "How many instances are wanted.", Value: replicasIn("spec")},
			{Name: "Available", Type: "integer", Description: "How many instances there are.", Value: replicasIn("status")},
			age(),
		},
		Show: scaleOf, Begin: scaleOf, Apply: scaled,
	}
}

func replicasIn(part string) func(o object.Object) any {
	return func(o object.Object) any { return number(o, part, "replicas") }
}

// scaleOf gives the scale of a workload.
func scaleOf(o object.Object) (object.Object, error) {
	selector, err := selectorText(o)
	if err != nil {
		return nil, err
	}
	spec, status := map[string]any{}, map[string]any{"replicas": number(o, "status", "replicas")}
	if n := number(o, "spec", "replicas"); n != 0 {
		spec["replicas"] = n
	}
	if selector != "" {
		status["selector"] = selector
	}
	metadata := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if v, ok := o.Metadata()[name]; ok {
			metadata[name] = v
		}
	}
	return object.Object{"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}, nil
}

// scaled gives a copy of a workload with the replicas that a scale wants, and with its
// version as a precondition.
func scaled(o, scale object.Object) (object.Object, error) {
	replicas := number(scale, "spec", "replicas")
	if replicas < 0 {
		return nil, object.Invalid(object.GroupKind{Group: "autoscaling", Kind: "Scale"}, scale.Name(), object.FieldErrors{
			object.InvalidField("spec.replicas", replicas, "must be greater than or equal to 0"),
		})
	}
	next := o.DeepCopy()
	ensure(next, "spec")["replicas"] = replicas
	next.SetResourceVersion(scale.ResourceVersion())
	return next, nil
}

// selectorText writes the selector of a workload as query parameters do. That of a
// ReplicationController is a map of labels.
func selectorText(o object.Object) (string, error) {
	selector := mapping(o, "spec", "selector")
	if o.Kind() == "ReplicationController" {
		set := labels.Set{}
		for name, value := range selector {
			set[name], _ = value.(string)
		}
		return labels.SelectorFromSet(set).String(), nil
	}
	var typed metav1.LabelSelector
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(selector, &typed); err != nil {
		return "", fmt.Errorf("reading the selector of %s %s: %w", o.Kind(), o.Name(), err)
	}
	s, err := metav1.LabelSelectorAsSelector(&typed)
	if err != nil {
		return "", object.BadRequest("%v", err)
	}
	return s.String(), nil
}
