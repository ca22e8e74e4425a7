package rules

import (
	"fmt"
	"slices"
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
	c := checker{language: language, report: report, options: o}
	c.node(s, place{field: field, resource: true, times: 1, bounded: true})
	c.total(field)
	return c.errs
}

// checker checks the rules of one definition.
type checker struct {
	language *expr.Language
	report   *schema.Report
	options  CheckOptions
	errs     object.FieldErrors
	cost     uint64
	dearest  []dear // the rules that cost most, the worst first
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

func (c *checker) rules(s *schema.Schema, at place) {
	field := at.field + ".x-kubernetes-validations"
	if !isSeen(s) {
		c.errs = append(c.errs, object.InternalField(field,
			fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations")))
		return
	}
	if !at.bounded {
		at.times = occurrences(s, at.resource)
	}
	compiler := compiler{language: c.language, schema: s, resource: at.resource}
	for i := range s.Rules {
		c.rule(&compiler, &s.Rules[i], at, field+"["+strconv.Itoa(i)+"]")
	}
}

// rule checks one rule.
func (c *checker) rule(compiler *compiler, r *schema.Rule, at place, field string) {
	checked, err := compiler.check(r)
	usesOldSelf := checked != nil && checked.Uses(oldSelf)
	var cost uint64
	if err == nil {
		cost, err = checkedCost(checked, compiler)
	}
	cost = multiply(cost, at.times)
	c.limit(field+".rule", "estimated rule cost", cost)
	if err != nil {
		c.errs = append(c.errs, object.InvalidField(field+".rule", shown(r), err.Error()))
	} else if r.MessageExpression != "" {
		c.messageExpression(compiler, r, field+".messageExpression")
	}
	switch {
	case usesOldSelf && at.unpaired != "":
		c.errs = append(c.errs, object.InvalidField(field+".rule", r.Rule,
			"oldSelf cannot be used on the uncorrelatable portion of the schema within "+at.unpaired))
	case !usesOldSelf && r.OptionalOldSelf != nil:
		c.errs = append(c.errs, object.InvalidField(field+".optionalOldSelf", *r.OptionalOldSelf,
			"may not be set if oldSelf is not used in rule"))
	}
}

// checkedCost also makes the program, since that finds bad regular expressions.
func checkedCost(checked *expr.Checked, c *compiler) (uint64, error) {
	if _, err := checked.Program(); err != nil {
		return 0, fmt.Errorf("program instantiation failed: %w", err)
	}
	return checked.MaxCost(sizesOf(c.schema, c.resource))
}

func (c *checker) messageExpression(compiler *compiler, r *schema.Rule, field string) {
	checked, err := compiler.checkMessage(r)
	var cost uint64
	if err == nil {
		if _, err = checked.Program(); err != nil {
			err = fmt.Errorf("messageExpression instantiation failed: %w", err)
		}
	}
	if err == nil {
		cost, err = checked.MaxCost(sizesOf(compiler.schema, compiler.resource))
	}
	if err != nil {
		c.errs = append(c.errs, object.InvalidField(field, shown(r), err.Error()))
		return
	}
	c.limit(field, "estimated messageExpression cost", cost)
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

// Limits of what rules may cost by estimate.
const (
	ruleLimit  = 10_000_000  // each
	totalLimit = 100_000_000 // all of one schema
)

// dear is an expression that costs much of what all may.
type dear struct {
	field string
	cost  uint64
}

// limit checks the cost of one expression and adds it up.
func (c *checker) limit(field, what string, cost uint64) {
	if cost > ruleLimit && !c.options.AnyCost {
		c.errs = append(c.errs, object.ForbiddenField(field, tooCostly(what, cost, ruleLimit)))
	}
	c.cost = add(c.cost, cost)
	if cost < totalLimit/100 {
		return
	}
	c.dearest = append(c.dearest, dear{field, cost})
	slices.SortStableFunc(c.dearest, func(a, b dear) int {
		switch {
		case a.cost > b.cost:
			return -1
		case a.cost < b.cost:
			return 1
		}
		return 0
	})
	c.dearest = c.dearest[:min(len(c.dearest), 4)]
}

// total checks what all rules may cost together.
func (c *checker) total(field string) {
	if c.cost <= totalLimit {
		return
	}
	for _, d := range c.dearest {
		c.errs = append(c.errs, object.ForbiddenField(d.field, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
	}
	c.errs = append(c.errs, object.ForbiddenField(field,
		tooCostly("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.cost, totalLimit)))
}

func tooCostly(what string, cost, limit uint64) string {
	factor := float64(cost) / float64(limit)
	by := fmt.Sprintf("%.1fx", factor)
	switch {
	case factor > 100:
		by = "more than 100x"
	case factor < 1.5:
		by = fmt.Sprintf("%fx", factor)
	}
	return what + " exceeds budget by factor of " + by +
		" (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
}
