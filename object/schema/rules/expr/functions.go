package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// function is one function with its overloads.
type function struct {
	name      string
	overloads []cel.FunctionOpt
}

func fn(name string, overloads ...cel.FunctionOpt) function { return function{name, overloads} }

// options declares functions. The overloads of one name may come from several groups.
func options(groups ...[]function) []cel.EnvOption {
	var opts []cel.EnvOption
	for _, group := range groups {
		for _, f := range group {
			opts = append(opts, cel.Function(f.name, f.overloads...))
		}
	}
	return opts
}

func args(types ...*cel.Type) []*cel.Type { return types }

// unary binds a function of one argument, which the checker lets through only with
// this type unless it is dynamic.
func unary[A any](get func(ref.Val) (A, bool), do func(A) ref.Val) cel.OverloadOpt {
	return cel.UnaryBinding(func(v ref.Val) ref.Val {
		a, ok := get(v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		return do(a)
	})
}

// binary binds a function of two arguments.
func binary[A, B any](getA func(ref.Val) (A, bool), getB func(ref.Val) (B, bool), do func(A, B) ref.Val) cel.OverloadOpt {
	return cel.BinaryBinding(func(v, w ref.Val) ref.Val {
		a, ok := getA(v)
		if !ok {
			return types.MaybeNoSuchOverloadErr(v)
		}
		b, ok := getB(w)
		if !ok {
			return types.MaybeNoSuchOverloadErr(w)
		}
		return do(a, b)
	})
}

func text(v ref.Val) (string, bool)   { s, ok := v.Value().(string); return s, ok }
func boolean(v ref.Val) (bool, bool)  { b, ok := v.Value().(bool); return b, ok }
func integer(v ref.Val) (int64, bool) { i, ok := v.Value().(int64); return i, ok }

// isValid makes a test out of a parser.
func isValid[T any](parse func(string) (T, error)) cel.OverloadOpt {
	return unary(text, func(s string) ref.Val {
		_, err := parse(s)
		return types.Bool(err == nil)
	})
}

// parsed makes a constructor out of a parser.
func parsed[T any](k *kind[T], parse func(string) (T, error)) cel.OverloadOpt {
	return unary(text, func(s string) ref.Val {
		v, err := parse(s)
		if err != nil {
			return types.WrapErr(err)
		}
		return k.val(v)
	})
}
