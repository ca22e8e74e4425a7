package expr

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

// Language is CEL with the functions of the API. The zero value is ready for use. It
// is made on first use, in about a millisecond and 150 KB, and then shared by
// all expressions: a program should have one.
type Language struct {
	once    sync.Once
	problem error

	env         *cel.Env      // parses, and checks literals
	declared    *checker.Env  // all functions, no variables
	config      literalConfig // for the checks of literals
	interpreter interpreter.Interpreter
	planning    []interpreter.PlannerOption
	escapeKey   *decls.FunctionDecl // which only some scopes declare
}

func (l *Language) ready() error {
	l.once.Do(func() { l.problem = l.make() })
	return l.problem
}

func (l *Language) make() error {
	env, err := cel.NewEnv(dialect()...)
	if err != nil {
		return fmt.Errorf("declaring functions: %w", err)
	}
	l.env = env
	if l.declared, err = declare(env); err != nil {
		return fmt.Errorf("declaring functions: %w", err)
	}
	if l.config, err = configureLiterals(env.Validators()); err != nil {
		return fmt.Errorf("configuring checks of literals: %w", err)
	}
	if l.escapeKey, err = newEscapeKey(); err != nil {
		return fmt.Errorf("declaring functions: %w", err)
	}
	if l.interpreter, err = newInterpreter(env, l.escapeKey); err != nil {
		return fmt.Errorf("binding functions: %w", err)
	}
	l.planning, err = planning()
	return err
}

// dialect lists what the language consists of beside CEL itself.
func dialect() []cel.EnvOption {
	opts := []cel.EnvOption{
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ASTValidators(
			cel.ValidateHomogeneousAggregateLiterals(),
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateRegexLiterals(),
		),
		cel.Types(ipType, cidrType),
		ext.Strings(ext.StringsVersion(2)),
		ext.Sets(),
		ext.TwoVarComprehensions(),
		ext.Lists(ext.ListsVersion(3)),
	}
	return append(opts, options(urls(), regexes(), authorization(), quantities(), addresses(), networks(), formats(), semvers(), lists())...)
}

// declare makes the type checker that those of all scopes start from.
func declare(env *cel.Env) (*checker.Env, error) {
	declared, err := checker.NewEnv(env.Container, env.CELTypeProvider(), checker.CrossTypeNumericComparisons(true))
	if err != nil {
		return nil, err
	}
	if err := declared.AddIdents(env.Variables()...); err != nil {
		return nil, err
	}
	for _, f := range functionsOf(env) {
		if f.IsDeclarationDisabled() {
			continue
		}
		if err := declared.AddFunctions(f); err != nil {
			return nil, err
		}
	}
	return declared, nil
}

// newInterpreter binds the functions once, where cel.Env would do so for each program. It
// knows what the checker lets through in any scope.
func newInterpreter(env *cel.Env, more ...*decls.FunctionDecl) (interpreter.Interpreter, error) {
	dispatcher := interpreter.NewDispatcher()
	for _, f := range append(functionsOf(env), more...) {
		bindings, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		if err := dispatcher.Add(bindings...); err != nil {
			return nil, err
		}
	}
	provider := constructors{env.CELTypeProvider()}
	attributes := interpreter.NewAttributeFactory(env.Container, env.CELTypeAdapter(), provider)
	return interpreter.NewInterpreter(dispatcher, env.Container, provider, env.CELTypeAdapter(), attributes), nil
}

func functionsOf(env *cel.Env) []*decls.FunctionDecl {
	functions := env.Functions()
	sorted := make([]*decls.FunctionDecl, 0, len(functions))
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		sorted = append(sorted, functions[name])
	}
	return sorted
}

// Limits of the cost of expressions, in units of which a second of work has some ten million.
const (
	// CallLimit is what one evaluation of one expression may cost.
	CallLimit = 1_000_000
	// Budget is what all evaluations for one object may cost together.
	Budget = 10_000_000
)

func planning() ([]interpreter.PlannerOption, error) {
	tracker, err := interpreter.NewCostTracker(actualCosts{}, interpreter.PresenceTestHasCost(false), interpreter.CostTrackerLimit(CallLimit))
	if err != nil {
		return nil, err
	}
	return []interpreter.PlannerOption{
		interpreter.CustomDecoratorV2(planAlternative),
		interpreter.Optimize(),
		interpreter.CompileRegexConstants(constantPatterns()...),
		interpreter.CostObserver(interpreter.CostTrackerFactory(tracker.Clone)),
	}, nil
}

// literalConfig is what some checks of literals tell others. It implements cel.MutableValidatorConfig.
type literalConfig map[string]any

func configureLiterals(validators []cel.ASTValidator) (literalConfig, error) {
	config := literalConfig{cel.HomogeneousAggregateLiteralExemptFunctions: []string{}}
	for _, v := range validators {
		if c, ok := v.(cel.ASTValidatorConfigurer); ok {
			if err := c.Configure(config); err != nil {
				return nil, err
			}
		}
	}
	return config, nil
}

// GetOrDefault implements cel.ValidatorConfig.
func (c literalConfig) GetOrDefault(name string, value any) any {
	if v, ok := c[name]; ok {
		return v
	}
	return value
}

// Set implements cel.MutableValidatorConfig.
func (c literalConfig) Set(name string, value any) error {
	c[name] = value
	return nil
}

// Variable is a name that expressions may use, with the type of its value.
type Variable struct {
	Name string
	Type *cel.Type
}

// ObjectTypes finds the fields of object types that belong to a scope. found is false
// for types that it doesn't know; fieldType is nil for fields that there aren't.
type ObjectTypes interface {
	FieldType(object, field string) (fieldType *cel.Type, found bool)
}

// Scope is what the names in an expression can stand for. Any number of goroutines
// may use it.
type Scope struct {
	declared *checker.Env
}

// Scope declares variables. objects may be nil.
func (l *Language) Scope(objects ObjectTypes, variables ...Variable) (*Scope, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	return l.scope(l.env.CELTypeProvider(), objects, variables)
}

func (l *Language) scope(provider types.Provider, objects ObjectTypes, variables []Variable) (*Scope, error) {
	if objects != nil {
		provider = provided{provider, objects}
	}
	declared, err := checker.NewEnv(l.env.Container, provider,
		checker.CrossTypeNumericComparisons(true), checker.ValidatedDeclarations(l.declared))
	if err != nil {
		return nil, fmt.Errorf("declaring variables: %w", err)
	}
	for _, v := range variables {
		if err := declared.AddIdents(decls.NewVariable(v.Name, v.Type)); err != nil {
			return nil, fmt.Errorf("declaring variable %s: %w", v.Name, err)
		}
	}
	return &Scope{declared}, nil
}

// provided adds the object types of a scope to those of the language.
type provided struct {
	types.Provider
	objects ObjectTypes
}

// FindStructType implements types.Provider.
func (p provided) FindStructType(name string) (*types.Type, bool) {
	if _, found := p.objects.FieldType(name, ""); found {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return p.Provider.FindStructType(name)
}

// FindStructFieldNames implements types.Provider.
func (p provided) FindStructFieldNames(name string) ([]string, bool) {
	if _, found := p.objects.FieldType(name, ""); found {
		return nil, false
	}
	return p.Provider.FindStructFieldNames(name)
}

// FindStructFieldType implements types.Provider.
func (p provided) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	fieldType, found := p.objects.FieldType(name, field)
	if !found {
		return p.Provider.FindStructFieldType(name, field)
	}
	if fieldType == nil {
		return nil, false
	}
	return &types.FieldType{Type: fieldType}, true
}
