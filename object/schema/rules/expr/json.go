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
	if !ok {
		return nil, fmt.Errorf("type mismatch: %s is no %s", v.Type().TypeName(), ObjectType.TypeName())
	}
	if err := checkPlaces(c, ObjectType.TypeName()); err != nil {
		return nil, fmt.Errorf("type mismatch: %w", err)
	}
	return jsonFields(c.fields)
}

// PatchOperations gives the JSON Patch that an expression whose type is a list of
// [JSONPatchType] constructed, as a document that shares nothing with what the expression looked at.
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
	if !ok || c.of.TypeName() != JSONPatchType.TypeName() {
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
		if err := checkPlaces(o, o.of.TypeName()); err != nil {
			return nil, fmt.Errorf("type mismatch: %w", err)
		}
	}
	var err error
	operation["value"], err = jsonValue(value)
	return operation, err
}

// jsonValue gives a value as one of a document: whole numbers as int64, bytes in base64,
// and times, durations and the like as texts.
func jsonValue(v ref.Val) (any, error) {
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
	case types.Bytes:
		return base64.StdEncoding.EncodeToString(v), nil
	case *types.Err:
		return nil, v
	case *types.Optional:
		if !v.HasValue() {
			return nil, nil
		}
		return jsonValue(v.GetValue())
	case *constructed:
		return jsonFields(v.fields)
	case traits.Lister:
		return jsonList(v)
	case traits.Mapper:
		return jsonMap(v)
	}
	if s, ok := v.ConvertToType(types.StringType).(types.String); ok {
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

func jsonFields(fields constructedFields) (map[string]any, error) {
	m := make(map[string]any, len(fields))
	for name, field := range fields {
		value, err := jsonValue(field)
		if err != nil {
			return nil, fmt.Errorf("fail to convert field %q: %w", name, err)
		}
		m[name] = value
	}
	return m, nil
}

func jsonList(l traits.Lister) (any, error) {
	list := []any{}
	for i := l.Iterator(); i.HasNext() == types.True; {
		item, err := jsonValue(i.Next())
		if err != nil {
			return nil, err
		}
		list = append(list, item)
	}
	return list, nil
}

func jsonMap(m traits.Mapper) (any, error) {
	result := map[string]any{}
	for i := m.Iterator(); i.HasNext() == types.True; {
		key := i.Next()
		name, ok := key.(types.String)
		if !ok {
			return nil, fmt.Errorf("map key %v is of type %s, not string", key.Value(), key.Type().TypeName())
		}
		value, err := jsonValue(m.Get(key))
		if err != nil {
			return nil, err
		}
		result[string(name)] = value
	}
	return result, nil
}
