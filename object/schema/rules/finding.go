package rules

import (
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// finding is what compiling a rule tells, wherever its node stands.
type finding struct {
	problem     error
	usesOldSelf bool
	cost        uint64 // of one evaluation, at most

	hasMessage     bool // whether there is a messageExpression and the rule compiles
	messageProblem error
	messageCost    uint64
}

// findAll compiles the rules of a node and drops the programs.
func findAll(language *expr.Language, s *schema.Schema, resource bool) []finding {
	c := compiler{language: language, schema: s, resource: resource}
	sizes := sizesOf(s, resource)
	found := make([]finding, len(s.Rules))
	for i := range s.Rules {
		if r := &s.Rules[i]; strings.TrimSpace(r.Rule) != "" {
			found[i] = c.find(r, sizes)
		}
	}
	return found
}

func (c *compiler) find(r *schema.Rule, sizes expr.Sizes) finding {
	var f finding
	checked, err := c.check(r)
	if err != nil {
		f.problem = err
		return f
	}
	f.usesOldSelf = checked.Uses(oldSelf)
	if _, err := checked.Program(); err != nil {
		f.problem = fmt.Errorf("program instantiation failed: %w", err)
		return f
	}
	if f.cost, f.problem = checked.MaxCost(sizes); f.problem == nil && r.MessageExpression != "" {
		f.hasMessage = true
		f.messageCost, f.messageProblem = c.findMessage(r, sizes)
	}
	return f
}

func (c *compiler) findMessage(r *schema.Rule, sizes expr.Sizes) (uint64, error) {
	checked, err := c.checkMessage(r)
	if err != nil {
		return 0, err
	}
	if _, err := checked.Program(); err != nil {
		return 0, fmt.Errorf("messageExpression instantiation failed: %w", err)
	}
	return checked.MaxCost(sizes)
}
