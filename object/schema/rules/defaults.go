package rules

import (
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Defaults checks the defaults of one definition by the rules of their schemas. The
// result is for the DefaultRules of [schema.CheckOptions]; all calls share one budget.
func Defaults(language *expr.Language) func(field string, s *schema.Schema, root bool) (errs object.FieldErrors, stop bool) {
	budget := int64(expr.Budget)
	return func(field string, s *schema.Schema, root bool) (object.FieldErrors, bool) {
		r := newRules(language, s, root)
		verdict := r.run(s.Default, s.Default, evaluation{Verdict: Verdict{Budget: budget}, field: field, strict: true})
		if len(verdict.Errors) == 0 {
			// A rule may hold for a default that stays and not for one that is new.
			verdict = verdict.add(r.run(s.Default, nil, evaluation{Verdict: Verdict{Budget: budget}, field: field, strict: true}))
		}
		budget = verdict.Budget
		return verdict.Errors, budget < 0
	}
}
