package builtin

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Namespaces describes v1 Namespaces.
func Namespaces() server.Resource {
	return server.Resource{
		Plural: "namespaces", Kind: "Namespace", ShortNames: []string{"ns"},
		Versions: []server.Version{{
			Name:  "v1",
			Codec: Codec[corev1.Namespace](), Default: labelWithName,
			Columns: []server.Column{
				{
					Name: "Status", Type: "string", Description: "Active, or Terminating while it is being deleted.",
					Value: func(o object.Object) any { return text(o, "status", "phase") },
				},
				age(),
			},
		}},
		Fields:       map[string]func(object.Object) string{"status.phase": textField("status", "phase")},
		ValidateName: apivalidation.ValidateNamespaceName,
		Verbs:        []string{"create", "delete", "get", "list", "patch", "update", "watch"},
		BeginDelete: func(o object.Object) {
			ensure(o, "status")["phase"] = string(corev1.NamespaceTerminating)
		},
		// A first DELETE always marks, and a further one answers as it does.
		Held: func(o object.Object) bool {
			return o.DeletionTimestamp().IsZero() || len(list(o, "spec", "finalizers")) > 0
		},
		HeldByPolicy:  true,
		ReturnDeleted: true,
		Protected:     []string{"default", "kube-system", "kube-public"},
		Rules:         server.Rules{Prepare: prepareNamespace, Validate: named(validateNamespace)},
		Subresources: []server.Subresource{
			{
				Name: "status", Verbs: []string{"get", "patch", "update"},
				Rules: server.Rules{Prepare: prepareNamespaceStatus, Validate: validateNamespaceStatus},
			},
			{
				Name: "finalize", Verbs: []string{"update"},
				Rules: server.Rules{Prepare: prepareNamespaceFinalize, Validate: validateNamespaceFinalize},
			},
		},
	}
}

// prepareNamespace makes a new namespace active and held by the finalizer of
// Kubernetes; later writes change neither, which their subresources are for.
func prepareNamespace(next, old object.Object) {
	labelWithName(next)
	if old != nil {
		keep(next, old, "spec")
		keep(next, old, "status")
		return
	}
	next["status"] = map[string]any{"phase": string(corev1.NamespaceActive)}
	finalizers := list(next, "spec", "finalizers")
	if !slices.Contains(finalizers, any(string(corev1.FinalizerKubernetes))) {
		finalizers = append(slices.Clone(finalizers), string(corev1.FinalizerKubernetes))
	}
	next["spec"] = map[string]any{"finalizers": finalizers}
}

// labelWithName lets label selectors find a namespace by its name.
func labelWithName(o object.Object) {
	if o.Name() == "" {
		return
	}
	labels := o.Labels()
	if labels == nil {
		labels = make(map[string]string, 1)
	}
	labels[corev1.LabelMetadataName] = o.Name()
	o.SetLabels(labels)
}

func validateNamespace(next, _ object.Object) object.FieldErrors {
	var errs object.FieldErrors
	for _, name := range list(next, "spec", "finalizers") {
		errs = append(errs, checkFinalizer("spec.finalizers", name)...)
	}
	return errs
}

func prepareNamespaceStatus(next, old object.Object) {
	labelWithName(next)
	keep(next, old, "spec")
	if text(next, "status", "phase") == "" {
		ensure(next, "status")["phase"] = string(corev1.NamespaceActive)
	}
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

func prepareNamespaceFinalize(next, old object.Object) {
	labelWithName(next)
	keep(next, old, "status")
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
