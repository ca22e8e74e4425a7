package apply

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// patchList gives the schema of a field that is a list.
func patchList(s *schema.Schema, name string) (*schema.Schema, error) {
	field, err := patchField(s, name)
	if err != nil {
		return nil, err
	}
	if field.Items != nil && field.Items.Type == "array" {
		return nil, errors.New("unexpected slice of slice")
	}
	if field.Type != "array" {
		return nil, errors.New("expected slice or array type, but got: struct")
	}
	return field, nil
}

func (m *strategicMerge) listField(was []any, name string, patch []any, s *schema.Schema, deletes bool) (any, error) {
	field, err := patchList(s, name)
	if err != nil {
		return nil, err
	}
	strategy, key, err := patchStrategy(field)
	if err != nil {
		return nil, err
	}
	if strategy != strategyMerge && !deletes {
		return patch, nil
	}
	return m.list(was, patch, mergedList{field.Items, key}, deletes)
}

// mergedList is how a list is merged.
type mergedList struct {
	items *schema.Schema
	key   string // empty for items that are no objects
}

// list merges a patch into a list, or deletes what is in the patch from it.
func (m *strategicMerge) list(was, patch []any, l mergedList, deletes bool) (any, error) {
	if len(was) == 0 && len(patch) == 0 {
		return was, nil
	}
	if err := m.count(was, patch); err != nil {
		return nil, err
	}
	objects, err := areObjects(was, patch)
	if err != nil {
		return nil, err
	}
	var merged []any
	switch {
	case !objects && deletes:
		gone := l.places(patch, false)
		return slices.DeleteFunc(was, func(v any) bool { return gone.of(v) >= 0 }), nil
	case !objects:
		merged = once(slices.Concat(was, patch))
	case l.key == "":
		return nil, fmt.Errorf("cannot merge lists without merge key for %s", kindOf(l.items))
	default:
		if was, patch, err = l.carryOut(was, patch); err != nil {
			return nil, err
		}
		if merged, err = m.items(was, patch, l); err != nil {
			return nil, err
		}
	}
	return l.arrange(merged, patch, was, objects)
}

// kindOf is what Go calls values of a schema.
func kindOf(s *schema.Schema) string {
	if s != nil && s.Type == "string" {
		return "string"
	}
	return "struct"
}

// areObjects says whether the items of two lists are objects. All must be of one type.
func areObjects(lists ...[]any) (objects bool, err error) {
	var first any
	for _, list := range lists {
		for _, item := range list {
			if first == nil {
				first = item
			}
			if first == nil {
				return false, rejected(errors.New("a list has a null"))
			}
			if !sameType(first, item) {
				return false, fmt.Errorf("list element types are not identical: %v", fmt.Sprint(lists))
			}
		}
	}
	switch first.(type) {
	case nil:
		return false, errors.New(errNoElements)
	case []any:
		return false, rejected(errors.New(errListsOfLists))
	case map[string]any:
		return true, nil
	}
	return false, nil
}

// once leaves each item once.
func once(list []any) []any {
	seen := make(places, len(list))
	return slices.DeleteFunc(list, func(v any) bool { return !seen.add(v, 0) })
}

// places finds items, or their keys, in a list. It knows nothing of objects and lists,
// none of which are the same.
type places map[any]int

// add notes the place of a value unless it has one.
func (p places) add(v any, i int) (added bool) {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	if _, ok := p[v]; ok {
		return false
	}
	p[v] = i
	return true
}

// of gives the place of a value, or -1.
func (p places) of(v any) int {
	switch v.(type) {
	case map[string]any, []any:
		return -1
	}
	if i, ok := p[v]; ok {
		return i
	}
	return -1
}

// places gives those of the items of a list by what tells them apart.
func (l mergedList) places(list []any, objects bool) places {
	p := make(places, len(list))
	for i, item := range list {
		p.add(l.value(item, objects), i)
	}
	return p
}

// value is what tells an item apart: itself, or its key.
func (l mergedList) value(item any, objects bool) any {
	if !objects {
		return item
	}
	m, _ := item.(map[string]any)
	return m[l.key]
}

