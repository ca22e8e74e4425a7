package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Limits of what rules may cost by estimate.
const (
	ruleLimit  = 10_000_000  // each
	totalLimit = 100_000_000 // all of one schema
)

// costs adds up what the expressions of a schema may cost.
type costs struct {
	total   uint64
	dearest []dear // those that cost most, the worst first
}

// dear is an expression that costs much of what all may.
type dear struct {
	field string
	cost  uint64
}

func (c *costs) add(field string, cost uint64) {
	c.total = add(c.total, cost)
	if cost < totalLimit/100 {
		return
	}
	c.dearest = append(c.dearest, dear{field, cost})
	slices.SortStableFunc(c.dearest, func(a, b dear) int { return cmp.Compare(b.cost, a.cost) })
	c.dearest = c.dearest[:min(len(c.dearest), 4)]
}

// errors says what is wrong if all rules together may cost too much.
func (c *costs) errors(field string) object.FieldErrors {
	if c.total <= totalLimit {
		return nil
	}
	var errs object.FieldErrors
	for _, d := range c.dearest {
		errs = append(errs, object.ForbiddenField(d.field, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"))
	}
	return append(errs, object.ForbiddenField(field,
		tooCostly("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.total, totalLimit)))
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

// add and multiply stop at the largest number.

func add(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

func multiply(a, b uint64) uint64 {
	if a != 0 && b > math.MaxUint64/a {
		return math.MaxUint64
	}
	return a * b
}
