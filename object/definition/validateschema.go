package definition

import (
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

var errArrayNotation = errors.New("array notation is not allowed")

// schema checks the schema of a version, or of all, and the rules in it.
func (v *validator) schema(s *schema.Schema, field string, status bool, version string) {
	if s == nil {
		return
	}
	report := s.Check(field, schema.CheckOptions{Status: status, Relaxed: v.relaxed})
	v.add(report.Errors()...)
}
