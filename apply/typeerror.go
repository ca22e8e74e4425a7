package apply

import (
	"errors"
	"regexp"

	"sigs.k8s.io/structured-merge-diff/v4/typed"
)

var keyOmitted = regexp.MustCompile(`^(element \d+: associative list with keys has an element that omits )key field ("[^"]*") \(and doesn't have default value\)$`)

// reworded puts what the library says of a type that doesn't fit into the API's words.
func reworded(err error) error {
	var errs typed.ValidationErrors
	if !errors.As(err, &errs) {
		return err
	}
	for i := range errs {
		errs[i].ErrorMessage = keyOmitted.ReplaceAllString(errs[i].ErrorMessage,
			"${1}all key fields [$2] (and doesn't have default values for any key fields)")
	}
	return errs
}
