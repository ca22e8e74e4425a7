package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Verdict is what rules say of a value.
type Verdict struct {
	Errors object.FieldErrors

	// Warnings are the errors of parts that were wrong before and have not changed,
	// which are accepted for that.
	Warnings []string

	// Budget is what is left of the cost that all rules for one object may have
	// together. It is negative if it is used up, or if one evaluation was too costly.
	Budget int64
}

// add puts together what was found with two runs over the same value.
func (v Verdict) add(w Verdict) Verdict {
	return Verdict{append(v.Errors, w.Errors...), append(v.Warnings, w.Warnings...), min(v.Budget, w.Budget)}
}

// Validate evaluates the rules on a value, which has passed the schema: its defaults
// are set and its types are right. Old is the value that it replaces, or nil. Budget
// is [expr.Budget] but for values that follow others. Field is the path of the value
// in the object, empty for the object itself.
//
// Where a value is wrong as the old one was, and the same, that is only a warning,
// unless the rule compares with the old one. Errors come in the order of the schema,
// properties in that of their names.
func (r *Rules) Validate(value, old any, field string, budget int64) Verdict {
	return r.run(value, old, evaluation{Verdict: Verdict{Budget: budget}, field: field})
}

func (r *Rules) run(value, old any, e evaluation) Verdict {
	if r != nil {
		e.node(r.root, &point{value: value, old: old})
	}
	return e.Verdict
}

// evaluation is one run of rules over a value.
type evaluation struct {
	Verdict
	field  string
	strict bool // whether what was wrong before is an error all the same
}

// point is a value in the tree of values, with the old value that belongs to it.
type point struct {
	above *point
	step
	node       *node
	value, old any // old is nil if there is none
}

// step leads from a value to one in it.
type step struct {
	name  string // of a field or, if isKey, of a key
	isKey bool
	index int // of an item, if there is no name
}

func (s step) String() string {
	switch {
	case s.isKey:
		return "[" + s.name + "]"
	case s.name != "":
		return "." + s.name
	}
	return "[" + strconv.Itoa(s.index) + "]"
}

func (e *evaluation) node(n *node, at *point) {
	if at.value == nil || e.Budget < 0 {
		return
	}
	at.node = n
	if e.rules(n.rules(), at); e.Budget < 0 {
		return
	}
	switch value := at.value.(type) {
	case []any:
		e.items(n, at, value)
	case map[string]any:
		e.fields(n, at, value)
	}
}

func (e *evaluation) fields(n *node, at *point, fields map[string]any) {
	old, _ := at.old.(map[string]any)
	if n.additional != nil {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			e.node(n.additional, &point{above: at, step: step{name: key, isKey: true}, value: fields[key], old: old[key]})
		}
	}
	for i := range n.properties {
		p := &n.properties[i]
		if v := fields[p.name]; v != nil {
			e.node(p.node, &point{above: at, step: step{name: p.name}, value: v, old: old[p.name]})
		}
	}
}

func (e *evaluation) items(n *node, at *point, items []any) {
	if n.items == nil {
		return
	}
	old, _ := at.old.([]any)
	byKeys := itemsByKeys(n.schema, old)
	for i, item := range items {
		e.node(n.items, &point{above: at, step: step{index: i}, value: item, old: byKeys.find(item)})
	}
}

// path is that of a point in the object, as the API writes it.
func (e *evaluation) path(at *point) string {
	if path := e.steps(at); path != "" {
		return path
	}
	return "<nil>"
}

func (e *evaluation) steps(at *point) string {
	if at.above == nil {
		return e.field
	}
	above := e.steps(at.above)
	if above == "" {
		return strings.TrimPrefix(at.step.String(), ".")
	}
	return above + at.step.String()
}

// variables are those of a rule. They are made as they are needed.
type variables struct {
	at       *point
	pairs    bool // whether a rule of the node uses oldSelf; messages that do are in vain otherwise
	optional bool // whether oldSelf is an optional value
	self     ref.Val
	oldSelf  ref.Val
}

