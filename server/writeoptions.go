package server

import (
	"net/url"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// WriteOptions are those of create, update and patch.
type WriteOptions struct {
	DryRun          []string // nil or All
	FieldManager    string
	FieldValidation string // "" (Warn), Ignore, Warn or Strict
}

// parseWriteOptions reads and checks the options of a write; kind names them in errors.
func parseWriteOptions(q url.Values, kind string) (WriteOptions, error) {
	o := WriteOptions{
		DryRun:          q["dryRun"],
		FieldManager:    q.Get("fieldManager"),
		FieldValidation: q.Get("fieldValidation"),
	}
	errs := object.ValidateFieldManager(o.FieldManager, "fieldManager")
	errs = append(errs, validateDryRun(o.DryRun)...)
	if !slices.Contains([]string{"", fieldsIgnore, fieldsWarn, fieldsStrict}, o.FieldValidation) {
		errs = append(errs, object.UnsupportedField("fieldValidation", o.FieldValidation, "", fieldsIgnore, fieldsStrict, fieldsWarn))
	}
	return o, invalidOptions(kind, errs)
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
