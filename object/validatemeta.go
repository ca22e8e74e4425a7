package object

import (
	"maps"
	"slices"
)

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
