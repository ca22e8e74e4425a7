package definition

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// schemaViolations says why the schemas of a definition are not structural, or that
// it keeps unknown fields; empty if all is well.
func schemaViolations(o object.Object) string {
	doc, err := read(o, new(schema.Pool))
	if err != nil {
		return ""
	}
	var errs object.FieldErrors
	if doc.preserve {
		errs = append(errs, object.InvalidField("spec.preserveUnknownFields", true, "must be false"))
	}
	for i, v := range doc.versions {
		if v.schema == nil {
			continue
		}
		report := v.schema.Check(fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i), schema.CheckOptions{})
		errs = append(errs, report.Structure...)
	}
	if len(errs) == 0 {
		return ""
	}
	return errs.Error()
}
