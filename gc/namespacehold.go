package gc

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// finalizerOfAPI is the name in spec.finalizers under which contents hold a namespace.
const finalizerOfAPI = "kubernetes"

// held says whether a namespace is being deleted and waits for something. One that
// waits for nothing is its owner's business.
func held(namespace object.Object) bool {
	return !namespace.DeletionTimestamp().IsZero() && len(specFinalizers(namespace)) > 0
}

// released gives a copy of a namespace that its contents do not hold any more.
// changed is false if they did not before.
func released(namespace object.Object) (next object.Object, changed bool) {
	have := specFinalizers(namespace)
	rest := slices.DeleteFunc(slices.Clone(have), func(name any) bool { return name == finalizerOfAPI })
	if len(rest) == len(have) {
		return namespace, false
	}
	next = namespace.DeepCopy()
	spec, _ := next["spec"].(map[string]any)
	spec["finalizers"] = rest
	return next, true
}

func specFinalizers(namespace object.Object) []any {
	spec, _ := namespace["spec"].(map[string]any)
	names, _ := spec["finalizers"].([]any)
	return names
}
