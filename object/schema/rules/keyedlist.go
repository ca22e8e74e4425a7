package rules

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// keyedList is a list of type map: the order of its items doesn't count, and an item
// takes the place of one with the same keys.
type keyedList struct {
	traits.Lister
	keys []string // escaped
}

func keyNames(fields []string) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field
		if name, ok := Escape(field); ok {
			names[i] = name
		}
	}
	return names
}

// Add lets items of the other list take the places of those with the same keys, and
// appends the rest.
func (l *keyedList) Add(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	items := itemsOf(l)
	places := make(map[any]int, len(items))
	for i, item := range items {
		places[keyOf(item, l.keys)] = i
	}
	for it := m.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if i, ok := places[keyOf(item, l.keys)]; ok {
			items[i] = item
		} else {
			items = append(items, item)
		}
	}
	return &keyedList{types.NewRefValList(types.DefaultTypeAdapter, items), l.keys}
}

// Equal compares items with the same keys.
func (l *keyedList) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != m.Size() {
		return types.False
	}
	byKey := map[any]ref.Val{}
	for it := l.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		byKey[keyOf(item, l.keys)] = item
	}
	seen := map[any]bool{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		key := keyOf(item, l.keys)
		mine, ok := byKey[key]
		if !ok {
			return types.False
		}
		if same := mine.Equal(item); same != types.True {
			return same
		}
		seen[key] = true
	}
	return types.Bool(len(seen) == len(byKey))
}

// keyOf gives the keys of an item in a form that can be the key of a Go map.
func keyOf(item ref.Val, keys []string) any {
	if len(keys) == 1 {
		return keyPart(item, keys[0])
	}
	parts := make([]any, len(keys))
	for i, key := range keys {
		parts[i] = keyPart(item, key)
	}
	return fmt.Sprintf("%#v", parts)
}

func keyPart(item ref.Val, key string) any {
	m, ok := item.(traits.Mapper)
	if !ok {
		return nil
	}
	v, found := m.Find(types.String(key))
	if !found || types.IsUnknownOrError(v) {
		return nil
	}
	return comparableForm(v.Value())
}

// comparableForm gives the value itself, or a text that no comparable value is equal to.
func comparableForm(v any) any {
	if v != nil && !reflect.TypeOf(v).Comparable() {
		return fmt.Sprintf("%#v", v)
	}
	return v
}

// setList is a list of type set: the order of its items doesn't count, and there is
// one of each.
type setList struct{ traits.Lister }

// Add appends what is not there yet.
func (l *setList) Add(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	items, failure := memberSet(l)
	if failure != nil {
		return failure
	}
	sum := itemsOf(l)
	for it := m.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		key, failure := memberOf(item)
		if failure != nil {
			return failure
		}
		if !items[key] {
			items[key] = true
			sum = append(sum, item)
		}
	}
	return &setList{types.NewRefValList(types.DefaultTypeAdapter, sum)}
}

// Equal implements ref.Val.
func (l *setList) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != m.Size() {
		return types.False
	}
	items, failure := memberSet(l)
	if failure != nil {
		return failure
	}
	seen := map[any]bool{}
	for it := m.Iterator(); it.HasNext() == types.True; {
		key, failure := memberOf(it.Next())
		if failure != nil {
			return failure
		}
		if !items[key] {
			return types.False
		}
		seen[key] = true
	}
	return types.Bool(len(seen) == len(items))
}

func memberSet(list traits.Lister) (map[any]bool, ref.Val) {
	items := map[any]bool{}
	for it := list.Iterator(); it.HasNext() == types.True; {
		key, failure := memberOf(it.Next())
		if failure != nil {
			return nil, failure
		}
		items[key] = true
	}
	return items, nil
}

// memberOf gives the form of an item that tells it from others.
func memberOf(item ref.Val) (any, ref.Val) {
	switch item.(type) {
	case traits.Lister, traits.Mapper:
		return nil, types.NewErr("listSet operations are only supported on lists of scalar values")
	}
	return comparableForm(item.Value()), nil
}
