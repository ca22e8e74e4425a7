package definition

import (
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
)

var errArrayNotation = errors.New("array notation is not allowed")

// schema checks the schema of a version, or of all, and the rules in it.
func (v *validator) schema(s *schema.Schema, field string, status bool, version string) {
	if s == nil {
		return
	}
	report := s.Check(field, schema.CheckOptions{Status: status, Relaxed: v.relaxed, DefaultRules: rules.Defaults(v.language)})
	v.add(report.Errors()...)
	v.add(rules.Check(v.language, s, field, &report, rules.CheckOptions{AnyCost: v.keepsSchema(version, s)})...)
}

// keepsSchema says whether an update leaves the schema of a version as it is.
func (v *validator) keepsSchema(name string, s *schema.Schema) bool {
	if v.old == nil {
		return false
	}
	for _, before := range v.old.versions {
		if before.name == name {
			return sameSchema(before.schema, s)
		}
	}
	return false
}
