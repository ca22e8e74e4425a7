package rules

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// mapValue is an object or a map of a document. It implements traits.Mapper.
type mapValue struct {
	fields   map[string]any
	schema   *schema.Schema
	resource bool
}

// isObject says whether keys are names of fields, which are escaped.
func (m *mapValue) isObject() bool { return m.resource || len(m.schema.Properties) > 0 }

// fieldSchema gives the schema of a field, or nil if rules know none.
func (m *mapValue) fieldSchema(field string) *schema.Schema {
	if !m.isObject() {
		return m.schema.Additional()
	}
	if m.resource {
		if s := metadataField(m.schema, field); s != nil {
			return s
		}
	}
	return m.schema.Property(field)
}

// keyOf gives the key by which rules know a field.
func (m *mapValue) keyOf(field string) types.String {
	if m.isObject() {
		if name, ok := Escape(field); ok {
			field = name
		}
	}
	return types.String(field)
}

// Find implements traits.Mapper. A field that is null is not there; a key of a map is.
func (m *mapValue) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	field := string(name)
	if m.isObject() {
		if field, ok = Unescape(field); !ok {
			return nil, false
		}
	}
	v, ok := m.fields[field]
	if !ok || v == nil && m.isObject() {
		return nil, false
	}
	s := m.fieldSchema(field)
	if s == nil {
		return nil, false
	}
	return Value(v, s, false), true
}

// Get implements traits.Indexer.
func (m *mapValue) Get(key ref.Val) ref.Val {
	if v, ok := m.Find(key); ok {
		return v
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

// Contains implements traits.Container.
func (m *mapValue) Contains(key ref.Val) ref.Val {
	v, ok := m.Find(key)
	if v != nil && types.IsUnknownOrError(v) {
		return v
	}
	return types.Bool(ok)
}

// Size implements traits.Sizer. Fields that rules don't know count.
func (m *mapValue) Size() ref.Val { return types.Int(len(m.fields)) }

// Iterator goes through the keys in their order, so that rules give the same result each time.
func (m *mapValue) Iterator() traits.Iterator {
	keys := make([]string, 0, len(m.fields))
	for _, field := range slices.Sorted(maps.Keys(m.fields)) {
		if m.fieldSchema(field) != nil {
			keys = append(keys, string(m.keyOf(field)))
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, keys).Iterator()
}

// Equal compares by the schema, but for what it doesn't know.
func (m *mapValue) Equal(other ref.Val) ref.Val {
	n, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if m.Size() != n.Size() {
		return types.False
	}
	for field, v := range m.fields {
		var same ref.Val = types.True
		if m.fieldSchema(field) != nil {
			same = m.equalField(m.keyOf(field), n)
		} else if o, ok := n.(*mapValue); !ok {
			return types.MaybeNoSuchOverloadErr(other)
		} else if w, ok := o.fields[field]; ok {
			same = types.Bool(sameData(v, w))
		}
		if same != types.True {
			return same
		}
	}
	return types.True
}

func (m *mapValue) equalField(field types.String, n traits.Mapper) ref.Val {
	v, found := m.Find(field)
	w, foundOther := n.Find(field)
	if found != foundOther {
		return types.False
	}
	if !found {
		return types.True
	}
	return v.Equal(w)
}

// ConvertToNative gives the document's map.
func (m *mapValue) ConvertToNative(t reflect.Type) (any, error) {
	if t.Kind() == reflect.Map {
		return m.fields, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", m.Type(), t)
}

// ConvertToType implements ref.Val.
func (m *mapValue) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return m
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", m.Type(), t.TypeName())
}

// Type implements ref.Val.
func (m *mapValue) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (m *mapValue) Value() any { return m.fields }
