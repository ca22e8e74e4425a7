package builtin

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Namespaces describes v1 Namespaces: those of [server.NamespaceKind] with their Go type, and
// with the checks that this makes possible.
func Namespaces() server.Resource {
	r := server.NamespaceKind()
	version := &r.Versions[0]
	version.Codec, version.JSONOnly = Codec[corev1.Namespace](), false
	version.Columns[len(version.Columns)-1] = age() // in words, as for all kinds of this package
	r.Validate = named(r.Validate)
	for i := range r.Subresources {
		switch sub := &r.Subresources[i]; sub.Name {
		case "status":
			sub.Validate = validateNamespaceStatus
		case "finalize":
			sub.Validate = validateNamespaceFinalize
		}
	}
	return r
}

func validateNamespaceStatus(next, _ object.Object) object.FieldErrors {
	phase, want, when := text(next, "status", "phase"), corev1.NamespaceActive, "empty"
	if !next.DeletionTimestamp().IsZero() {
		want, when = corev1.NamespaceTerminating, "not empty"
	}
	if phase == string(want) {
		return nil
	}
	detail := "may only be '" + string(want) + "' if `deletionTimestamp` is " + when
	return object.FieldErrors{object.InvalidField("status.Phase", phase, detail)}
}

func validateNamespaceFinalize(next, _ object.Object) object.FieldErrors {
	var errs object.FieldErrors
	for i, name := range list(next, "spec", "finalizers") {
		errs = append(errs, checkFinalizer("spec.finalizers["+strconv.Itoa(i)+"]", name)...)
	}
	return errs
}

func checkFinalizer(field string, value any) object.FieldErrors {
	name, _ := value.(string)
	var errs object.FieldErrors
	for _, detail := range validation.IsQualifiedName(name) {
		errs = append(errs, object.InvalidField(field, name, detail))
	}
	if !strings.Contains(name, "/") && !standardFinalizer(name) {
		errs = append(errs, object.InvalidField(field, name, "name is neither a standard finalizer name nor is it fully qualified"))
	}
	return errs
}

func standardFinalizer(name string) bool {
	switch name {
	case string(corev1.FinalizerKubernetes), "orphan", "foregroundDeletion":
		return true
	}
	return false
}
