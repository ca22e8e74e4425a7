package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// TypeError says that a field of a schema's document holds a value that the API
// cannot decode, in the words of the API.
type TypeError struct {
	Value string // what there is instead: string, number, array, object, bool
	Field string // dotted names of the structures' fields, e.g. "properties.required"; without the keys of maps and the indices of lists
	Want  string // the Go type that the API decodes into
	Of    string // the Go structure that has the field
	text  string // instead of all that
}

// Error gives the message for the schema alone.
func (e *TypeError) Error() string { return e.In("") }

// In gives the message for a schema that is itself the value of the field with the
// path, e.g. "spec.versions.schema.openAPIV3Schema".
func (e *TypeError) In(field string) string {
	switch {
	case e.text != "":
		return e.text
	case e.Field != "":
		field = child(field, e.Field)
	}
	if field == "" {
		return fmt.Sprintf("json: cannot unmarshal %s into Go value of type %s", e.Value, e.Want)
	}
	return fmt.Sprintf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", e.Value, e.Of, field, e.Want)
}

// fields gives the names of the structures' fields alone.
func (r route) fields() string {
	var names []string
	for _, s := range r {
		if s.index < 0 && !s.key {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ".")
}

func (p *parser) mistyped(v any, want string) {
	of := "JSONSchemaProps"
	if p.within != "" && p.nested == 0 { // the innermost decoder of its own is that of a schema
		of = p.within
	}
	p.fail(&TypeError{Value: jsonType(v, want), Field: p.where.fields(), Want: want, Of: of})
}

// fail keeps the error whose message sorts first, so that it is always the same.
func (p *parser) fail(e *TypeError) {
	if p.wrong == nil || e.Error() < p.wrong.Error() {
		p.wrong = e
	}
}

// jsonType names the type of a value as encoding/json does, which shows numbers with a
// fraction where others are wanted.
func jsonType(v any, want string) string {
	if f, ok := v.(float64); ok && want == "int64" {
		return "number " + strconv.FormatFloat(f, 'g', -1, 64)
	}
	return object.JSONType(v)
}
