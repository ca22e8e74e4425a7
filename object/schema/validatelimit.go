package schema

import (
	"fmt"
	"unicode/utf8"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// text checks a text by its limits, of which only the first that fails counts.
func (v *validator) text(s *Schema, x string) {
	if s.MaxLength == nil && s.MinLength == nil && s.Pattern == nil {
		return
	}
	length := int64(utf8.RuneCountInString(x))
	switch {
	case s.MaxLength != nil && length > *s.MaxLength:
		if v.wrong() {
			v.addTooLong(*s.MaxLength)
		}
	case s.MinLength != nil && length < *s.MinLength:
		if v.wrong() {
			v.add(object.FieldValueInvalid, x, "%s in body should be at least %d chars long", *s.MinLength)
		}
	case s.Pattern != nil:
		v.pattern(s.Pattern, x)
	}
}

// addTooLong words that a text is too long. Where even nothing is, messages name no limit.
func (v *validator) addTooLong(limit int64) {
	e := object.TooLongField(v.fieldOf(v.path()), int(limit))
	if limit < 0 {
		e.Detail = "value is too long"
	}
	v.addError(fmt.Sprintf("%s in body should be at most %d chars long", v.path(), limit), e)
}

func (v *validator) pattern(p *Pattern, x string) {
	want := p.Source
	re, err := p.Regexp()
	switch {
	case err != nil:
		want += ", but pattern is invalid: " + err.Error()
	case re.MatchString(x):
		return
	}
	if v.wrong() {
		v.add(object.FieldValueInvalid, x, "%s in body should match '%s'", want)
	}
}

func (v *validator) formatted(s *Schema, f format, x string) {
	if !f.matches(x) && v.wrong() {
		v.add(object.FieldValueTypeInvalid, x, "%s in body must be of type %s: %q", s.Format, x)
	}
}

func (v *validator) listLength(s *Schema, n int64) {
	if s.MinItems != nil && n < *s.MinItems && v.wrong() {
		v.add(object.FieldValueInvalid, n, "%s in body should have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil && n > *s.MaxItems && v.wrong() {
		v.addTooMany(n, *s.MaxItems, "items")
	}
}

func (v *validator) propertyCount(s *Schema, n int64) {
	if s.MinProperties != nil && n < *s.MinProperties && v.wrong() {
		v.add(object.FieldValueInvalid, n, "%s in body should have at least %d properties", *s.MinProperties)
	}
	if s.MaxProperties != nil && n > *s.MaxProperties && v.wrong() {
		v.addTooMany(n, *s.MaxProperties, "properties")
	}
}

func (v *validator) addTooMany(n, limit int64, of string) {
	e := object.TooManyField(v.fieldOf(v.path()), int(n), int(limit))
	if limit < 0 {
		e.Detail = "has too many items"
	}
	v.addError(fmt.Sprintf("%s in body should have at most %d %s", v.path(), limit, of), e)
}

// enum checks that a value is one of those listed; null never is.
func (v *validator) enum(s *Schema, x any) {
	if len(s.Enum) == 0 {
		return
	}
	for _, e := range s.Enum {
		if x != nil && e != nil && isListed(x, e) {
			return
		}
	}
	if v.wrong() {
		v.addEnum(s, x)
	}
}

// isListed compares a value with a listed one after conversion to the latter's type,
// as Go converts: a fraction is cut off, and an integer is the code of a character.
func isListed(x, listed any) bool {
	switch e := listed.(type) {
	case string:
		if n, ok := x.(int64); ok {
			return int64(rune(n)) == n && string(rune(n)) == e || int64(rune(n)) != n && e == "\ufffd"
		}
	case int64:
		if f, ok := x.(float64); ok {
			return int64(f) == e
		}
	case float64:
		if n, ok := x.(int64); ok {
			return float64(n) == e
		}
	}
	return sameValue(x, listed)
}

func (v *validator) addEnum(s *Schema, x any) {
	allowed := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		text, ok := e.(string)
		if !ok {
			text = string(object.AppendJSON(nil, e))
		}
		allowed[i] = text
	}
	text := fmt.Sprintf("%s in body should be one of %v", v.path(), s.Enum)
	v.addError(text, object.UnsupportedField(v.fieldOf(v.path()), x, allowed...))
}
