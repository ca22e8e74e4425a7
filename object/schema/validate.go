package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Validate says what is wrong with a value, by all that the schema says of values:
// types, formats, limits, required fields and the junctors. The other checks of an
// object follow it in the API: [Schema.ValidateEmbedded], then [Schema.ValidateLists],
// then rules. Field is the path of the value in its object, empty for the object.
//
// Errors come in the API's words and order, except that the API goes through fields
// in no order where here it is that of their names; equal ones are listed once. As
// in the API, some errors bear no field but "<nil>" (or that of the root).
func (s *Schema) Validate(value any, field string) object.FieldErrors {
	value = plain(value)
	if s.accepts(value) {
		return nil
	}
	return s.faults(value, field, nil)
}

// ValidateUpdate is [Schema.Validate] for a value that replaces an old one. What is
// wrong with a part that the update leaves alone is no error: a part is a field, a
// key of a map or an item of a list of type map, which is found in the old list by
// its keys. Errors about a part's absence, and all those that concern a larger part
// which did change, remain.
func (s *Schema) ValidateUpdate(value, old any, field string) object.FieldErrors {
	value = plain(value)
	if s.accepts(value) {
		return nil
	}
	return s.faults(value, field, &pair{value: value, old: plain(old), schema: s})
}

// accepts looks for faults without writing any of them down, which is all that
// most values need.
func (s *Schema) accepts(value any) bool {
	var v validator
	v.value(s, value, nil)
	return v.count == 0
}

// faults writes down what is wrong with a value and did change.
func (s *Schema) faults(value any, field string, change *pair) object.FieldErrors {
	v := validator{loud: true, root: field}
	v.value(s, value, change)
	return v.errors()
}

// plain gives the map that an object is.
func plain(value any) any {
	if o, ok := value.(object.Object); ok {
		return map[string]any(o)
	}
	return value
}

// validateDefault is Validate as the API uses it for the values of defaults: it
// doesn't tell the types of int-or-string, and checks formats of any type.
func (s *Schema) validateDefault(value any, field string) object.FieldErrors {
	v := validator{loud: true, root: field, literal: true}
	v.value(s, value, nil)
	return v.errors()
}

// validator goes through a value and its schema. It is quiet at first and counts
// problems only, since there are none most of the time; if there are any, a loud one
// goes through the value again, in the order of names, and words them.
type validator struct {
	loud     bool
	literal  bool
	root     string
	route    route
	count    int // of problems
	problems []problem
}

// problem is an error with the text by which the API finds equal ones.
type problem struct {
	text string
	err  *object.FieldError
}

// value checks a value by one node of the schema, and what is in it by those below.
// It returns how many checks succeeded, as the API counts them: that decides which
// alternative of several is reported.
func (v *validator) value(s *Schema, x any, p *pair) (matches int) {
	before := v.count
	switch x := x.(type) {
	case nil:
		if v.nullable(s) {
			matches++
		}
		v.enum(s, x)
	default:
		matches = v.present(s, x, p)
	}
	if v.count > before && p.unchanged() {
		v.drop(before)
	}
	return matches
}

func (v *validator) present(s *Schema, x any, p *pair) (matches int) {
	format := v.format(s)
	if s.typed(v.literal) || format != "" {
		matches++
		if v.typed(s, format, x) {
			matches++
		}
	}
	matches += 1 + v.junctors(s, x)
	switch x := x.(type) {
	case string:
		matches++
		v.text(s, x)
		if f := s.textFormat; f != unknownFormat && format != "" {
			matches++
			v.formatted(s, f, x)
		}
	case int64, float64:
		matches += 2
		v.number(s, format, x)
	case []any:
		matches += 2 + v.list(s, x, p)
	}
	matches++
	v.enum(s, x)
	if m, ok := x.(map[string]any); ok {
		matches += 1 + v.object(s, m, p)
	}
	return matches + 1
}

// format gives the format that counts.
func (v *validator) format(s *Schema) string {
	if s.formatIgnored && !v.literal {
		return ""
	}
	return s.Format
}

