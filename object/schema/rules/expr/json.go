package expr

import (
	"encoding/base64"
	"fmt"
	"math"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// Configuration gives the document that an expression of type [ObjectType] constructed. It
// shares nothing with what the expression looked at.
func Configuration(v ref.Val) (map[string]any, error) {
	c, ok := v.(*constructed)
	if !ok || c.name != ObjectType.TypeName() {
		return nil, fmt.Errorf("type mismatch: %s is no %s", v.Type().TypeName(), ObjectType.TypeName())
	}
	if err := checkPlaces(c); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	return jsonWriter{}.fields(c.fields)
}

// PatchOperations gives the JSON Patch that an expression whose type is a list of
// [JSONPatchType] constructed, as a document that shares nothing with what the expression
// looked at. Values may be bytes, which become texts in base64, times, durations and the like;
// a configuration has none of these.
func PatchOperations(v ref.Val) ([]any, error) {
	list, ok := v.(traits.Lister)
	if !ok {
		return nil, fmt.Errorf("type mismatch: %s is no list of %s", v.Type().TypeName(), JSONPatchType.TypeName())
	}
	operations := []any{}
	for i := list.Iterator(); i.HasNext() == types.True; {
		operation, err := patchOperation(i.Next())
		if err != nil {
			return nil, err
		}
		operations = append(operations, operation)
	}
	return operations, nil
}

// patchOperation gives one operation. It has an op and a path, empty if they were left out.
func patchOperation(v ref.Val) (map[string]any, error) {
	c, ok := v.(*constructed)
	if !ok || c.name != JSONPatchType.TypeName() {
		return nil, fmt.Errorf("type mismatch: %s is no %s", v.Type().TypeName(), JSONPatchType.TypeName())
	}
	operation := map[string]any{"op": "", "path": ""}
	for _, field := range [...]string{"op", "path", "from"} {
		value, ok := c.fields[field]
		if !ok {
			continue
		}
		s, ok := text(value)
		if !ok {
			return nil, fmt.Errorf("type mismatch: %s of a %s is of type %s", field, JSONPatchType.TypeName(), value.Type().TypeName())
		}
		if s != "" {
			operation[field] = s
		}
	}
	value, ok := c.fields["value"]
	if !ok {
		return operation, nil
	}
	if o, ok := value.(*constructed); ok {
		if err := checkPlaces(o); err != nil {
			return nil, fmt.Errorf("type mismatch: %w", err)
		}
	}
	var err error
	operation["value"], err = jsonWriter{texts: true}.value(value)
	return operation, err
}

// jsonWriter makes documents of values.
type jsonWriter struct {
	texts bool // whether what is no value of JSON but has a text becomes one
}

// value gives a value as one of a document, with whole numbers as int64.
func (w jsonWriter) value(v ref.Val) (any, error) {
	switch v := v.(type) {
	case types.String:
		return string(v), nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return float64(v), nil
		}
		return int64(v), nil
	case types.Double:
		return jsonNumber(float64(v))
	case types.Null:
		return nil, nil
	case *types.Err:
		return nil, v
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return w.value(v.GetValue())
	case *constructed:
		return w.fields(v.fields)
	case traits.Lister:
		return w.list(v)
	case traits.Mapper:
		return w.mapping(v)
	}
	return w.text(v)
}

func (w jsonWriter) text(v ref.Val) (any, error) {
	if bytes, ok := v.(types.Bytes); ok && w.texts {
		return base64.StdEncoding.EncodeToString(bytes), nil
	}
	if s, ok := v.ConvertToType(types.StringType).(types.String); ok && w.texts {
		return string(s), nil
	}
	return nil, fmt.Errorf("a value of type %s has no form in JSON", v.Type().TypeName())
}

func jsonNumber(f float64) (any, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, fmt.Errorf("the number %v has no form in JSON", f)
	case f == math.Trunc(f) && math.Abs(f) < 1<<53:
		return int64(f), nil
	}
	return f, nil
}

func (w jsonWriter) fields(fields constructedFields) (map[string]any, error) {
	m := make(map[string]any, len(fields))
	for name, field := range fields {
		value, err := w.value(field)
		if err != nil {
			return nil, fmt.Errorf("fail to convert field %q: %w", name, err)
		}
		m[name] = value
	}
	return m, nil
}

func (w jsonWriter) list(l traits.Lister) (any, error) {
	list := []any{}
	for i := l.Iterator(); i.HasNext() == types.True; {
		item, err := w.value(i.Next())
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

func (w jsonWriter) mapping(m traits.Mapper) (any, error) {
	result := map[string]any{}
	for i := m.Iterator(); i.HasNext() == types.True; {
		key := i.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("map key %v is of type %s, not string", key.Value(), key.Type().TypeName())
		}
		value, err := w.value(m.Get(key))
		if err != nil {
			return nil, err
		}
		result[string(name)] = value
	}
	return result, nil
}
