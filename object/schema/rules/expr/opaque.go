package expr

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// opaque is a CEL value of a type that only functions of this package look into.
type opaque[T any] struct {
	of    *kind[T]
	value T
}

// kind is a type of opaque values.
type kind[T any] struct {
	celType *types.Type
	equal   func(a, b T) bool // nil if values cannot be compared
	text    func(T) string    // nil if there is no conversion to a string
	size    func(T) int       // what costs go by; nil for 1
}

func (k *kind[T]) val(v T) ref.Val { return opaque[T]{k, v} }

// unwrap gives what a value of type T holds.
func unwrap[T any](v ref.Val) (T, bool) {
	o, ok := v.(opaque[T])
	return o.value, ok
}

// ConvertToNative gives the value itself or its text.
func (o opaque[T]) ConvertToNative(want reflect.Type) (any, error) {
	switch {
	case reflect.TypeFor[T]().AssignableTo(want):
		return o.value, nil
	case o.of.text != nil && want.Kind() == reflect.String:
		return o.of.text(o.value), nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", o.of.celType, want)
}

// ConvertToType gives the value, its type or its text.
func (o opaque[T]) ConvertToType(want ref.Type) ref.Val {
	switch {
	case want.TypeName() == o.of.celType.TypeName():
		return o
	case want == types.TypeType:
		return o.of.celType
	case o.of.text != nil && want == types.StringType:
		return types.String(o.of.text(o.value))
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.of.celType, want)
}

// Equal compares with a value of the same type.
func (o opaque[T]) Equal(other ref.Val) ref.Val {
	p, ok := other.(opaque[T])
	if !ok || p.of != o.of || o.of.equal == nil {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Bool(o.of.equal(o.value, p.value))
}

// Size is the size that costs go by.
func (o opaque[T]) Size() ref.Val {
	if o.of.size == nil {
		return types.IntOne
	}
	return types.Int(o.of.size(o.value))
}

// Type implements ref.Val.
func (o opaque[T]) Type() ref.Type { return o.of.celType }

// Value implements ref.Val.
func (o opaque[T]) Value() any { return o.value }

// comparesAtOnce marks opaque values: to compare two of them costs 1.
func (o opaque[T]) comparesAtOnce() {}