func (v *validator) list(s *Schema, list []any, p *pair) (matches int) {
	if s.Items != nil {
		for i, x := range list {
			v.enter(step{index: i})
			matches += v.value(s.Items, x, p.item(i))
			v.leave()
		}
	}
	v.listLength(s, int64(len(list)))
	if s.UniqueItems && hasTwins(list) && v.wrong() {
		v.add(object.FieldValueInvalid, "", "%s in body shouldn't contain duplicates")
	}
	return matches
}

func hasTwins(list []any) bool {
	for i, x := range list {
		for _, y := range list[:i] {
			if sameValue(x, y) {
				return true
			}
		}
	}
	return false
}

func (v *validator) object(s *Schema, m map[string]any, p *pair) (matches int) {
	v.propertyCount(s, int64(len(m)))
	switch {
	case s.AdditionalProperties == nil || s.AdditionalProperties.Schema == nil && s.AdditionalProperties.Allows:
	case v.loud:
		for name, x := range inOrder(m) {
			matches += v.additional(s, name, x, p)
		}
	default:
		for name, x := range m {
			matches += v.additional(s, name, x, p)
		}
	}
	matches += v.properties(s, m, p)
	for _, name := range s.Required {
		if _, ok := m[name]; !ok && v.wrong() {
			v.addRequired(name)
		}
	}
	return matches
}

// additional checks a field that has no property of its own, if there is a schema
// for such fields; if not, there may be none.
func (v *validator) additional(s *Schema, name string, x any, p *pair) (matches int) {
	if property(s.Properties, name) != nil {
		return 0
	}
	if !s.AdditionalProperties.Allows {
		if v.wrong() {
			v.addText(object.FieldValueInvalid, name, v.path()+"."+name+" in body is a forbidden property")
		}
		return 0
	}
	v.enter(step{name: name, index: -1, key: true})
	matches = v.value(s.AdditionalProperties.Schema, x, p.field(v, name))
	v.leave()
	return matches
}

// properties checks the fields that have a property of their own. It goes through
// whatever there is less of; of a small object in a wide schema, that is the object.
func (v *validator) properties(s *Schema, m map[string]any, p *pair) (matches int) {
	if !v.loud && 4*len(m) < len(s.Properties) {
		for name, x := range m {
			if sub := property(s.Properties, name); sub != nil {
				matches += v.value(sub, x, nil)
			}
		}
		return matches
	}
	for i := range s.Properties {
		name := s.Properties[i].Name
		if x, ok := m[name]; ok {
			v.enter(step{name: name, index: -1})
			matches += v.value(s.Properties[i].Schema, x, p.field(v, name))
			v.leave()
		}
	}
	return matches
}

// enter and leave note the way, which only messages need.
func (v *validator) enter(s step) {
	if v.loud {
		v.route = append(v.route, s)
	}
}

func (v *validator) leave() {
	if v.loud {
		v.route.pop()
	}
}

// inOrder goes through an object in the order of names.
func inOrder(m map[string]any) func(yield func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !yield(name, m[name]) {
				return
			}
		}
	}
}

// wrong counts a problem, and says whether to word it.
func (v *validator) wrong() (word bool) {
	v.count++
	return v.loud
}

// drop takes back all problems but the first n.
func (v *validator) drop(n int) {
	v.count = n
	if v.loud {
		v.problems = v.problems[:n]
	}
}

// path is where the validator is, as the API writes it in messages: with a dot in
// front of a map's key even at the root.
func (v *validator) path() string {
	var b strings.Builder
	for _, s := range v.route {
		switch {
		case s.index >= 0:
			writeIndex(&b, s.index)
			continue
		case s.key || b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(s.name)
	}
	return b.String()
}

// errors gives the problems without repetitions.
func (v *validator) errors() object.FieldErrors {
	var errs object.FieldErrors
	seen := make(map[string]bool, len(v.problems))
	for _, p := range v.problems {
		if !seen[p.text] {
			seen[p.text] = true
			errs = append(errs, p.err)
		}
	}
	return errs
}
