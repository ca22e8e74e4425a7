package amounts

import (
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Part is what containers say of resources.
type Part string

// The parts.
const (
	Requests Part = "requests"
	Limits   Part = "limits"
)

// Containers gives the containers of a pod, or with the field initContainers those that
// run first. What is no map is left out.
func Containers(pod object.Object, field string) []object.Object {
	v, _ := pod.Field("spec", field)
	return documents(v)
}

func documents(v any) []object.Object {
	list, _ := v.([]any)
	all := make([]object.Object, 0, len(list))
	for _, v := range list {
		if m, ok := v.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// Of gives what one container says.
func Of(container object.Object, part Part) (Amounts, error) {
	return Read(container, "resources", string(part))
}

// Spec gives what a pod says that it needs: its containers together, or one of those that
// run before them if that needs more. What it says for all of it at once counts instead.
func Spec(pod object.Object, part Part) (Amounts, error) {
	sum, err := together(pod, func(c object.Object) (Amounts, error) { return Of(c, part) })
	if err != nil {
		return nil, err
	}
	return sum, wholePod(sum, pod, part)
}

// Effective gives what a pod takes: what it says, or what it was given if that is more, as
// it is while the pod is being resized; and what it takes beside its containers.
func Effective(pod object.Object, part Part) (Amounts, error) {
	sum := Amounts{}
	for _, of := range sources(pod, part) {
		one, err := together(pod, of)
		if err != nil {
			return nil, err
		}
		sum.raise(one)
	}
	if err := wholePod(sum, pod, part); err != nil {
		return nil, err
	}
	overhead, err := Read(pod, "spec", "overhead")
	if err != nil {
		return nil, err
	}
	if part == Limits { // nothing is added to what is not limited
		overhead = overhead.Only(func(name string) bool { return sum[name].Sign() != 0 })
	}
	sum.Add(overhead)
	return sum, nil
}

// wholePod puts in place of the sums what a pod says for all of it.
func wholePod(sum Amounts, pod object.Object, part Part) error {
	whole, err := Read(pod, "spec", "resources", string(part))
	for name, q := range whole {
		if IsOfWholePod(name) {
			sum[name] = q
		}
	}
	return err
}

// SetForWholePod says whether a pod says for all of it at once what it needs.
func SetForWholePod(pod object.Object) bool {
	for _, part := range []Part{Requests, Limits} {
		v, _ := pod.Field("spec", "resources", string(part))
		m, _ := v.(map[string]any)
		for name := range m {
			if IsOfWholePod(name) {
				return true
			}
		}
	}
	return false
}

// IsOfWholePod says whether a resource can be asked for by a pod as a whole.
func IsOfWholePod(name string) bool {
	return name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-")
}

// together adds up containers. Those that run first run one after the other, beside those
// before them that keep running.
func together(pod object.Object, of source) (Amounts, error) {
	sum, before, most := Amounts{}, Amounts{}, Amounts{}
	for i, c := range Containers(pod, "containers") {
		own, err := of(c)
		if err != nil {
			return nil, fmt.Errorf("containers[%d]: %w", i, err)
		}
		sum.Add(own)
	}
	for i, c := range Containers(pod, "initContainers") {
		own, err := of(c)
		if err != nil {
			return nil, fmt.Errorf("initContainers[%d]: %w", i, err)
		}
		if c["restartPolicy"] == "Always" {
			sum.Add(own)
			before.Add(own)
			own = before
		} else {
			own = own.Plus(before)
		}
		most.raise(own)
	}
	sum.raise(most)
	return sum, nil
}
