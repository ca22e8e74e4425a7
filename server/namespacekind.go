package server

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// kubernetesFinalizer keeps a namespace until it is empty.
const kubernetesFinalizer = "kubernetes"

// NamespaceKind describes v1 Namespaces as the API has them: active until they are deleted, then
// terminating until a [gc.Emptier] has emptied them. A server that has them among its resources
// refuses to create objects in namespaces that are not there. They are read and written as JSON; a
// program that has protobuf for them can describe them by itself.
func NamespaceKind() Resource {
	return Resource{
		Plural: "namespaces", Kind: "Namespace", ShortNames: []string{"ns"},
		Versions: []Version{{Name: "v1", Codec: newNamespaceCodec(), JSONOnly: true, Default: labelNamespace, Columns: []Column{
			{Name: "Status", Type: "string", Description: "Active, or Terminating while it is being deleted.",
				Value: func(o object.Object) any { return namespacePhase(o) }},
			{Name: "Age", Type: "date", Description: "How long it has been there.",
				Value: func(o object.Object) any { return o.Metadata()["creationTimestamp"] }},
		}}},
		Fields:       map[string]func(object.Object) string{"status.phase": namespacePhase},
		ValidateName: object.ValidateLabelName,
		Verbs:        []string{"create", "delete", "get", "list", "patch", "update", "watch"},
		BeginDelete:  func(o object.Object) { setNamespacePhase(o, "Terminating") },
		Held: func(o object.Object) bool {
			return o.DeletionTimestamp().IsZero() || len(namespaceFinalizers(o)) > 0
		},
		HeldByPolicy:  true,
		ReturnDeleted: true,
		Protected:     []string{"default", "kube-system", "kube-public"},
		Rules:         Rules{Prepare: prepareNamespace, Validate: validateNamespace},
		Subresources: []Subresource{
			{Name: "status", Verbs: []string{"get", "patch", "update"}, Rules: Rules{Prepare: prepareNamespaceStatus, Validate: validateNamespaceStatus}},
			{Name: "finalize", Verbs: []string{"update"}, Rules: Rules{Prepare: prepareNamespaceEnd, Validate: validateNamespaceEnd, Changes: exceptStatus}},
		},
	}
}

// prepareNamespace makes a new namespace active and gives it its finalizer; later writes
// change neither, which the subresources are for.
func prepareNamespace(next, old object.Object) {
	labelNamespace(next)
	if old != nil {
		retain(next, old, "spec")
		retain(next, old, "status")
		return
	}
	next["status"] = map[string]any{"phase": "Active"}
	finalizers := slices.Clone(namespaceFinalizers(next))
	if !slices.Contains(finalizers, any(kubernetesFinalizer)) {
		finalizers = append(finalizers, kubernetesFinalizer)
	}
	next["spec"] = map[string]any{"finalizers": finalizers}
}

func prepareNamespaceStatus(next, old object.Object) {
	labelNamespace(next)
	retain(next, old, "spec")
	if namespacePhase(next) == "" {
		setNamespacePhase(next, "Active")
	}
}

func prepareNamespaceEnd(next, old object.Object) {
	labelNamespace(next)
	retain(next, old, "status")
}

// validateNamespace wants finalizers to be ones of the API, or to say whose they are.
func validateNamespace(next, _ object.Object) (errs object.FieldErrors) {
	for _, name := range namespaceFinalizers(next) {
		errs = append(errs, checkNamespaceFinalizer("spec.finalizers", name)...)
	}
	return errs
}

// validateNamespaceEnd does the same, and says which of them it is.
func validateNamespaceEnd(next, _ object.Object) (errs object.FieldErrors) {
	for i, name := range namespaceFinalizers(next) {
		errs = append(errs, checkNamespaceFinalizer(fmt.Sprintf("spec.finalizers[%d]", i), name)...)
	}
	return errs
}

func checkNamespaceFinalizer(field string, value any) (errs object.FieldErrors) {
	name, _ := value.(string)
	for _, problem := range object.ValidateLabelKey(name) {
		errs = append(errs, object.InvalidField(field, name, problem))
	}
	switch {
	case strings.Contains(name, "/"), name == kubernetesFinalizer, name == object.FinalizerOrphan, name == object.FinalizerForeground:
	default:
		errs = append(errs, object.InvalidField(field, name, "name is neither a standard finalizer name nor is it fully qualified"))
	}
	return errs
}

// validateNamespaceStatus wants the phase to say whether the namespace is being deleted.
func validateNamespaceStatus(next, _ object.Object) object.FieldErrors {
	phase, want, when := namespacePhase(next), "Active", "empty"
	if !next.DeletionTimestamp().IsZero() {
		want, when = "Terminating", "not empty"
	}
	if phase == want {
		return nil
	}
	detail := "may only be '" + want + "' if `deletionTimestamp` is " + when
	return object.FieldErrors{object.InvalidField("status.Phase", phase, detail)}
}

// labelNamespace lets label selectors find a namespace by its name.
func labelNamespace(o object.Object) {
	if o.Name() == "" {
		return
	}
	labels := o.Labels()
	if labels == nil {
		labels = make(map[string]string, 1)
	}
	labels["kubernetes.io/metadata.name"] = o.Name()
	o.SetLabels(labels)
}

func namespaceFinalizers(o object.Object) []any {
	found, _ := o.Field("spec", "finalizers")
	list, _ := found.([]any)
	return list
}

func namespacePhase(o object.Object) string {
	found, _ := o.Field("status", "phase")
	phase, _ := found.(string)
	return phase
}

func setNamespacePhase(o object.Object, phase string) {
	status, ok := o["status"].(map[string]any)
	if !ok {
		status = map[string]any{}
		o["status"] = status
	}
	status["phase"] = phase
}
