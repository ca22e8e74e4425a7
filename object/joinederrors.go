package object

import (
	"slices"
	"strings"
)

// JoinErrors makes one error of several, in the API's form: "[first, second]", each text once.
// It is nil for none. All of them can be found by errors.Is and errors.As.
func JoinErrors(errs []error) error {
	joined := &joinedErrors{all: errs}
	for _, err := range errs {
		if text := err.Error(); !slices.Contains(joined.texts, text) {
			joined.texts = append(joined.texts, text)
		}
	}
	switch len(joined.texts) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return joined
}

type joinedErrors struct {
	all   []error
	texts []string
}

func (e *joinedErrors) Error() string { return "[" + strings.Join(e.texts, ", ") + "]" }

func (e *joinedErrors) Unwrap() []error { return e.all }
