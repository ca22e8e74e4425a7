package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Patcher changes objects as policies want them changed. It only reads what it is given, and what
// it gives may share nothing with the patch. Its errors are the policy's failures; one that is
// an object.StatusError is the answer to the request, whatever the policy says of failures.
type Patcher interface {
	// JSONPatch applies a JSON Patch (RFC 6902) to an object, which then has to be one of its
	// kind. [ErrTestFailed] is the error for a patch whose test fails.
	JSONPatch(ctx context.Context, o object.Object, patch []byte) (object.Object, error)
	// Apply merges a configuration of the same kind into an object, by the schema of the
	// kind and without account of owners. It doesn't replace lists and maps that are atomic.
	Apply(ctx context.Context, o, config object.Object) (object.Object, error)
}

// ErrTestFailed says that a test of a JSON Patch failed. The object stays as it is.
var ErrTestFailed = errors.New("a test of the patch failed")

var errNoPatcher = errors.New("there is no patcher")

// mutate gives what one mutation makes of the object.
func (a *activation) mutate(ctx context.Context, m *mutation) (object.Object, error) {
	budget := int64(expr.Budget)
	value, err := a.spend(&m.expression, &budget)
	if err != nil {
		return nil, err
	}
	if m.applies {
		config, err := expr.Configuration(value)
		if err != nil {
			return nil, err
		}
		return a.apply(ctx, config)
	}
	operations, err := expr.PatchOperations(value)
	if err != nil {
		return nil, err
	}
	return a.patch(ctx, operations)
}

func (a *activation) apply(ctx context.Context, config object.Object) (object.Object, error) {
	const doing = "error applying patch: %w"
	if hasNull(config) {
		return nil, fmt.Errorf(doing, fmt.Errorf("invalid ApplyConfiguration: may not be null: %s", placeOfNull(config)))
	}
	config.SetType(a.object.GroupVersionKind().TypeMeta())
	patcher := a.run.config.Patcher
	if patcher == nil {
		return nil, fmt.Errorf(doing, errNoPatcher)
	}
	patched, err := patcher.Apply(ctx, a.object, config)
	if err != nil {
		return nil, fmt.Errorf(doing, err)
	}
	return patched, nil
}

func (a *activation) patch(ctx context.Context, operations []any) (object.Object, error) {
	const doing = "JSON Patch: %w"
	if len(operations) == 0 {
		return a.object, nil
	}
	patcher := a.run.config.Patcher
	if patcher == nil {
		return nil, fmt.Errorf(doing, errNoPatcher)
	}
	patched, err := patcher.JSONPatch(ctx, a.object, object.AppendJSON(nil, operations))
	switch {
	case errors.Is(err, ErrTestFailed):
		a.note("not patched: %v", err)
		return a.object, nil
	case err != nil:
		return nil, fmt.Errorf(doing, err)
	}
	return patched, nil
}

// hasNull says whether there is a null in a document. To a merge by types it would be a
// value like others; those who write it want something removed.
func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case object.Object:
		return hasNull(map[string]any(v))
	case map[string]any:
		for _, value := range v {
			if hasNull(value) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// placeOfNull gives the path of the first null in a document that has one.
func placeOfNull(v any) string {
	switch v := v.(type) {
	case object.Object:
		return placeOfNull(map[string]any(v))
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if hasNull(v[key]) {
				return "." + key + placeOfNull(v[key])
			}
		}
	case []any:
		i := slices.IndexFunc(v, hasNull)
		return fmt.Sprintf("[%d]%s", i, placeOfNull(v[i]))
	}
	return ""
}