// ResolveName implements cel.Activation.
func (v *variables) ResolveName(name string) (any, bool) {
	n := v.at.node
	switch {
	case name == self:
		if v.self == nil {
			v.self = Value(v.at.value, n.schema, n.resource)
		}
		return v.self, true
	case name != oldSelf || !v.pairs || v.at.old == nil && !v.optional:
		return nil, false
	case v.at.old == nil:
		return types.OptionalNone, true
	}
	if v.oldSelf == nil {
		v.oldSelf = Value(v.at.old, n.schema, n.resource)
	}
	if v.optional {
		return types.OptionalOf(v.oldSelf), true
	}
	return v.oldSelf, true
}

// Parent implements cel.Activation.
func (v *variables) Parent() cel.Activation { return nil }

// rules evaluates the rules of a node. It sets the budget below zero if no more rules
// are to be run.
func (e *evaluation) rules(compiled []rule, at *point) {
	if len(compiled) == 0 {
		return
	}
	if e.Budget <= 0 {
		e.stop(e.typeError(at, outOfBudget))
		return
	}
	vars := variables{at: at, pairs: slices.ContainsFunc(compiled, func(r rule) bool { return r.usesOldSelf })}
	for i := range compiled {
		if e.rule(&compiled[i], &vars); e.Budget < 0 {
			return
		}
	}
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

func (e *evaluation) stop(err *object.FieldError) {
	e.Errors = append(e.Errors, err)
	e.Budget = -1
}

// typeError is an error that shows the type of the value in the place of the value.
func (e *evaluation) typeError(at *point, detail string) *object.FieldError {
	return object.InvalidField(e.path(at), at.node.schema.Type, detail)
}

// rule evaluates one rule.
func (e *evaluation) rule(r *rule, vars *variables) {
	at := vars.at
	if r.problem != nil {
		e.Errors = append(e.Errors, e.typeError(at, fmt.Sprintf("rule compile error: %v", r.problem)))
		return
	}
	vars.optional = isOptional(r.Rule)
	if r.usesOldSelf && at.old == nil && !vars.optional {
		return // nothing to compare with
	}
	result, cost, err := r.program.Evaluate(vars)
	if cost > uint64(e.Budget) {
		e.stop(e.typeError(at, outOfBudget))
		return
	}
	e.Budget -= int64(cost)
	switch {
	case errors.Is(err, expr.ErrTooCostly):
		e.stop(e.typeError(at, fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err, r.name())))
	case err != nil && strings.HasPrefix(err.Error(), "no such overload"):
		e.Errors = append(e.Errors, e.typeError(at, fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, r.name())))
	case err != nil:
		e.Errors = append(e.Errors, e.typeError(at, fmt.Sprintf("%v evaluating rule: %v", err, r.name())))
	case result != types.True:
		e.broken(r, vars)
	}
}

// broken reports a rule that doesn't hold.
func (e *evaluation) broken(r *rule, vars *variables) {
	at := vars.at
	field := e.path(at)
	if r.field != "" {
		field = r.field
		if above := e.steps(at); above != "" {
			field = above + "." + r.field
		}
	}
	detail := r.defaultMessage()
	if r.message != nil {
		text, failure := e.message(r, vars)
		if failure != "" {
			e.report(r, at, object.InvalidField(field, at.node.schema.Type, failure))
			e.Budget = -1
			return
		}
		if text != "" {
			detail = text
		}
	}
	e.report(r, at, r.fieldError(field, shownValue(at), detail))
}

// report adds an error, or a warning if what is wrong was so before.
func (e *evaluation) report(r *rule, at *point, err *object.FieldError) {
	if !e.strict && !r.usesOldSelf && at.unchanged() {
		e.Warnings = append(e.Warnings, err.Error())
		return
	}
	e.Errors = append(e.Errors, err)
}

// shownValue leaves out what might be large.
func shownValue(at *point) any {
	switch at.node.schema.Type {
	case "object", "array":
		return object.OmittedValue{}
	}
	return at.value
}
