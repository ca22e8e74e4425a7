package server

import (
	"net/url"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// WriteOptions are those of create, update and patch.
type WriteOptions struct {
	DryRun          []string // nil or All
	FieldManager    string
	FieldValidation string // "" (Warn), Ignore, Warn or Strict
	Force           bool   // of an apply: take fields from other owners
}

// parseWriteOptions reads and checks the options of a write; kind names them in errors.
func parseWriteOptions(q url.Values, kind string) (WriteOptions, error) {
	o := readWriteOptions(q)
	return o, invalidOptions(kind, o.validate())
}

// parsePatchOptions reads and checks the options of a patch.
func parsePatchOptions(q url.Values, kind apply.PatchType) (WriteOptions, error) {
	o := readWriteOptions(q)
	var errs object.FieldErrors
	if kind == apply.ApplyPatch && o.FieldManager == "" {
		errs = append(errs, errNoManager())
	}
	if kind != apply.ApplyPatch && q.Has("force") {
		errs = append(errs, object.ForbiddenField("force", "may not be specified for non-apply patch"))
	}
	o.Force = isTrue(q, "force")
	return o, invalidOptions("PatchOptions", append(errs, o.validate()...))
}

func errNoManager() *object.FieldError {
	return object.RequiredField("fieldManager", "is required for apply patch")
}

func readWriteOptions(q url.Values) WriteOptions {
	return WriteOptions{
		DryRun:          q["dryRun"],
		FieldManager:    q.Get("fieldManager"),
		FieldValidation: q.Get("fieldValidation"),
	}
}

func (o WriteOptions) validate() object.FieldErrors {
	errs := object.ValidateFieldManager(o.FieldManager, "fieldManager")
	errs = append(errs, validateDryRun(o.DryRun)...)
	if !slices.Contains([]string{"", fieldsIgnore, fieldsWarn, fieldsStrict}, o.FieldValidation) {
		errs = append(errs, object.UnsupportedField("fieldValidation", o.FieldValidation, "", fieldsIgnore, fieldsStrict, fieldsWarn))
	}
	return errs
}

const (
	fieldsIgnore = "Ignore"
	fieldsWarn   = "Warn"
	fieldsStrict = "Strict"
)

func (o WriteOptions) dryRun() bool { return len(o.DryRun) > 0 }

func validateDryRun(values []string) object.FieldErrors {
	for _, v := range values {
		if v != "All" {
			return object.FieldErrors{object.UnsupportedField("dryRun", values, "All")}
		}
	}
	return nil
}

func invalidOptions(kind string, errs object.FieldErrors) error {
	if len(errs) == 0 {
		return nil
	}
	return object.Invalid(object.GroupKind{Group: "meta.k8s.io", Kind: kind}, "", errs)
}
