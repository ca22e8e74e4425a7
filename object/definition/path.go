package definition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// path is a parsed path of a column. It leads to any number of values.
type path struct {
	steps  []step
	fields []string // instead of steps, if they are fields and nothing else
}

type stepKind uint8

const (
	stepField     stepKind = iota
	stepAll                // all fields or items
	stepRecursive          // all that is in a value, at any depth
	stepSlice              // some items
	stepUnion              // what each branch finds
	stepFilter             // the items for which a comparison holds
	stepValue              // a literal
	stepUnknown            // a word that means nothing
)

// step leads from values to others.
type step struct {
	kind     stepKind
	text     string // name of a field, operator of a filter, unknown word
	value    any    // of a literal
	bounds   [3]bound
	branches [][]step // of a union; left and right of a filter
}

// bound is the start, end or step of a slice.
type bound struct {
	n       int
	known   bool
	derived bool // an end that follows from the start
}

// mayEnter says whether the path may lead into a field, or to something that has it.
func (p *path) mayEnter(fields ...string) bool {
	for i, name := range fields {
		if i == len(p.steps) || p.steps[i].kind != stepField {
			return true
		}
		if p.steps[i].text != name {
			return false
		}
	}
	return true
}

// first gives the first value that the path leads to.
func (p *path) first(o map[string]any) (value any, ok bool) {
	if len(p.fields) == len(p.steps) {
		return p.walk(o)
	}
	values, err := follow([]any{o}, p.steps)
	if err != nil || len(values) == 0 {
		return nil, false
	}
	return values[0], true
}

func (p *path) walk(o map[string]any) (value any, ok bool) {
	value, ok = o, true
	for _, name := range p.fields {
		m, isMap := value.(map[string]any)
		if !isMap {
			return nil, false
		}
		if value, ok = m[name]; !ok {
			return nil, false
		}
	}
	return value, ok
}

// follow applies steps to values. On an error it gives the values that the failing
// step began with, since the filter for existence looks at them.
func follow(values []any, steps []step) ([]any, error) {
	for i := range steps {
		next, err := steps[i].apply(values)
		if err != nil {
			return next, err
		}
		values = next
	}
	return values, nil
}

func (s *step) apply(values []any) ([]any, error) {
	switch s.kind {
	case stepField:
		return s.field(values), nil
	case stepAll:
		var found []any
		for _, v := range values {
			found = append(found, contents(v)...)
		}
		return found, nil
	case stepRecursive:
		return descend(nil, values), nil
	case stepSlice:
		return s.slice(values)
	case stepUnion:
		var found []any
		for _, branch := range s.branches {
			more, err := follow(values, branch)
			if err != nil {
				return values, err
			}
			found = append(found, more...)
		}
		return found, nil
	case stepFilter:
		return s.filter(values)
	case stepValue:
		if _, isText := s.value.(string); isText {
			return []any{s.value}, nil
		}
		return slices.Repeat([]any{s.value}, len(values)), nil
	}
	return values, fmt.Errorf("unrecognized identifier %s", s.text)
}

func (s *step) field(values []any) []any {
	var found []any
	for _, v := range values {
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		if x, ok := m[s.text]; ok {
			found = append(found, x)
		}
	}
	return found
}

// contents are the fields of an object, in the order of their names, the items of a
// list or the bytes of a text.
func contents(v any) []any {
	switch v := v.(type) {
	case map[string]any:
		values := make([]any, 0, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			values = append(values, v[name])
		}
		return values
	case []any:
		return v
	case string:
		values := make([]any, len(v))
		for i := range len(v) {
			values[i] = v[i]
		}
		return values
	}
	return nil
}

// descend appends what has contents, each before its contents.
func descend(found, values []any) []any {
	for _, v := range values {
		if inside := contents(v); len(inside) > 0 {
			found = descend(append(found, v), inside)
		}
	}
	return found
}

func (s *step) slice(values []any) ([]any, error) {
	var found []any
	for _, v := range values {
		if v == nil {
			continue
		}
		list, ok := v.([]any)
		if !ok {
			return values, fmt.Errorf("%T is not array or slice", v)
		}
		start, end, err := s.limits(len(list))
		if err != nil {
			return values, err
		}
		if start == end {
			return found, nil
		}
		stride := 1
		if s.bounds[2].known {
			stride = s.bounds[2].n
		}
		if stride <= 0 {
			return values, errors.New("step must be > 0")
		}
		for i := start; i < end; i += stride {
			found = append(found, list[i])
		}
	}
	return found, nil
}

// limits are the first index and the one behind the last; equal for an empty slice.
func (s *step) limits(length int) (start, end int, err error) {
	start, end = s.bounds[0].n, s.bounds[1].n
	if start < 0 {
		start += length
	}
	if !s.bounds[1].known {
		end = length
	}
	if end < 0 || end == 0 && s.bounds[1].derived {
		end += length
	}
	switch {
	case start == end:
		return 0, 0, nil
	case start < 0 || start >= length:
		return 0, 0, fmt.Errorf("array index out of bounds: index %d, length %d", start, length)
	case end < 0 || end > length:
		return 0, 0, fmt.Errorf("array index out of bounds: index %d, length %d", end-1, length)
	case start > end:
		return 0, 0, fmt.Errorf("starting index %d is greater than ending index %d", start, end)
	}
	return start, end, nil
}

func (s *step) filter(values []any) ([]any, error) {
	var found []any
	for _, v := range values {
		list, ok := v.([]any)
		if !ok {
			return values, fmt.Errorf("%v is not array or slice and cannot be filtered", v)
		}
		for _, item := range list {
			pass, err := s.holds(item)
			if err != nil {
				return values, err
			}
			if pass {
				found = append(found, item)
			}
		}
	}
	return found, nil
}

func (s *step) holds(item any) (bool, error) {
	lefts, err := follow([]any{item}, s.branches[0])
	if s.text == "exists" {
		return len(lefts) > 0, nil
	}
	left, ok, err := single(lefts, err)
	if !ok {
		return false, err
	}
	rights, err := follow([]any{item}, s.branches[1])
	right, ok, err := single(rights, err)
	if !ok {
		return false, err
	}
	return compare(left, s.text, right)
}

func single(values []any, err error) (v any, ok bool, _ error) {
	switch {
	case err != nil:
		return nil, false, err
	case len(values) == 0:
		return nil, false, nil
	case len(values) > 1:
		return nil, false, errors.New("can only compare one element at a time")
	}
	return values[0], true, nil
}