// carryOut carries out the directives of items and takes them out of the patch.
func (l mergedList) carryOut(was, patch []any) (_, rest []any, err error) {
	rest = []any{}
	deleted := places{}
	replace := false
	for _, v := range patch {
		item := v.(map[string]any)
		what, ok := item[directive]
		if !ok {
			rest = append(rest, v)
			continue
		}
		switch what {
		case directiveDelete:
			value, ok := item[l.key]
			if !ok {
				return nil, nil, l.noKey(item)
			}
			deleted.add(value, 0)
		case directiveReplace:
			replace = true
		case directiveMerge:
			return nil, nil, errors.New(errMergeDirective)
		default:
			return nil, nil, unknownDirective(what, item)
		}
	}
	if replace {
		return rest, nil, nil
	}
	was = slices.DeleteFunc(was, func(v any) bool {
		value, ok := v.(map[string]any)[l.key]
		return ok && deleted.of(value) >= 0
	})
	return was, rest, nil
}

func (l mergedList) noKey(item map[string]any) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", item, l.key)
}

func (m *strategicMerge) items(was, patch []any, l mergedList) ([]any, error) {
	known := places{}
	for i, v := range was {
		if value, ok := v.(map[string]any)[l.key]; ok {
			known.add(value, i)
		}
	}
	for _, v := range patch {
		item := v.(map[string]any)
		value, ok := item[l.key]
		if !ok {
			return nil, l.noKey(item)
		}
		i := known.of(value)
		if i < 0 {
			known.add(value, len(was))
			was = append(was, v)
			continue
		}
		merged, err := m.object(was[i].(map[string]any), item, l.items)
		if err != nil {
			return nil, err
		}
		was[i] = merged
	}
	return was, nil
}

// arrange puts a merged list into its order: the items of the patch as there, the
// others as they were, and both together as they were as far as that goes.
func (l mergedList) arrange(merged, patch, was []any, objects bool) ([]any, error) {
	if objects || l.key != "" {
		if err := l.haveKeys(merged); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(patch, isNoObject); i >= 0 && len(merged) > 0 {
			return nil, fmt.Errorf("value for key %d is not a map", i)
		}
		if err := cmp.Or(l.haveKeys(patch), l.haveKeys(was)); err != nil {
			return nil, err
		}
	}
	inPatch, before := l.places(patch, objects), l.places(was, objects)
	var ofPatch, others []placed
	for _, item := range merged {
		value := l.value(item, objects)
		p := placed{item: item, before: before.of(value)}
		if p.place = inPatch.of(value); p.place >= 0 {
			ofPatch = append(ofPatch, p)
		} else {
			p.place = p.before
			others = append(others, p)
		}
	}
	sortPlaced(ofPatch)
	sortPlaced(others)
	return interleave(others, ofPatch), nil
}

func isNoObject(v any) bool {
	_, ok := v.(map[string]any)
	return !ok
}

func notOfType(want, got any) error {
	return fmt.Errorf("expected a %s, but received a %s", fmt.Sprintf("%T", want), typeText(got))
}

func typeText(v any) string {
	if v == nil {
		return "%!s(<nil>)" // as the API has it
	}
	return fmt.Sprintf("%T", v)
}

func (l mergedList) haveKeys(list []any) error {
	for _, v := range list {
		item, ok := v.(map[string]any)
		if !ok {
			return notOfType(item, v)
		}
		if _, ok := item[l.key]; !ok {
			return l.noKey(item)
		}
	}
	return nil
}

// placed is an item of a list that is put into its order, with its place in the list
// that it is sorted by and in the document before. Either is -1 for none.
type placed struct {
	item          any
	place, before int
}

// sortPlaced sorts items by their places. Those without one come first; which of several
// comes first is up to the algorithm, and the API uses this one.
func sortPlaced(list []placed) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i].place, list[j].place
		return a < 0 || b < 0 || a < b
	})
}

// interleave merges two lists that are sorted. Where the order was not known before,
// the right one goes first.
func interleave(left, right []placed) []any {
	all := make([]any, 0, len(left)+len(right))
	for len(left) > 0 && len(right) > 0 {
		if a, b := left[0].before, right[0].before; a >= 0 && b >= 0 && a < b {
			all, left = append(all, left[0].item), left[1:]
		} else {
			all, right = append(all, right[0].item), right[1:]
		}
	}
	for _, p := range slices.Concat(left, right) {
		all = append(all, p.item)
	}
	return all
}
