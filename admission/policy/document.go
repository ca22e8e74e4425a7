package policy

import (
	"maps"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// mapping is a map of a document as expressions see it: nothing of it is converted before
// it is asked for. What expressions seldom do, CEL's own map does. It is a pointer since CEL
// takes values for keys. It implements traits.Mapper.
type mapping struct{ fields map[string]any }

// valueOf gives a value of a document to expressions.
func valueOf(v any) ref.Val {
	switch v := v.(type) {
	case map[string]any:
		return &mapping{v}
	case []any:
		return &sequence{v}
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	case int64:
		return types.Int(v)
	case float64:
		return types.Double(v)
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

func (m *mapping) own() traits.Mapper {
	return types.NewStringInterfaceMap(types.DefaultTypeAdapter, m.fields)
}

// Find implements traits.Mapper.
func (m *mapping) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	v, ok := m.fields[string(name)]
	if !ok {
		return nil, false
	}
	return valueOf(v), true
}

// Get implements traits.Indexer.
func (m *mapping) Get(key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return m.own().Get(key)
}

// Contains implements traits.Container.
func (m *mapping) Contains(key ref.Val) ref.Val {
	_, ok := m.Find(key)
	return types.Bool(ok)
}

// Size implements traits.Sizer.
func (m *mapping) Size() ref.Val { return types.Int(len(m.fields)) }

// Iterator goes through the keys in their order, so that messages are the same each time.
func (m *mapping) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, slices.Sorted(maps.Keys(m.fields))).Iterator()
}

// Fold implements traits.Foldable, in the same order.
func (m *mapping) Fold(f traits.Folder) {
	for _, key := range slices.Sorted(maps.Keys(m.fields)) {
		if !f.FoldEntry(types.String(key), valueOf(m.fields[key])) {
			return
		}
	}
}

// IsZeroValue implements traits.Zeroer.
func (m *mapping) IsZeroValue() bool { return len(m.fields) == 0 }

// ConvertToNative implements ref.Val.
func (m *mapping) ConvertToNative(t reflect.Type) (any, error) { return m.own().ConvertToNative(t) }

// ConvertToType implements ref.Val.
func (m *mapping) ConvertToType(t ref.Type) ref.Val { return m.own().ConvertToType(t) }

// Equal implements ref.Val.
func (m *mapping) Equal(other ref.Val) ref.Val { return m.own().Equal(other) }

// Type implements ref.Val.
func (m *mapping) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (m *mapping) Value() any { return m.fields }

// sequence is a list of a document as expressions see it. It implements traits.Lister.
type sequence struct{ items []any }

func (s *sequence) own() traits.Lister {
	return types.NewDynamicList(types.DefaultTypeAdapter, s.items)
}

// Get implements traits.Indexer.
func (s *sequence) Get(index ref.Val) ref.Val {
	if i, ok := index.(types.Int); ok && 0 <= i && i < types.Int(len(s.items)) {
		return valueOf(s.items[i])
	}
	return s.own().Get(index)
}

// Size implements traits.Sizer.
func (s *sequence) Size() ref.Val { return types.Int(len(s.items)) }

// Iterator implements traits.Iterable.
func (s *sequence) Iterator() traits.Iterator { return &walk{items: s.items} }

// walk goes through a sequence.
type walk struct {
	ref.Val // never used: iterators are no values
	items   []any
}

// HasNext implements traits.Iterator.
func (w *walk) HasNext() ref.Val { return types.Bool(len(w.items) > 0) }

// Next implements traits.Iterator.
func (w *walk) Next() ref.Val {
	if len(w.items) == 0 {
		return nil
	}
	v := valueOf(w.items[0])
	w.items = w.items[1:]
	return v
}

// Fold implements traits.Foldable.
func (s *sequence) Fold(f traits.Folder) {
	for i, item := range s.items {
		if !f.FoldEntry(types.Int(i), valueOf(item)) {
			return
		}
	}
}

// IsZeroValue implements traits.Zeroer.
func (s *sequence) IsZeroValue() bool { return len(s.items) == 0 }

// Add implements traits.Adder.
func (s *sequence) Add(other ref.Val) ref.Val { return s.own().Add(other) }

// Contains implements traits.Container.
func (s *sequence) Contains(v ref.Val) ref.Val { return s.own().Contains(v) }

// ConvertToNative implements ref.Val.
func (s *sequence) ConvertToNative(t reflect.Type) (any, error) { return s.own().ConvertToNative(t) }

// ConvertToType implements ref.Val.
func (s *sequence) ConvertToType(t ref.Type) ref.Val { return s.own().ConvertToType(t) }

// Equal implements ref.Val.
func (s *sequence) Equal(other ref.Val) ref.Val { return s.own().Equal(other) }

// Type implements ref.Val.
func (s *sequence) Type() ref.Type { return types.ListType }

// Value implements ref.Val.
func (s *sequence) Value() any { return s.items }
