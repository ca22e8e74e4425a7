package rules

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// listOf gives a list with the meaning of + and == that the type of the list has.
func listOf(v any, s *schema.Schema) ref.Val {
	items, ok := v.([]any)
	if !ok {
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	}
	list := &listValue{items, s.Items}
	switch s.ListType {
	case "map":
		return &keyedList{list, keyNames(s.ListMapKeys)}
	case "set":
		return &setList{list}
	}
	return list
}

// listValue is a list of a document. It implements traits.Lister.
type listValue struct {
	items  []any
	schema *schema.Schema // of an item
}

// Get implements traits.Indexer.
func (l *listValue) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	if !ok {
		return types.ValOrErr(index, "unsupported index: %v", index)
	}
	if i < 0 || i >= types.Int(len(l.items)) {
		return types.NewErr("index out of bounds: %v", index)
	}
	return Value(l.items[i], l.schema, false)
}

// Size implements traits.Sizer.
func (l *listValue) Size() ref.Val { return types.Int(len(l.items)) }

// Iterator implements traits.Iterable.
func (l *listValue) Iterator() traits.Iterator { return &listIterator{list: l} }

type listIterator struct {
	ref.Val // never used: iterators are no values
	list    *listValue
	next    int
}

// HasNext implements traits.Iterator.
func (it *listIterator) HasNext() ref.Val { return types.Bool(it.next < len(it.list.items)) }

// Next implements traits.Iterator.
func (it *listIterator) Next() ref.Val {
	it.next++
	return Value(it.list.items[it.next-1], it.list.schema, false)
}

// Contains implements traits.Container.
func (l *listValue) Contains(v ref.Val) ref.Val {
	if types.IsUnknownOrError(v) {
		return v
	}
	var failure ref.Val
	for _, item := range l.items {
		same := Value(item, l.schema, false).Equal(v)
		if same == types.True {
			return types.True
		}
		if _, ok := same.(types.Bool); !ok && failure == nil {
			failure = types.MaybeNoSuchOverloadErr(same)
		}
	}
	if failure != nil {
		return failure
	}
	return types.False
}

// Add implements traits.Adder.
func (l *listValue) Add(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.NewRefValList(types.DefaultTypeAdapter, appendItems(itemsOf(l), m))
}

// Equal implements ref.Val.
func (l *listValue) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if l.Size() != m.Size() {
		return types.False
	}
	for i := range l.items {
		if same := l.Get(types.Int(i)).Equal(m.Get(types.Int(i))); same != types.True {
			return same
		}
	}
	return types.True
}

// ConvertToNative gives the document's list, or one of strings, which "join" wants.
func (l *listValue) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", l.Type(), t)
	}
	if l.schema.Type != "string" {
		return l.items, nil
	}
	texts := make([]string, len(l.items))
	for i, item := range l.items {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %T", item)
		}
		texts[i] = text
	}
	return texts, nil
}

// ConvertToType implements ref.Val.
func (l *listValue) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.ListType:
		return l
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", l.Type(), t.TypeName())
}

// Type implements ref.Val.
func (l *listValue) Type() ref.Type { return types.ListType }

// Value implements ref.Val.
func (l *listValue) Value() any { return l.items }

func itemsOf(list traits.Lister) []ref.Val {
	size, _ := list.Size().(types.Int)
	return appendItems(make([]ref.Val, 0, size), list)
}

func appendItems(items []ref.Val, list traits.Lister) []ref.Val {
	for it := list.Iterator(); it.HasNext() == types.True; {
		items = append(items, it.Next())
	}
	return items
}
