package policy

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// variableValues is the value of "variables": each is evaluated when it is first
// asked for, and then kept. It implements traits.Mapper.
type variableValues struct {
	activation *activation
	values     []ref.Val // nil until there is one
	cost       uint64    // of what was evaluated since somebody asked
}

// takeCost gives what variables cost since the last call.
func (v *variableValues) takeCost() uint64 {
	cost := v.cost
	v.cost = 0
	return cost
}

// Find implements traits.Mapper.
func (v *variableValues) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	i := v.activation.policy.variable(string(text))
	if i < 0 {
		return nil, false
	}
	if v.values == nil {
		v.values = make([]ref.Val, len(v.activation.policy.variables))
	}
	switch v.values[i] {
	case nil:
		v.values[i] = underWay
		v.values[i] = v.evaluate(&v.activation.policy.variables[i])
	case underWay:
		// A name is declared twice, and the second means the first.
		return types.NewErr("a variable refers to itself"), true
	}
	return v.values[i], true
}

func (v *variableValues) evaluate(one *variable) ref.Val {
	value, cost, err := one.program.Evaluate(v.activation)
	v.cost += cost
	if err != nil {
		return types.WrapErr(fmt.Errorf("composited variable %q fails to evaluate: %w", one.name, err))
	}
	return value
}

// underWay stands for the value of a variable that is being evaluated.
var underWay ref.Val = &struct{ ref.Val }{}

// Get implements traits.Indexer.
func (v *variableValues) Get(key ref.Val) ref.Val {
	if value, ok := v.Find(key); ok {
		return value
	}
	return types.NewErr("no such key: %v", key.Value())
}

// Contains implements traits.Container. It evaluates nothing.
func (v *variableValues) Contains(key ref.Val) ref.Val {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key)
	}
	return types.Bool(v.activation.policy.variable(string(text)) >= 0)
}

// Size implements traits.Sizer.
func (v *variableValues) Size() ref.Val { return types.Int(len(v.activation.policy.variables)) }

// Iterator goes through nothing: variables are no map that can be walked.
func (v *variableValues) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, nil).Iterator()
}

// ConvertToNative fails.
func (v *variableValues) ConvertToNative(t reflect.Type) (any, error) {
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", v.Type().TypeName(), t)
}

// ConvertToType implements ref.Val.
func (v *variableValues) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return variablesType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", v.Type().TypeName(), t.TypeName())
}

// Equal implements ref.Val.
func (v *variableValues) Equal(other ref.Val) ref.Val { return types.Bool(other == ref.Val(v)) }

// Type implements ref.Val.
func (v *variableValues) Type() ref.Type { return variablesType }

// Value implements ref.Val.
func (v *variableValues) Value() any { return v }
