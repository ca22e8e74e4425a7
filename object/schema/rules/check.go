package rules

import (
	"errors"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// CheckOptions says how rules are checked. The zero value is for a new definition.
type CheckOptions struct {
	// AnyCost accepts rules that may cost too much each by itself, which the API does
	// on an update of a definition that has such rules already.
	AnyCost bool
}

// Check says what is wrong with the rules of the schema of a custom resource: those
// that don't compile, those that use oldSelf where there can be none, and those that
// may cost too much. Field is the path of the schema in the definition, report what
// [schema.Schema.Check] says of it; rules are left alone where that found errors.
//
// Errors come in the API's words and order, except that the API goes through
// properties in no order where here it is that of their names.
func Check(language *expr.Language, s *schema.Schema, field string, report *schema.Report, o CheckOptions) object.FieldErrors {
	if !s.HasRules() || !report.Structural() {
		return nil
	}
	c := checker{language: language, report: report, options: o, found: map[spot][]finding{}}
	c.node(s, place{field: field, resource: true, times: 1, bounded: true})
	return append(c.errs, c.costs.errors(field)...)
}

// checker checks the rules of one definition.
type checker struct {
	language *expr.Language
	report   *schema.Report
	options  CheckOptions
	found    map[spot][]finding
	errs     object.FieldErrors
	costs    costs
}

// place is where a node stands in the schema.
type place struct {
	field    string
	resource bool
	times    uint64 // how many values of the node there may be in an object, if bounded
	bounded  bool
	unpaired string // the path of the list above whose items have no old selves; empty for none
}

// in gives the place of a node below one of the schema.
func (p place) in(s, below *schema.Schema, step string) place {
	p.field += step
	p.resource = below.EmbeddedResource
	limit, bounded := maxOccurrences(s)
	p.bounded = p.bounded && bounded
	p.times = multiply(p.times, limit)
	return p
}

// maxOccurrences is how many values of a node below there are for each of the node.
func maxOccurrences(s *schema.Schema) (n uint64, bounded bool) {
	limit := s.MaxItems
	switch {
	case s.Type == "object" && s.AdditionalProperties != nil:
		limit = s.MaxProperties
	case s.Type != "array":
		return 1, true
	}
	if limit == nil {
		return 0, false
	}
	return uint64(max(*limit, 0)), true
}

// node checks what stands below first, as the API does.
func (c *checker) node(s *schema.Schema, at place) {
	if !s.HasRules() {
		return
	}
	if a := s.Additional(); a != nil {
		c.node(a, at.in(s, a, ".additionalProperties"))
	}
	for _, p := range s.Properties {
		if p.Schema.HasRules() {
			c.node(p.Schema, at.in(s, p.Schema, ".properties["+p.Name+"]"))
		}
	}
	if s.Items != nil {
		below := at.in(s, s.Items, ".items")
		if s.ListType != "map" && below.unpaired == "" {
			below.unpaired = at.field
		}
		c.node(s.Items, below)
	}
	if len(s.Rules) > 0 && c.report.Clean(at.field) {
		c.rules(s, at)
	}
}

// rules checks the rules of one node, at one of the places where it stands.
func (c *checker) rules(s *schema.Schema, at place) {
	field := at.field + ".x-kubernetes-validations"
	if !isSeen(s) {
		c.errs = append(c.errs, object.InternalField(field,
			errors.New("internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations")))
		return
	}
	if !at.bounded {
		at.times = occurrences(s, at.resource)
	}
	node := spot{s, at.resource}
	if c.found[node] == nil {
		c.found[node] = findAll(c.language, s, at.resource)
	}
	for i, f := range c.found[node] {
		c.rule(&s.Rules[i], f, at, field+"["+strconv.Itoa(i)+"]")
	}
}

// rule reports what was found of one rule.
func (c *checker) rule(r *schema.Rule, f finding, at place, field string) {
	c.limit(field+".rule", "estimated rule cost", multiply(f.cost, at.times))
	if f.problem != nil {
		c.errs = append(c.errs, object.InvalidField(field+".rule", shown(r), f.problem.Error()))
	}
	if f.messageProblem != nil {
		c.errs = append(c.errs, object.InvalidField(field+".messageExpression", shown(r), f.messageProblem.Error()))
	} else if f.hasMessage {
		c.limit(field+".messageExpression", "estimated messageExpression cost", f.messageCost)
	}
	switch {
	case f.usesOldSelf && at.unpaired != "":
		c.errs = append(c.errs, object.InvalidField(field+".rule", r.Rule,
			"oldSelf cannot be used on the uncorrelatable portion of the schema within "+at.unpaired))
	case !f.usesOldSelf && r.OptionalOldSelf != nil:
		c.errs = append(c.errs, object.InvalidField(field+".optionalOldSelf", *r.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
}

func (c *checker) limit(field, what string, cost uint64) {
	if cost > ruleLimit && !c.options.AnyCost {
		c.errs = append(c.errs, object.ForbiddenField(field, tooCostly(what, cost, ruleLimit)))
	}
	c.costs.add(field, cost)
}

// shownRule is a rule as messages show it.
type shownRule struct {
	Rule, Message, MessageExpression string
	Reason                           *string
	FieldPath                        string
	OptionalOldSelf                  *bool
}

func shown(r *schema.Rule) shownRule {
	s := shownRule{r.Rule, r.Message, r.MessageExpression, nil, r.FieldPath, r.OptionalOldSelf}
	if r.Reason != "" {
		s.Reason = &r.Reason
	}
	return s
}
