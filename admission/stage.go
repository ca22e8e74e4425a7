package admission

import (
	"context"
	"fmt"
	"path"
	"reflect"
	"runtime"
)

// Mutator changes the object of a request, or refuses the request.
type Mutator interface {
	Mutate(ctx context.Context, req *Request) error
}

// Validator refuses a request, or lets it pass.
type Validator interface {
	Validate(ctx context.Context, req *Request) error
}

// MutatorFunc is a function as a [Mutator].
type MutatorFunc func(ctx context.Context, req *Request) error

// Mutate implements Mutator.
func (f MutatorFunc) Mutate(ctx context.Context, req *Request) error { return f(ctx, req) }

// ValidatorFunc is a function as a [Validator].
type ValidatorFunc func(ctx context.Context, req *Request) error

// Validate implements Validator.
func (f ValidatorFunc) Validate(ctx context.Context, req *Request) error { return f(ctx, req) }

// Reinvocable is what a [Mutator] implements that doesn't always want to be called again
// after one behind it changed the object.
type Reinvocable interface {
	Reinvocable() bool
}

// Once makes a [Mutator] that a [Chain] calls one time only, whatever others do after it.
func Once(m Mutator) Mutator { return once{m} }

type once struct{ Mutator }

// Reinvocable implements Reinvocable.
func (once) Reinvocable() bool { return false }

func (o once) unwrap() any { return o.Mutator }

func isReinvocable(m Mutator) bool {
	r, ok := m.(Reinvocable)
	return !ok || r.Reinvocable()
}

// Named gives a stage a name for a [Trace]; without one it goes by that of its function, or by its type.
type Named interface {
	Name() string
}

func nameOf(stage any) string {
	switch s := stage.(type) {
	case interface{ unwrap() any }:
		return nameOf(s.unwrap())
	case Named:
		return s.Name()
	}
	if f := reflect.ValueOf(stage); f.Kind() == reflect.Func {
		return path.Base(runtime.FuncForPC(f.Pointer()).Name())
	}
	return fmt.Sprintf("%T", stage)
}
