package object

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	maxAnnotationBytes   = 256 << 10 // of all keys and values together
	maxFieldManagerBytes = 128
	maxSubresourceBytes  = 256
)

// The finalizers that stand for a propagation policy until it is carried out.
const (
	FinalizerOrphan     = "orphan"
	FinalizerForeground = "foregroundDeletion"
)

// ValidateMeta says what is wrong with the metadata of an object about to be
// created, after its name was generated. validName checks name and generateName;
// see [ValidateSubdomainName]. Errors come in the API's order and words.
func ValidateMeta(o Object, namespaced bool, validName func(name string, prefix bool) []string) FieldErrors {
	var errs FieldErrors
	if prefix := o.GenerateName(); prefix != "" {
		errs = append(errs, invalidFields("metadata.generateName", prefix, validName(prefix, true))...)
	}
	if name := o.Name(); name == "" {
		errs = append(errs, RequiredField("metadata.name", "name or generateName is required"))
	} else {
		errs = append(errs, invalidFields("metadata.name", name, validName(name, false))...)
	}
	errs = append(errs, validateNamespace(o.Namespace(), namespaced)...)
	errs = append(errs, validateGeneration(o)...)
	errs = append(errs, validateSharedMeta(o)...)
	errs = append(errs, validateFinalizers(o.Finalizers())...)
	return append(errs, validateManagedFields(o)...)
}

// ValidateMetaUpdate says what is wrong with the metadata of next as the
// successor of old. Errors come in the API's order and words.
func ValidateMetaUpdate(next, old Object) FieldErrors {
	var errs FieldErrors
	if _, deleting := old.Metadata()["deletionTimestamp"]; deleting {
		errs = append(errs, validateNoNewFinalizers(next.Finalizers(), old.Finalizers())...)
	}
	if next.ResourceVersion() == "" {
		errs = append(errs, InvalidField("metadata.resourceVersion", "", "must be specified for an update"))
	}
	errs = append(errs, validateGeneration(next)...)
	if next.Generation() < old.Generation() {
		errs = append(errs, InvalidField("metadata.generation", next.Generation(), "must not be decremented"))
	}
	errs = append(errs, validateImmutableMeta(next, old)...)
	errs = append(errs, validateSharedMeta(next)...)
	return append(errs, validateManagedFields(next)...)
}

