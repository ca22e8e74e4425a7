package apply

import (
	"errors"
	"fmt"
	"strconv"
)

// What is wrong with a JSON Patch is in the words of the API, which those of policies and
// webhooks get to see.
var (
	// ErrTestFailed is in the chain of the error of a JSON Patch whose test failed.
	ErrTestFailed = errors.New("test failed")

	errMissing  = errors.New("missing value")
	errIndex    = errors.New("invalid index referenced")
	errNotThere = errors.New("Unable to remove nonexistent key")
	errNoAccess = errors.New("Unable to access invalid index")
	errKind     = errors.New("Unexpected kind")

	// errNoPlace says that what a path leads to is in nothing. It is never shown.
	errNoPlace = errors.New("there is no such place")
)

// isOfPlace says whether an error is about a place in the document, and not about a limit
// or a test.
func isOfPlace(err error) bool {
	var number *strconv.NumError
	return errors.Is(err, errNoPlace) || errors.Is(err, errMissing) || errors.Is(err, errIndex) || errors.As(err, &number)
}

func unknownKind(kind string) error { return fmt.Errorf("%w: %s", errKind, kind) }

func undecodableMember(kind, member string) error {
	switch {
	case kind == "add", kind == "remove":
		return fmt.Errorf("%s operation failed to decode %s: %w", kind, member, errMissing)
	case member == "from":
		return fmt.Errorf("%s operation failed to decode from: operation, missing from field: %w", kind, errMissing)
	}
	return fmt.Errorf("%s operation failed to decode path: operation missing path field: %w", kind, errMissing)
}

// inAdd words what is wrong with the index of an addition.
func inAdd(key string, err error) error {
	var number *strconv.NumError
	if errors.As(err, &number) {
		return fmt.Errorf("value was not a proper array index: '%s': %w", key, err)
	}
	return err
}

// inPlace words what went wrong in the place of an operation.
func inPlace(kind, path string, err error) error {
	switch {
	case !isOfPlace(err):
		return err
	case kind == "replace" && !errors.Is(err, errNoPlace):
		return fmt.Errorf("replace operation does not apply: doc is missing key: %s: %w", path, errMissing)
	case !errors.Is(err, errNoPlace):
		return fmt.Errorf("error in %s for path: '%s': %w", kind, path, err)
	case kind == "replace":
		return fmt.Errorf("replace operation does not apply: doc is missing path: %s: %w", path, errMissing)
	case kind == "test":
		return fmt.Errorf("test operation does not apply: is missing path: %s: %w", path, errMissing)
	}
	return fmt.Errorf("%s operation does not apply: doc is missing path: \"%s\": %w", kind, path, errMissing)
}

// inSource words what went wrong where something should come from.
func inSource(kind, path string, parts pointer, err error) error {
	switch {
	case !isOfPlace(err):
		return err
	case errors.Is(err, errNoPlace):
		return fmt.Errorf("%s operation does not apply: doc is missing from path: %s: %w", kind, path, errMissing)
	case kind == "copy":
		return fmt.Errorf("error in copy for from: '%s': %w", path, err)
	}
	return fmt.Errorf("error in move for path: '%s': %w", parts[len(parts)-1], err)
}

// inDestination words what went wrong where something should go.
func inDestination(kind, path string, err error) error {
	switch {
	case !isOfPlace(err):
		return err
	case errors.Is(err, errNoPlace):
		return fmt.Errorf("%s operation does not apply: doc is missing destination path: %s: %w", kind, path, errMissing)
	case kind == "copy":
		return fmt.Errorf("error while adding value during copy: %w", err)
	}
	return fmt.Errorf("error in move for path: '%s': %w", path, err)
}
