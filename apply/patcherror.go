package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// What is wrong with an operation of a JSON Patch, in the words that the API has for it
// where it tells.
var (
	errMissing = errors.New("missing value")
	errIndex   = errors.New("invalid index referenced")
	errTest    = errors.New("test failed")
)

// IsFailedTest says whether a JSON Patch does not fit because a test in it failed.
func IsFailedTest(err error) bool { return errors.Is(err, errTest) }

// known says whether there is such an operation.
func (op *operation) known() bool {
	return op.op != nil && slices.Contains([]string{"add", "remove", "replace", "test", "move", "copy"}, *op.op)
}

func errUnknownOperation(op *operation) error {
	name := "unknown"
	if op.op != nil {
		name = *op.op
	}
	//lint:ignore ST1005 the API's words
	return fmt.Errorf("Unexpected kind: %s", name)
}

// failed words why an operation with one path failed, if it did.
func (op *operation) failed(err error) error {
	kind, path := *op.op, *op.path
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errTest):
		return fmt.Errorf("testing value %s failed: %w", path, errTest)
	case errors.Is(err, errUnreachable) && kind == "test":
		return fmt.Errorf("test operation does not apply: is missing path: %s: %w", path, errMissing)
	case errors.Is(err, errUnreachable) && kind == "replace":
		return fmt.Errorf("replace operation does not apply: doc is missing path: %s: %w", path, errMissing)
	case errors.Is(err, errIndex) && kind == "replace":
		return fmt.Errorf("replace operation does not apply: doc is missing key: %s: %w", path, errMissing)
	case errors.Is(err, errUnreachable):
		return fmt.Errorf("%s operation does not apply: doc is missing path: %q: %w", kind, path, errMissing)
	}
	return fmt.Errorf("error in %s for path: '%s': %w", kind, path, err)
}

// failedAt words why a move or a copy failed at one of its ends.
func (op *operation) failedAt(end, path string, err error) error {
	kind := *op.op
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errUnreachable):
		return fmt.Errorf("%s operation does not apply: doc is missing %s path: %s: %w", kind, end, path, errMissing)
	case kind == "copy" && end == "from":
		return fmt.Errorf("error in copy for from: '%s': %w", path, err)
	case kind == "copy":
		return fmt.Errorf("error while adding value during copy: %w", err)
	case end == "from":
		path = unescape.Replace(path[strings.LastIndexByte(path, '/')+1:])
	}
	return fmt.Errorf("error in move for path: '%s': %w", path, err)
}