// ValidateQualifiedFinalizers is what the kinds of the core groups want besides
// [ValidateMeta] and [ValidateMetaUpdate]: a finalizer has a prefix with a slash,
// or is one of the API's own.
func ValidateQualifiedFinalizers(o Object) FieldErrors {
	var errs FieldErrors
	for i, name := range o.Finalizers() {
		switch name {
		case FinalizerOrphan, FinalizerForeground, "kubernetes":
			continue
		}
		if !strings.Contains(name, "/") {
			errs = append(errs, InvalidField(fmt.Sprintf("metadata.finalizers[%d]", i), name,
				"name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

func validateNamespace(namespace string, namespaced bool) FieldErrors {
	switch {
	case !namespaced && namespace != "":
		return FieldErrors{ForbiddenField("metadata.namespace", "not allowed on this type")}
	case namespaced && namespace == "":
		return FieldErrors{RequiredField("metadata.namespace", "")}
	case namespaced:
		return invalidFields("metadata.namespace", namespace, ValidateLabelName(namespace, false))
	}
	return nil
}

func validateGeneration(o Object) FieldErrors {
	if n := o.Generation(); n < 0 {
		return FieldErrors{InvalidField("metadata.generation", n, "must be greater than or equal to 0")}
	}
	return nil
}

// validateSharedMeta checks what creates and updates check alike.
func validateSharedMeta(o Object) FieldErrors {
	meta := o.Metadata()
	var errs FieldErrors
	if labels, ok := meta["labels"].(map[string]any); ok && !validLabels(labels) {
		errs = append(errs, validateLabels(o.Labels(), "metadata.labels")...)
	}
	if annotations, ok := meta["annotations"].(map[string]any); ok {
		errs = append(errs, validateAnnotations(annotations)...)
	}
	return append(errs, validateOwnerReferences(o.OwnerReferences())...)
}

// validLabels is the quick answer for labels without fault.
func validLabels(labels map[string]any) bool {
	for key, value := range labels {
		text, _ := value.(string)
		if len(ValidateLabelKey(key)) > 0 || len(ValidateLabelValue(text)) > 0 {
			return false
		}
	}
	return true
}

// validateLabels checks keys and values. The API goes through them in no order;
// here it is that of the keys.
func validateLabels(labels map[string]string, field string) FieldErrors {
	var errs FieldErrors
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		errs = append(errs, invalidFields(field, key, ValidateLabelKey(key))...)
		errs = append(errs, invalidFields(field, labels[key], ValidateLabelValue(labels[key]))...)
	}
	return errs
}

// validateAnnotations checks keys, in which case does not matter, and the size.
func validateAnnotations(annotations map[string]any) FieldErrors {
	var wrong []string
	size := 0
	for key, value := range annotations {
		text, _ := value.(string)
		size += len(key) + len(text)
		if len(ValidateLabelKey(strings.ToLower(key))) > 0 {
			wrong = append(wrong, key)
		}
	}
	slices.Sort(wrong)
	var errs FieldErrors
	for _, key := range wrong {
		errs = append(errs, invalidFields("metadata.annotations", key, ValidateLabelKey(strings.ToLower(key)))...)
	}
	if size > maxAnnotationBytes {
		errs = append(errs, TooLongField("metadata.annotations", maxAnnotationBytes))
	}
	return errs
}

// maxControllers is how many controllers beyond the first are told as faults: the
// message of each shows all references.
const maxControllers = 8

func validateOwnerReferences(refs []OwnerReference) FieldErrors {
	var errs FieldErrors
	controller, more := "", 0
	for i, ref := range refs {
		errs = append(errs, validateOwnerReference(ref, fmt.Sprintf("metadata.ownerReferences[%d]", i))...)
		if ref.Controller == nil || !*ref.Controller {
			continue
		}
		name := ref.Kind + "/" + ref.Name
		if controller == "" {
			controller = name
			continue
		}
		if more++; more > maxControllers {
			continue
		}
		errs = append(errs, InvalidField("metadata.ownerReferences", refs,
			`Only one reference can have Controller set to true. Found "true" in references for `+controller+" and "+name))
	}
	return errs
}

func validateOwnerReference(ref OwnerReference, field string) FieldErrors {
	var errs FieldErrors
	gv, err := ParseGroupVersion(ref.APIVersion)
	switch {
	case ref.APIVersion == "":
		errs = append(errs, RequiredField(field+".apiVersion", "must not be empty"))
	case err != nil || gv.Version == "":
		errs = append(errs, InvalidField(field+".apiVersion", ref.APIVersion, "must be <group>/<version> or <version>"))
	}
	for _, part := range []struct{ name, value string }{{"kind", ref.Kind}, {"name", ref.Name}, {"uid", ref.UID}} {
		if part.value == "" {
			errs = append(errs, RequiredField(field+"."+part.name, "must not be empty"))
		}
	}
	if gv == (GroupVersion{Version: "v1"}) && ref.Kind == "Event" {
		errs = append(errs, InvalidField(field, ref, "/v1, Kind=Event is disallowed from being an owner"))
	}
	return errs
}

func validateFinalizers(names []string) FieldErrors {
	var errs FieldErrors
	for _, name := range names {
		errs = append(errs, invalidFields("metadata.finalizers", name, ValidateLabelKey(name))...)
	}
	if slices.Contains(names, FinalizerOrphan) && slices.Contains(names, FinalizerForeground) {
		errs = append(errs, InvalidField("metadata.finalizers", names,
			"finalizer "+FinalizerOrphan+" and "+FinalizerForeground+" cannot be both set"))
	}
	return errs
}

func validateNoNewFinalizers(next, old []string) FieldErrors {
	var added []string
	for _, name := range next {
		if !slices.Contains(old, name) {
			added = append(added, name)
		}
	}
	if len(added) == 0 {
		return nil
	}
	slices.Sort(added)
	return FieldErrors{ForbiddenField("metadata.finalizers", fmt.Sprintf(
		"no new finalizers can be added if the object is being deleted, found new finalizers %#v", slices.Compact(added)))}
}

func validateImmutableMeta(next, old Object) FieldErrors {
	const immutable = "field is immutable"
	var errs FieldErrors
	for _, f := range []struct {
		field     string
		next, old string
	}{
		{"metadata.name", next.Name(), old.Name()},
		{"metadata.namespace", next.Namespace(), old.Namespace()},
	} {
		if f.next != f.old {
			errs = append(errs, InvalidField(f.field, f.next, immutable))
		}
	}
	if next.UID() != old.UID() {
		errs = append(errs, InvalidField("metadata.uid", textAsJSON(next.UID()), immutable))
	}
	if created := next.CreationTimestamp(); !created.Equal(old.CreationTimestamp()) {
		errs = append(errs, InvalidField("metadata.creationTimestamp", Time{created}, immutable))
	}
	if deleted := next.DeletionTimestamp(); !deleted.Equal(old.DeletionTimestamp()) {
		errs = append(errs, InvalidField("metadata.deletionTimestamp", Time{deleted}, immutable))
	}
	grace, ok := next.DeletionGracePeriodSeconds()
	if oldGrace, oldOK := old.DeletionGracePeriodSeconds(); ok != oldOK || grace != oldGrace {
		var shown any
		if ok {
			shown = grace
		}
		errs = append(errs, InvalidField("metadata.deletionGracePeriodSeconds", shown, immutable))
	}
	return errs
}

func validateManagedFields(o Object) FieldErrors {
	entries, _ := o.Metadata()["managedFields"].([]any)
	var errs FieldErrors
	for i, v := range entries {
		entry, _ := v.(map[string]any)
		errs = append(errs, validateManagedFieldsEntry(entry, fmt.Sprintf("metadata.managedFields[%d]", i))...)
	}
	return errs
}

func validateManagedFieldsEntry(entry map[string]any, field string) FieldErrors {
	var errs FieldErrors
	switch operation := stringAt(entry, "operation"); operation {
	case "Apply", "Update":
	case "":
		errs = append(errs, RequiredField(field+".operation", "must not be empty"))
	default:
		errs = append(errs, UnsupportedField(field+".operation", textAsJSON(operation), "Apply", "Update"))
	}
	if fieldsType := stringAt(entry, "fieldsType"); fieldsType != "" && fieldsType != "FieldsV1" {
		errs = append(errs, InvalidField(field+".fieldsType", fieldsType, "must be `FieldsV1`"))
	}
	errs = append(errs, ValidateFieldManager(stringAt(entry, "manager"), field+".manager")...)
	if len(stringAt(entry, "subresource")) > maxSubresourceBytes {
		errs = append(errs, TooLongField(field+".subresource", maxSubresourceBytes))
	}
	return errs
}

// ValidateFieldManager checks the name of a field manager, which stands in the
// field with this path: at most 128 bytes, all of them printable.
func ValidateFieldManager(manager, field string) FieldErrors {
	var errs FieldErrors
	if len(manager) > maxFieldManagerBytes {
		errs = append(errs, TooLongField(field, maxFieldManagerBytes))
	}
	for i, r := range manager {
		if !unicode.IsPrint(r) {
			errs = append(errs, InvalidField(field, manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}
