package rules

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"time"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Value is a value of a document as rules see it through a schema. resource says that
// it is the root of an object. The value is neither copied nor kept by the package;
// it must not change as long as the result is used.
func Value(v any, s *schema.Schema, resource bool) ref.Val {
	if v == nil {
		if s.Nullable {
			return types.NullValue
		}
		return types.NewErr("invalid data, got null for schema with nullable=false")
	}
	switch shapeOf(s) {
	case shapeAny:
		return textOrInt(v)
	case shapeList:
		return listOf(v, s)
	case shapeMap, shapeObject:
		m, ok := v.(map[string]any)
		if !ok {
			return types.NewErr("invalid data, expected a map for the provided schema with type=object")
		}
		return &mapValue{m, s, resource || s.EmbeddedResource}
	case shapeBool:
		b, ok := v.(bool)
		if !ok {
			return types.NewErr("invalid data, expected bool, got %T", v)
		}
		return types.Bool(b)
	case shapeFloat:
		return double(v)
	case shapeInt:
		i, ok := v.(int64)
		if !ok {
			return types.NewErr("invalid data, expected int, got %T", v)
		}
		return types.Int(i)
	case shapeless:
		return shapelessValue(v, s)
	}
	text, ok := v.(string)
	if !ok {
		return types.NewErr("invalid data, expected string, got %T", v)
	}
	return textValue(text, shapeOf(s))
}

func textOrInt(v any) ref.Val {
	switch v := v.(type) {
	case string:
		return types.String(v)
	case int64:
		return types.Int(v)
	}
	return types.NewErr("invalid data, expected XIntOrString value to be either a string or integer")
}

// double also takes whole numbers, which have no other form.
func double(v any) ref.Val {
	switch v := v.(type) {
	case float64:
		return types.Double(v)
	case int64:
		return types.Double(v)
	}
	return types.NewErr("invalid data, expected float, got %T", v)
}

// textValue reads a text of a format that has a type of its own.
func textValue(text string, shape shape) ref.Val {
	switch shape {
	case shapeBytes:
		b, err := base64.URLEncoding.DecodeString(text)
		if err != nil {
			return types.NewErr("Invalid byte formatted string %s: %v", text, err)
		}
		return types.Bytes(b)
	case shapeDuration:
		d, err := parseDuration(text)
		if err != nil {
			return types.NewErr("Invalid duration %s: %v", text, err)
		}
		return types.Duration{Duration: d}
	case shapeDate:
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return types.NewErr("Invalid date formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	case shapeTime:
		t, err := parseTime(text)
		if err != nil {
			return types.NewErr("Invalid date-time formatted string %s: %v", text, err)
		}
		return types.Timestamp{Time: t}
	}
	return types.String(text)
}

// shapelessValue is for what rules cannot name but meet when they compare objects.
func shapelessValue(v any, s *schema.Schema) ref.Val {
	switch {
	case s.Type == "array":
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	case s.PreserveUnknownFields:
		return unknown{v}
	}
	return types.NewErr("invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got %s", s.Type)
}

// unknown is a value without schema. It can be compared only.
type unknown struct{ value any }

// ConvertToNative fails.
func (u unknown) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t)
}

// ConvertToType fails.
func (u unknown) ConvertToType(t ref.Type) ref.Val {
	return types.NewErr("type conversion to '%s' not supported for values preserved by x-kubernetes-preserve-unknown-fields", t.TypeName())
}

// Equal implements ref.Val.
func (u unknown) Equal(other ref.Val) ref.Val { return types.Bool(sameData(u.value, other.Value())) }

// Type implements ref.Val.
func (u unknown) Type() ref.Type { return types.UnknownType }

// Value implements ref.Val.
func (u unknown) Value() any { return u.value }

// sameData compares data without schema.
func sameData(a, b any) bool {
	return object.Object{"": a}.Equal(object.Object{"": b})
}
