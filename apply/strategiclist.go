package apply

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
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

func strategicListField(was []any, name string, patch []any, s *schema.Schema, deletes bool) (any, error) {
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
	return mergeList(was, patch, mergedList{field.Items, key}, deletes)
}

// mergedList is how a list is merged.
type mergedList struct {
	items *schema.Schema
	key   string // empty for items that are no objects
}

// mergeList merges a patch into a list, or deletes what is in the patch from it.
func mergeList(was, patch []any, l mergedList, deletes bool) (any, error) {
	if len(was) == 0 && len(patch) == 0 {
		return was, nil
	}
	objects, err := areObjects(was, patch)
	if err != nil {
		return nil, err
	}
	var merged []any
	switch {
	case !objects && deletes:
		return slices.DeleteFunc(was, func(v any) bool { return has(patch, v) }), nil
	case !objects:
		merged = once(slices.Concat(was, patch))
	case l.key == "":
		return nil, fmt.Errorf("cannot merge lists without merge key for %s", kindOf(l.items))
	default:
		if was, patch, err = l.carryOut(was, patch); err != nil {
			return nil, err
		}
		if merged, err = l.mergeObjects(was, patch); err != nil {
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

// once leaves each item once. A repetition makes room for the last item, as in the API.
func once(list []any) []any {
	for i := 0; i < len(list); i++ {
		for j := i + 1; j < len(list); j++ {
			if same(list[i], list[j]) {
				last := len(list) - 1
				list[j] = list[last]
				list = list[:last]
				j--
			}
		}
	}
	return list
}

// carryOut carries out the directives of items and takes them out of the patch.
func (l mergedList) carryOut(was, patch []any) (_, rest []any, err error) {
	rest = []any{}
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
			was = slices.DeleteFunc(was, func(v any) bool { return l.is(v, value) })
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
	return was, rest, nil
}

func (l mergedList) noKey(item map[string]any) error {
	return fmt.Errorf("map: %v does not contain declared merge key: %s", item, l.key)
}

// is says whether an item has a value for its key.
func (l mergedList) is(item, value any) bool {
	m, _ := item.(map[string]any)
	v, ok := m[l.key]
	return ok && same(v, value)
}

func (l mergedList) mergeObjects(was, patch []any) ([]any, error) {
	for _, v := range patch {
		item := v.(map[string]any)
		value, ok := item[l.key]
		if !ok {
			return nil, l.noKey(item)
		}
		i := slices.IndexFunc(was, func(v any) bool { return l.is(v, value) })
		if i < 0 {
			was = append(was, v)
			continue
		}
		merged, err := strategicMap(was[i].(map[string]any), item, l.items)
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
	var ofPatch, others []any
	for _, item := range merged {
		in, err := l.in(patch, item)
		if err != nil {
			return nil, err
		}
		if in {
			ofPatch = append(ofPatch, item)
		} else {
			others = append(others, item)
		}
	}
	if objects {
		for _, list := range [][]any{ofPatch, patch, others, was} {
			if err := l.haveKeys(list); err != nil {
				return nil, err
			}
		}
	}
	l.sort(ofPatch, patch, objects)
	l.sort(others, was, objects)
	return l.interleave(others, ofPatch, was, objects), nil
}

// in says whether a list has an item, or one with its key.
func (l mergedList) in(list []any, item any) (bool, error) {
	if l.key == "" {
		return has(list, item), nil
	}
	m, ok := item.(map[string]any)
	if !ok {
		return false, notOfType(m, item)
	}
	value, ok := m[l.key]
	if !ok {
		return false, l.noKey(m)
	}
	for i, other := range list {
		if _, ok := other.(map[string]any); !ok {
			return false, fmt.Errorf("value for key %v is not a map", i)
		}
		if l.is(other, value) {
			return true, nil
		}
	}
	return false, nil
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

// sort sorts a list by another. Items that the other lacks come first; which of
// several comes first is up to the algorithm, and the API uses this one.
func (l mergedList) sort(list, by []any, objects bool) {
	sort.SliceStable(list, func(i, j int) bool {
		a := l.index(by, list[i], objects)
		b := l.index(by, list[j], objects)
		return a < 0 || b < 0 || a < b
	})
}

func (l mergedList) index(list []any, item any, objects bool) int {
	value := func(v any) any {
		if !objects {
			return v
		}
		m, _ := v.(map[string]any)
		return m[l.key]
	}
	wanted := value(item)
	return slices.IndexFunc(list, func(v any) bool { return same(value(v), wanted) })
}

// interleave merges two lists that are sorted. Where the order was not known before,
// the right one goes first.
func (l mergedList) interleave(left, right, was []any, objects bool) []any {
	all := make([]any, 0, len(left)+len(right))
	for len(left) > 0 && len(right) > 0 {
		a, b := l.index(was, left[0], objects), l.index(was, right[0], objects)
		if a >= 0 && b >= 0 && a < b {
			all, left = append(all, left[0]), left[1:]
		} else {
			all, right = append(all, right[0]), right[1:]
		}
	}
	return append(append(all, left...), right...)
}

// order carries out $setElementOrder: it merges the lists that it is about and takes
// them out of the patch.
func order(doc, patch map[string]any, s *schema.Schema) error {
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		if !strings.HasPrefix(name, elementOrder) {
			continue
		}
		v := patch[name]
		delete(patch, name)
		wanted, ok := v.([]any)
		if !ok {
			return notOfType(wanted, v)
		}
		if name, ok = strings.CutPrefix(name, elementOrder+"/"); !ok {
			return object.BadRequest(errBadOrder)
		}
		if err := orderList(doc, patch, name, wanted, s); err != nil {
			return err
		}
	}
	return nil
}

func orderList(doc, patch map[string]any, name string, wanted []any, s *schema.Schema) error {
	was, isThere, err := listAt(doc, name)
	if err != nil {
		return err
	}
	change, changes, err := listAt(patch, name)
	if err != nil {
		return err
	}
	field, err := patchList(s, name)
	if err != nil {
		return err
	}
	strategy, key, err := patchStrategy(field)
	if err != nil {
		return err
	}
	l := mergedList{field.Items, key}
	if err := l.follows(change, wanted); err != nil {
		return err
	}
	merged := was
	switch {
	case !isThere && !changes:
		return nil
	case !isThere:
		v, _ := undirected(change)
		merged = v.([]any)
	case changes && strategy != strategyMerge:
		merged = change
	case changes:
		v, err := mergeList(slices.Clone(was), change, l, false)
		if err != nil {
			return err
		}
		merged, _ = v.([]any)
	}
	objects, err := areObjects(was, change)
	if err != nil {
		return err
	}
	if doc[name], err = l.arrange(merged, wanted, was, objects); err != nil {
		return err
	}
	delete(patch, name)
	return nil
}

func listAt(m map[string]any, name string) (list []any, found bool, err error) {
	v, found := m[name]
	list, ok := v.([]any)
	if found && !ok {
		return nil, false, notOfType(list, v)
	}
	return list, found, nil
}

// follows checks that the items of a patch stand in the order that it wants.
func (l mergedList) follows(patch, wanted []any) error {
	if len(patch) == 0 || len(wanted) == 0 {
		return nil
	}
	items, err := l.kept(patch)
	if err != nil {
		return err
	}
	left := wanted
	for len(items) > 0 && len(left) > 0 {
		if m, ok := items[0].(map[string]any); ok && m[directive] != nil {
			items = items[1:]
			continue
		}
		equal, err := l.equal(items[0], left[0])
		if err != nil {
			return err
		}
		if equal {
			items = items[1:]
		}
		left = left[1:]
	}
	if len(items) > 0 {
		return fmt.Errorf("The order in patch list:\n%v\n doesn't match %s list:\n%v\n", patch, elementOrder, wanted)
	}
	return nil
}

// kept leaves out the items of a patch that are to be deleted.
func (l mergedList) kept(patch []any) ([]any, error) {
	if l.key == "" {
		return patch, nil
	}
	var items []any
	for _, item := range patch {
		m, ok := item.(map[string]any)
		if !ok {
			return nil, notOfType(m, item)
		}
		if m[directive] != directiveDelete {
			items = append(items, item)
		}
	}
	return items, nil
}

// equal says whether two items are the same, or have the same key.
func (l mergedList) equal(a, b any) (bool, error) {
	if l.key == "" {
		return same(a, b), nil
	}
	x, ok := a.(map[string]any)
	if !ok {
		return false, notOfType(x, a)
	}
	y, ok := b.(map[string]any)
	if !ok {
		return false, notOfType(y, b)
	}
	for _, m := range []map[string]any{x, y} {
		if _, ok := m[l.key]; !ok {
			return false, l.noKey(m)
		}
	}
	return same(x[l.key], y[l.key]), nil
}
