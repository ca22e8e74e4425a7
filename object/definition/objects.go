package definition

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Decode gives an object that a client sent, in this version, the form in which the
// API works with it, in place: metadata as its type has it, fields pruned that the
// schema doesn't know, defaults set. It returns the paths of the fields that a strict
// reader refuses, in the API's order. Errors are in the API's words, for BadRequest.
func (v *Version) Decode(o object.Object) (unknown []string, err error) {
	unknown, err = object.NormalizeMeta(o)
	if err != nil {
		return nil, err
	}
	if !v.preserve {
		unknown = append(unknown, v.Schema.Prune(o, true)...)
		v.Schema.PruneNulls(map[string]any(o))
	}
	embedded, err := v.Schema.Coerce(map[string]any(o), "", false)
	if err != nil {
		return nil, err
	}
	v.Schema.SetDefaults(map[string]any(o))
	return append(unknown, embedded...), nil
}

// Complete gives an object that was merged from others the form in which the API works
// with it, in place: as [Version.Decode] does, but nulls stay for validation to see, and
// so does what embedded resources have of the wrong type.
func (v *Version) Complete(o object.Object) error {
	if _, err := object.NormalizeMeta(o); err != nil {
		return err
	}
	if !v.preserve {
		v.Schema.Prune(o, false)
	}
	v.Schema.CoerceFitting(map[string]any(o))
	v.Schema.SetDefaults(map[string]any(o))
	return nil
}

// Read gives an object from a store, or from a conversion, the form that clients
// see, in place: as [Version.Decode] does, but dropping metadata of the wrong type.
func (v *Version) Read(o object.Object) {
	object.RepairMeta(o)
	if !v.preserve {
		v.Schema.Prune(o, false)
		v.Schema.PruneNulls(map[string]any(o))
	}
	_, _ = v.Schema.Coerce(map[string]any(o), "", true) // there is no error as it drops what is wrong
	v.Schema.SetDefaults(map[string]any(o))
	if o.Generation() == 0 {
		o.SetGeneration(1)
	}
}

// Validate says what is wrong with an object, in the API's words and order: by its
// schema, its scale, its embedded resources, its lists and its rules, which may cost
// together what the API lets them. Old is nil on a create; parts that an update leaves
// as they were may stay wrong. The object's own metadata is for [object.ValidateMeta]
// and [object.ValidateMetaUpdate], whose errors come first.
func (v *Version) Validate(next, old object.Object) object.FieldErrors {
	var errs object.FieldErrors
	value, before := map[string]any(next), map[string]any(old)
	if old == nil {
		errs = v.Schema.Validate(value, "")
	} else {
		errs = v.Schema.ValidateUpdate(value, before, "")
	}
	errs = append(errs, v.Scale.specErrors(next)...)
	errs = append(errs, v.Scale.statusErrors(next)...)
	errs = append(errs, v.Schema.ValidateEmbedded(value, "")...)
	if old == nil {
		errs = append(errs, v.Schema.ValidateLists(value, "")...)
	} else {
		errs = append(errs, v.Schema.ValidateListsUpdate(value, before, "")...)
	}
	return v.validateRules(next, old, errs)
}

// ValidateStatus is [Version.Validate] for a write through the status subresource.
func (v *Version) ValidateStatus(next, old object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if status, ok := next["status"]; ok {
		errs = v.Schema.Property("status").ValidateUpdate(status, old["status"], "status")
	}
	errs = append(errs, v.Scale.statusErrors(next)...)
	errs = append(errs, v.Schema.ValidateListsUpdate(map[string]any(next), map[string]any(old), "")...)
	return v.validateRules(next, old, errs)
}

// validateRules appends what rules find, if there are any and the errors so far, and
// those of the metadata, let them be asked.
func (v *Version) validateRules(next, old object.Object, errs object.FieldErrors) object.FieldErrors {
	if !v.Schema.HasRules() {
		return errs
	}
	if slices.ContainsFunc(errs, bars) || slices.ContainsFunc(v.metadataErrors(next, old), bars) {
		return append(errs, object.InvalidField("<nil>", nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
	}
	return append(errs, v.ruleVerdict(next, old).Errors...)
}

// bars says whether rules are not asked about an object with an error.
func bars(e *object.FieldError) bool {
	switch e.Type {
	case object.FieldValueNotSupported, object.FieldValueRequired, object.FieldValueTooLong, object.FieldValueTooMany, object.FieldValueTypeInvalid:
		return true
	}
	return false
}

func (v *Version) metadataErrors(next, old object.Object) object.FieldErrors {
	if old == nil {
		return object.ValidateMeta(next, v.Namespaced, object.ValidateSubdomainName)
	}
	return object.ValidateMetaUpdate(next, old)
}

// typeErrors says whether an object is of another kind or version.
func (v *Version) typeErrors(o object.Object) object.FieldErrors {
	var errs object.FieldErrors
	if kind := o.Kind(); kind != v.Kind.Kind {
		errs = append(errs, object.InvalidField("kind", kind, fmt.Sprintf("must be %s", v.Kind.Kind)))
	}
	if want := v.Kind.GroupVersion().String(); o.APIVersion() != want {
		errs = append(errs, object.InvalidField("apiVersion", o.APIVersion(), "must be "+want))
	}
	return errs
}
