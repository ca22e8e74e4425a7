package apply

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Limits of what a JSON Patch may make of a document beyond what it says itself.
const (
	maxCopied = 3 << 20  // bytes of JSON in all of its copies
	maxMoved  = 50 << 20 // elements that give way in lists
	maxDepth  = 10_000   // of lists and objects in one another; what a decoder takes
	maxCounts = 16       // of the depth of a document
)

// document is one that a JSON Patch is being applied to.
type document struct {
	root   any
	copied int // bytes
	moved  int // elements of lists
	depth  int // the document is at most so deep
	counts int // of the depth
}

func newDocument(root map[string]any) *document {
	return &document{root: root, depth: depthOf(root)}
}

// apply carries out the operations in order, as RFC 6902 says but for these:
// replace of a missing member adds it; test of a missing member finds null, and so
// does copy; an index may count from the end (-1 is the last element, and for an add
// the place behind it); a value that is left out is null; what a path has in front
// of its first slash does not matter; and only replace and test take the whole
// document, which may be replaced by an object or a list.
func (d *document) apply(operations []operation) error {
	for i := range operations {
		if err := d.applyOne(&operations[i]); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) applyOne(op *operation) error {
	if !op.known() {
		return errUnknownOperation(op)
	}
	if op.path == nil {
		return fmt.Errorf("%s operation failed to decode path: %w", *op.op, errMissing)
	}
	path := parsePointer(*op.path)
	switch *op.op {
	case "add":
		return op.failed(d.add(path, clone(op.value)))
	case "remove":
		_, err := d.remove(path)
		return op.failed(err)
	case "replace":
		return op.failed(d.replace(path, clone(op.value)))
	case "test":
		return op.failed(d.test(path, op))
	}
	if op.from == nil {
		return fmt.Errorf("%s operation failed to decode from: operation, missing from field: %w", *op.op, errMissing)
	}
	return d.transfer(op, parsePointer(*op.from), path)
}

func (d *document) add(path pointer, value any) error {
	if err := d.insert(path, value); err != nil {
		return err
	}
	return d.deepen(len(path) + depthOf(value))
}

func (d *document) insert(path pointer, value any) error {
	return d.edit(path, func(container any, key string) (any, error) {
		list, ok := container.([]any)
		if !ok {
			container.(map[string]any)[key] = value
			return container, nil
		}
		if key == "-" {
			return append(list, value), nil
		}
		i, err := index(key, len(list)+1)
		if err != nil {
			return nil, err
		}
		if err := d.giveWay(len(list) - i); err != nil {
			return nil, err
		}
		return slices.Insert(list, i, value), nil
	})
}

func (d *document) remove(path pointer) (removed any, err error) {
	err = d.edit(path, func(container any, key string) (any, error) {
		list, ok := container.([]any)
		if !ok {
			m := container.(map[string]any)
			if removed, ok = m[key]; !ok {
				//lint:ignore ST1005 the API's words
				return nil, fmt.Errorf("Unable to remove nonexistent key: %s: %w", key, errMissing)
			}
			delete(m, key)
			return m, nil
		}
		i, err := index(key, len(list))
		if err != nil {
			return nil, err
		}
		if err := d.giveWay(len(list) - i); err != nil {
			return nil, err
		}
		removed = list[i]
		return slices.Delete(list, i, i+1), nil
	})
	return removed, err
}

func (d *document) replace(path pointer, value any) error {
	if path.whole() {
		switch value.(type) {
		case map[string]any, []any:
			d.root, d.depth = value, depthOf(value)
			return nil
		}
		return errors.New("replace operation value must be object or array")
	}
	err := d.edit(path, func(container any, key string) (any, error) {
		list, ok := container.([]any)
		if !ok {
			container.(map[string]any)[key] = value
			return container, nil
		}
		i, err := index(key, len(list))
		if err != nil {
			return nil, err
		}
		list[i] = value
		return list, nil
	})
	if err != nil {
		return err
	}
	return d.deepen(len(path) + depthOf(value))
}

func (d *document) test(path pointer, op *operation) error {
	value := d.root
	if !path.whole() {
		var err error
		if value, err = d.get(path); err != nil {
			return err
		}
	}
	if value != nil && !op.hasValue || !equal(value, op.value) {
		return errTest
	}
	return nil
}

// transfer moves or copies.
func (d *document) transfer(op *operation, from, path pointer) error {
	value, err := d.get(from)
	if err != nil {
		return op.failedAt("from", *op.from, err)
	}
	if *op.op == "copy" {
		if value, err = d.copy(value); err != nil {
			return err
		}
		return op.failedAt("destination", *op.path, d.add(path, value))
	}
	if value, err = d.remove(from); err != nil {
		return op.failedAt("from", *op.from, err)
	}
	if err := d.insert(path, value); err != nil {
		return op.failedAt("destination", *op.path, err)
	}
	return d.sink(value, len(path), len(path)-len(from))
}

func (d *document) copy(value any) (any, error) {
	d.copied += sizeOf(value)
	if d.copied > maxCopied {
		return nil, fmt.Errorf("more than %d bytes of copies", maxCopied)
	}
	return clone(value), nil
}

// giveWay accounts for the elements of a list that an operation moves.
func (d *document) giveWay(elements int) error {
	if d.moved += elements; d.moved > maxMoved {
		return fmt.Errorf("more than %d elements of lists moved", maxMoved)
	}
	return nil
}

// sizeOf is the length of a value's JSON.
func sizeOf(v any) int {
	if s, ok := v.(string); ok {
		return len(s) + 2
	}
	return len(object.AppendJSON(nil, v))
}

// deepen keeps the limit on depth when something that reaches down to the given depth
// was put in.
func (d *document) deepen(to int) error {
	d.depth = max(d.depth, to)
	if to > maxDepth {
		return fmt.Errorf("the document nests more than %d deep", maxDepth)
	}
	return nil
}

// sink is deepen for a value that was moved to a depth from so many steps higher up. How
// deep the value itself is, is estimated: it may be large, and moved often.
func (d *document) sink(value any, to, steps int) error {
	switch value.(type) {
	case map[string]any, []any:
	default:
		return d.deepen(to)
	}
	if steps <= 0 || d.depth+steps <= maxDepth {
		d.depth += max(steps, 0)
		return nil
	}
	if d.counts++; d.counts > maxCounts {
		return fmt.Errorf("the depth of the document changes more than %d times near the limit", maxCounts)
	}
	d.depth = 0
	return d.deepen(depthOf(d.root))
}

// depthOf counts how deep lists and objects nest.
func depthOf(v any) int {
	deepest := 0
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			deepest = max(deepest, depthOf(e))
		}
	case []any:
		for _, e := range v {
			deepest = max(deepest, depthOf(e))
		}
	default:
		return 0
	}
	return 1 + deepest
}

// index reads a list index that must be below limit; negative ones count from there.
func index(key string, limit int) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, fmt.Errorf("value was not a proper array index: '%s': %w", key, err)
	}
	at := i
	if i < 0 {
		at += limit
	}
	if at < 0 || at >= limit {
		//lint:ignore ST1005 the API's words
		return 0, fmt.Errorf("Unable to access invalid index: %d: %w", i, errIndex)
	}
	return at, nil
}

// equal compares values as RFC 6902 does: numbers by their value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, value := range a {
			other, ok := b[name]
			if !ok || !equal(value, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case int64:
		if f, ok := b.(float64); ok {
			return float64(a) == f
		}
	case float64:
		if n, ok := b.(int64); ok {
			return a == float64(n)
		}
	}
	return a == b
}
