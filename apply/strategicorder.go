package apply

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// order carries out $setElementOrder: it merges the lists that it is about and takes
// them out of the patch.
func (m *strategicMerge) order(doc, patch map[string]any, s *schema.Schema) error {
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
		if err := m.orderList(doc, patch, name, wanted, s); err != nil {
			return err
		}
	}
	return nil
}

func (m *strategicMerge) orderList(doc, patch map[string]any, name string, wanted []any, s *schema.Schema) error {
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
	if err := m.count(was, wanted); err != nil {
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
		v, err := m.list(slices.Clone(was), change, l, false)
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
		//lint:ignore ST1005 the API's words
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
