package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// rule is a rule that is ready to run.
type rule struct {
	*schema.Rule
	field       string // where errors belong, below the value; empty for the value itself
	usesOldSelf bool
	program     *expr.Program
	message     *expr.Program // of the messageExpression; nil for none, or one that doesn't compile
	problem     error         // why there is no program
}

// Names of the variables of rules.
const (
	self    = "self"
	oldSelf = "oldSelf"
)

// compiler compiles the rules of one node.
type compiler struct {
	language *expr.Language
	schema   *schema.Schema
	resource bool
	scopes   [2]*expr.Scope // without and with an optional oldSelf
}

// scope declares the variables of a rule.
func (c *compiler) scope(r *schema.Rule) (*expr.Scope, error) {
	i := 0
	if isOptional(r) {
		i = 1
	}
	if c.scopes[i] != nil {
		return c.scopes[i], nil
	}
	types := objectTypes{map[string]*schema.Schema{}, withMetadata}
	t := types.typeOf(c.schema, c.resource, selfTypeName)
	if t == nil {
		return nil, errors.New("failed to convert to declType for CEL validation rules")
	}
	old := t
	if i == 1 {
		old = cel.OptionalType(t)
	}
	scope, err := c.language.Scope(types, expr.Variable{Name: self, Type: t}, expr.Variable{Name: oldSelf, Type: old})
	c.scopes[i] = scope
	return scope, err
}

func isOptional(r *schema.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// check checks the syntax and the types of a rule. Errors are in the API's words.
func (c *compiler) check(r *schema.Rule) (*expr.Checked, error) {
	scope, err := c.scope(r)
	if err != nil {
		return nil, err
	}
	checked, err := c.language.Check(scope, r.Rule)
	if err != nil {
		return nil, fmt.Errorf("compilation failed: %w", err)
	}
	if checked.Type() != cel.BoolType {
		return nil, errors.New("cel expression must evaluate to a bool")
	}
	return checked, nil
}

// checkMessage checks the syntax and the type of a messageExpression.
func (c *compiler) checkMessage(r *schema.Rule) (*expr.Checked, error) {
	scope, err := c.scope(r)
	if err != nil {
		return nil, err
	}
	checked, err := c.language.Check(scope, r.MessageExpression)
	if err != nil {
		return nil, fmt.Errorf("messageExpression compilation failed: %w", err)
	}
	if checked.Type() != cel.StringType {
		return nil, errors.New("messageExpression must evaluate to a string")
	}
	return checked, nil
}

// compileAll compiles the rules of a node. Blank rules are left out.
func compileAll(language *expr.Language, s *schema.Schema, resource bool) []rule {
	c := compiler{language: language, schema: s, resource: resource}
	compiled := make([]rule, 0, len(s.Rules))
	for i := range s.Rules {
		if r := &s.Rules[i]; strings.TrimSpace(r.Rule) != "" {
			compiled = append(compiled, c.compile(r))
		}
	}
	return compiled
}

func (c *compiler) compile(r *schema.Rule) rule {
	compiled := rule{Rule: r}
	checked, err := c.check(r)
	if err != nil {
		compiled.problem = err
		return compiled
	}
	compiled.usesOldSelf = checked.Uses(oldSelf)
	if compiled.program, err = checked.Program(); err != nil {
		compiled.problem = fmt.Errorf("program instantiation failed: %w", err)
		return compiled
	}
	if r.MessageExpression != "" {
		if checked, err := c.checkMessage(r); err == nil {
			compiled.message, _ = checked.Program() // without it there is the message
		}
	}
	if r.FieldPath != "" {
		compiled.field, _, _ = c.schema.FieldPath(r.FieldPath) // a wrong path was refused with the definition
	}
	return compiled
}
