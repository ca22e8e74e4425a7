package definition

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Column is a column that tables of the objects have behind the name.
type Column struct {
	Name, Type, Format string
	Description        string // never empty
	Priority           int32  // above 0: shown in wide output only

	path *path
}

// parseColumns gives the columns of tables. If any has a path that cannot be read, a
// table has those before it, as the API does it.
func parseColumns(columns []column) []Column {
	var parsed []Column
	for _, c := range columns {
		path, err := parsePath(c.path)
		if err != nil {
			return parsed
		}
		description := c.description
		if description == "" {
			description = "Custom resource definition column (in JSONPath format): " + c.path
		}
		parsed = append(parsed, Column{
			Name: strings.Clone(c.name), Type: strings.Clone(c.kind), Format: strings.Clone(c.format),
			Description: strings.Clone(description), Priority: int32(c.priority), path: path,
		})
	}
	return parsed
}

// SeesOwners says whether the cell depends on the managedFields of an object.
func (c Column) SeesOwners() bool {
	return c.path != nil && c.path.mayEnter("metadata", "managedFields")
}

// Value gives the cell of an object: text, an integer, a number or a boolean, as the
// type says, or nil where the object has none of that type. The value of a date is
// the text of the time, which a table shows as an age.
func (c Column) Value(o object.Object) any {
	if c.path == nil {
		return nil
	}
	v, ok := c.path.first(o)
	if !ok {
		return nil
	}
	switch c.Type {
	case "string":
		return printed(v)
	case "integer":
		switch v := v.(type) {
		case int64:
			return v
		case float64:
			return int64(v)
		}
	case "number":
		switch v := v.(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		}
	case "boolean":
		if b, ok := v.(bool); ok {
			return b
		}
	case "date":
		if s, ok := v.(string); ok && s != "null" {
			return s
		} else if ok {
			return ""
		}
	}
	return nil
}

// printed is a value as text: objects and lists as JSON, others as Go prints them.
func printed(v any) any {
	switch v := v.(type) {
	case nil:
		return "<no value>"
	case string:
		return v
	case map[string]any, []any:
		data, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		return string(data)
	}
	return fmt.Sprint(v)
}

// SelectableField is a field that field selectors may name.
type SelectableField struct {
	Name string // as selectors name it: "spec.color"

	path *path
}

func selectableField(expression string) SelectableField {
	f := SelectableField{Name: strings.Clone(strings.TrimPrefix(expression, "."))}
	if path, err := parsePath(expression); err == nil {
		f.path = path
	}
	return f
}

// Value gives the text that selectors compare with; empty if there is no value.
func (f SelectableField) Value(o object.Object) string {
	if f.path == nil {
		return ""
	}
	v, ok := f.path.first(o)
	if !ok || v == nil {
		return ""
	}
	return fmt.Sprint(v)
}
