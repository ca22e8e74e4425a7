package expr

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// Checked is an expression whose syntax and types are right.
type Checked struct {
	language *Language
	ast      *ast.AST
}

// Check parses an expression and checks its types. The error is what the API says
// about it, with the place and the line for each problem.
func (l *Language) Check(scope *Scope, text string) (*Checked, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	parsed, issues := l.env.Parse(text)
	if issues.Err() != nil {
		return nil, errors.New(issues.String())
	}
	checked, problems := checker.Check(parsed.NativeRep(), parsed.Source(), scope.declared)
	issues = cel.NewIssuesWithSourceInfo(problems, parsed.NativeRep().SourceInfo())
	if issues.Err() != nil {
		return nil, errors.New(issues.String())
	}
	for _, v := range l.env.Validators() {
		v.Validate(l.env, l.config, checked, issues)
	}
	if issues.Err() != nil {
		return nil, errors.New(issues.String())
	}
	return &Checked{l, checked}, nil
}

// Type is that of the result.
func (c *Checked) Type() *cel.Type { return c.ast.GetType(c.ast.Expr().ID()) }

// Uses says whether the expression names a variable.
func (c *Checked) Uses(variable string) bool {
	for _, reference := range c.ast.ReferenceMap() {
		if reference.Name == variable {
			return true
		}
	}
	return false
}

// MaxCost is what an evaluation may cost at most, by the sizes that values can have.
func (c *Checked) MaxCost(sizes Sizes) (uint64, error) {
	cost, err := checker.Cost(c.ast, estimator{sizes}, checker.PresenceTestHasCost(false))
	if err != nil {
		return 0, fmt.Errorf("estimating cost: %w", err)
	}
	return cost.Max, nil
}

// Program makes the expression ready to run. A regular expression that stands in it
// and isn't one is an error.
func (c *Checked) Program() (*Program, error) {
	plan, err := c.language.interpreter.NewInterpretable(c.ast, c.language.planning...)
	if err != nil {
		return nil, err
	}
	observed, ok := plan.(*interpreter.ObservableInterpretable)
	if !ok {
		return nil, errors.New("the cost of the expression cannot be observed")
	}
	return &Program{observed}, nil
}

// Program is an expression that can be evaluated, by any number of goroutines at once.
type Program struct {
	plan *interpreter.ObservableInterpretable
}

// Variables gives the values of variables: a ref.Val or what CEL makes one of.
type Variables func(name string) (value any, ok bool)

// ResolveName implements cel.Activation.
func (v Variables) ResolveName(name string) (any, bool) { return v(name) }

// Parent implements cel.Activation.
func (v Variables) Parent() cel.Activation { return nil }

// ErrTooCostly is how an evaluation ends that costs more than [CallLimit].
var ErrTooCostly = errors.New("operation cancelled: actual cost limit exceeded")

// Evaluate runs the program and says what that cost. An error is one of the
// expression, such as a key that is not there; its text is CEL's.
func (p *Program) Evaluate(variables cel.Activation) (value ref.Val, cost uint64, err error) {
	frame, err := interpreter.NewExecutionFrame(variables)
	if err != nil {
		return nil, 0, fmt.Errorf("binding variables: %w", err)
	}
	defer frame.Close()
	var tracker *interpreter.CostTracker
	defer func() {
		if r := recover(); r != nil {
			err = recovered(r)
		}
		if tracker != nil {
			cost = tracker.ActualCost()
		}
	}()
	value = p.plan.ObserveExec(frame, func(observed any) {
		if t, ok := observed.(*interpreter.CostTracker); ok {
			tracker = t
		}
	})
	if failure, ok := value.(*types.Err); ok {
		return nil, 0, failure
	}
	return value, 0, nil
}

// recovered turns what evaluation panics with into an error.
func recovered(r any) error {
	if cancelled, ok := r.(interpreter.EvalCancelledError); ok && cancelled.Cause == interpreter.CostLimitExceeded {
		return ErrTooCostly
	}
	return fmt.Errorf("internal error: %v", r)
}
