package definition

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Scale says where the fields of the scale subresource stand in an object. The
// paths are as in the definition: ".spec.replicas".
type Scale struct {
	SpecReplicas, StatusReplicas string
	LabelSelector                string // empty if there is none
}

// noReplicas stands in a scale that is about to be changed for replicas that the
// object has not.
const noReplicas = math.MinInt32

// Of gives the scale of an object, a document of autoscaling/v1. An object without
// the field of its wanted replicas has none, which is the error.
func (s *Scale) Of(o object.Object) (object.Object, error) {
	scale, found, err := s.of(o)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, object.InternalError(fmt.Errorf("the spec replicas field %q does not exist", s.SpecReplicas))
	}
	return scale, nil
}

// Begin gives the scale of an object for a write that changes it, such as a patch.
// The object may lack the field of its wanted replicas; see [Scale.Apply].
func (s *Scale) Begin(o object.Object) (object.Object, error) {
	scale, found, err := s.of(o)
	if err != nil {
		return nil, err
	}
	if !found {
		scale["spec"] = map[string]any{"replicas": int64(noReplicas)}
	}
	return scale, nil
}

// Apply gives a copy of an object with the replicas that a scale wants, and with its
// resource version if it has one, as a precondition of the write. A scale from
// [Scale.Begin] on which nobody set replicas is a bad request.
func (s *Scale) Apply(o, scale object.Object) (object.Object, error) {
	spec, _ := scale["spec"].(map[string]any)
	replicas, _ := spec["replicas"].(int64)
	if replicas == noReplicas {
		return nil, object.BadRequest("the spec replicas field %q cannot be empty", s.SpecReplicas)
	}
	next := o.DeepCopy()
	if err := setAt(next, s.SpecReplicas, replicas); err != nil {
		return nil, err
	}
	if version := scale.ResourceVersion(); version != "" {
		next.SetResourceVersion(version)
	}
	return next, nil
}

func (s *Scale) of(o object.Object) (scale object.Object, found bool, err error) {
	wanted, found, err := wholeAt(o, s.SpecReplicas)
	if err != nil {
		return nil, false, err
	}
	current, _, err := wholeAt(o, s.StatusReplicas)
	if err != nil {
		return nil, false, err
	}
	spec, status := map[string]any{}, map[string]any{"replicas": int64(int32(current))}
	if n := int64(int32(wanted)); n != 0 {
		spec["replicas"] = n
	}
	if s.LabelSelector != "" {
		selector, err := textAt(o, s.LabelSelector)
		if err != nil {
			return nil, false, err
		}
		if selector != "" {
			status["selector"] = selector
		}
	}
	meta := map[string]any{}
	for _, name := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if v, ok := o.Metadata()[name]; ok {
			meta[name] = v
		}
	}
	return object.Object{"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": meta, "spec": spec, "status": status}, found, nil
}

// specErrors says what is wrong with the wanted replicas of an object.
func (s *Scale) specErrors(o object.Object) object.FieldErrors {
	if s == nil {
		return nil
	}
	return replicaErrors(o, s.SpecReplicas)
}

// statusErrors says what is wrong with the current replicas and the selector.
func (s *Scale) statusErrors(o object.Object) object.FieldErrors {
	if s == nil {
		return nil
	}
	errs := replicaErrors(o, s.StatusReplicas)
	if s.LabelSelector == "" {
		return errs
	}
	if _, err := textAt(o, s.LabelSelector); err != nil {
		errs = append(errs, object.InvalidField(s.LabelSelector, "", err.Error()))
	}
	return errs
}

func replicaErrors(o object.Object, path string) object.FieldErrors {
	n, _, err := wholeAt(o, path)
	detail := ""
	switch {
	case err != nil:
		detail = err.Error()
	case n < 0:
		detail = "should be a non-negative integer"
	case n > math.MaxInt32:
		detail = fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)
	default:
		return nil
	}
	return object.FieldErrors{object.InvalidField(path, n, detail)}
}

func splitPath(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// at finds the value at a path of names with dots between.
func at(o object.Object, path string) (v any, found bool, err error) {
	names := splitPath(path)
	v = map[string]any(o)
	for i, name := range names {
		if v == nil {
			return nil, false, nil
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, false, wrongType(names[:i+1], v, "map[string]interface{}")
		}
		if v, ok = m[name]; !ok {
			return nil, false, nil
		}
	}
	return v, true, nil
}

func wholeAt(o object.Object, path string) (n int64, found bool, err error) {
	v, found, err := at(o, path)
	if err != nil || !found {
		return 0, false, err
	}
	n, ok := v.(int64)
	if !ok {
		return 0, false, wrongType(splitPath(path), v, "int64")
	}
	return n, true, nil
}

func textAt(o object.Object, path string) (string, error) {
	v, found, err := at(o, path)
	if err != nil || !found {
		return "", err
	}
	s, ok := v.(string)
	if !ok {
		return "", wrongType(splitPath(path), v, "string")
	}
	return s, nil
}

func wrongType(names []string, v any, want string) error {
	return fmt.Errorf(".%s accessor error: %v is of the type %T, expected %s", strings.Join(names, "."), v, v, want)
}

// setAt sets the value at a path, making the objects on the way.
func setAt(o object.Object, path string, v any) error {
	names := splitPath(path)
	m := map[string]any(o)
	for i, name := range names[:len(names)-1] {
		inside, ok := m[name]
		if !ok {
			inside = map[string]any{}
			m[name] = inside
		}
		if m, ok = inside.(map[string]any); !ok {
			return errors.New("value cannot be set because ." + strings.Join(names[:i+1], ".") + " is not a map[string]interface{}")
		}
	}
	m[names[len(names)-1]] = v
	return nil
}
