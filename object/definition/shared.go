package definition

import (
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Shared is what definitions have in common: the branches of schemas that are equal,
// and the language of rules. It keeps no definition alive. The zero value is ready
// for use, by several goroutines as well; a program should have one.
type Shared struct {
	pool     schema.Pool
	language expr.Language
}

// rulesOf gives a function that finds the rules of a schema, once.
func (s *Shared) rulesOf(root *schema.Schema) func() *rules.Rules {
	return sync.OnceValue(func() *rules.Rules { return rules.For(&s.language, root) })
}

// ruleVerdict is what rules say of an object in place of another, which may be nil.
func (v *Version) ruleVerdict(next, old object.Object) rules.Verdict {
	if !v.Schema.HasRules() {
		return rules.Verdict{}
	}
	var before any
	if old != nil {
		before = map[string]any(old)
	}
	return v.rules().Validate(map[string]any(next), before, "", expr.Budget)
}
