package schema

import (
	"math"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// typed says whether the schema wants a type at all.
func (s *Schema) typed(literal bool) bool { return s.Type != "" || s.IntOrString && !literal }

// wants says whether the schema wants the type.
func (s *Schema) wants(name string, literal bool) bool {
	if s.IntOrString && !literal {
		return name == "integer" || name == "string"
	}
	return s.Type == name
}

// types gives the types that the schema wants, as messages list them.
func (s *Schema) types(literal bool) string {
	if s.IntOrString && !literal {
		return "integer,string"
	}
	return s.Type
}

// nullable checks that null is allowed.
func (v *validator) nullable(s *Schema) bool {
	if !s.typed(v.literal) || s.wants("null", v.literal) || s.Nullable {
		return true
	}
	v.wrongType(s.types(v.literal), "null")
	return false
}

// typed checks the type of a value. Formats get in the way as in the API: a text or
// a list passes for anything but a number if there is a format.
func (v *validator) typed(s *Schema, format string, x any) bool {
	name, numberFormat := typeOf(x)
	f, _ := x.(float64)
	fits := s.wants(name, v.literal) ||
		name == "number" && isWhole(f) && s.wants("integer", v.literal) ||
		name == "integer" && s.wants("number", v.literal)
	isText := name == "string" || name == "array"
	switch {
	case format == "":
	case !isText && !fits && format != numberFormat:
		v.wrongType(format, numberFormat)
		return false
	case isText && !s.wants("number", v.literal) && !s.wants("integer", v.literal):
		return true
	}
	if !fits {
		v.wrongType(s.types(v.literal), name)
	}
	return fits
}

func (v *validator) wrongType(want, got string) {
	if v.wrong() {
		v.add(object.FieldValueTypeInvalid, got, "%s in body must be of type %s: %q", want, got)
	}
}

// typeOf gives the type of a value, and the format of numbers.
func typeOf(x any) (name, format string) {
	switch x.(type) {
	case nil:
		return "null", ""
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case []any:
		return "array", ""
	}
	return "object", ""
}

// isWhole says whether a number is an integer of at most 53 bits, or nearly one.
func isWhole(f float64) bool {
	const most = 1<<53 - 1
	if !(-most <= f && f <= most) {
		return false
	}
	rounded := math.Round(f)
	return f == rounded || rounded != 0 && math.Abs(f-rounded) < 1e-9*math.Abs(rounded)
}

// number checks a number by its limits.
func (v *validator) number(s *Schema, format string, x any) {
	typed := ""
	if !s.IntOrString || v.literal {
		typed = s.Type
	}
	if typed != "integer" && typed != "number" {
		typed = ""
	}
	if typed == "" || !enforced(format, typed) {
		format = ""
	}
	v.inRange(holds(typed, format, x), typed, format, "Checked")
	if s.MultipleOf != nil {
		v.multipleOf(*s.MultipleOf, x, v.inRange(holdsFloat(typed, format, *s.MultipleOf), typed, format, "MultipleOf"))
	}
	if s.Minimum != nil {
		v.minimum(*s.Minimum, s.ExclusiveMinimum, x, v.inRange(holdsFloat(typed, format, *s.Minimum), typed, format, "Minimum boundary"))
	}
	if s.Maximum != nil {
		v.maximum(*s.Maximum, s.ExclusiveMaximum, x, v.inRange(holdsFloat(typed, format, *s.Maximum), typed, format, "Maximum boundary"))
	}
}

// inRange reports a number that the type and format can't hold. The API looks at
// limits so as well, and compares floats where they don't fit.
func (v *validator) inRange(fits bool, typed, format, what string) bool {
	if !fits && v.wrong() {
		with := "(default format)"
		if format != "" {
			with = "with format " + format
		}
		v.addPlaceless(what + " value must be of type " + typed + " " + with + " in " + v.path())
	}
	return fits
}

func holds(typed, format string, x any) bool {
	if f, ok := x.(float64); ok {
		return holdsFloat(typed, format, f)
	}
	n, _ := x.(int64)
	return typed != "integer" || format != "int32" || math.MinInt32 <= n && n <= math.MaxInt32
}

func holdsFloat(typed, format string, f float64) bool {
	switch {
	case typed == "integer":
		if f != math.Trunc(f) || !(-(1<<63) <= f && f < 1<<63) {
			return false
		}
		return format != "int32" || math.MinInt32 <= f && f <= math.MaxInt32
	case typed == "number" && format == "float":
		return math.Abs(f) < 0x1.ffffffp127 // what rounds to a float32
	}
	return true
}

func (v *validator) multipleOf(factor float64, x any, native bool) {
	n, isInt := x.(int64)
	if isInt && native {
		whole := int64(factor)
		switch {
		case whole <= 0:
			v.wrongFactor(whole)
		case n%whole != 0 && v.wrong():
			v.add(object.FieldValueInvalid, n, "%s in body should be a multiple of %v", whole)
		}
		return
	}
	f := asFloat(x)
	quotient := f / factor
	if factor < 1 {
		quotient = 1 / factor * f
	}
	switch {
	case factor <= 0:
		v.wrongFactor(factor)
	case !isWhole(quotient) && v.wrong():
		v.add(object.FieldValueInvalid, f, "%s in body should be a multiple of %v", factor)
	}
}

func (v *validator) wrongFactor(factor any) {
	if v.wrong() {
		v.add(object.FieldValueInvalid, factor, "factor MultipleOf declared for %s must be positive: %v", factor)
	}
}

func (v *validator) minimum(limit float64, exclusive bool, x any, native bool) {
	word := "greater than or equal to"
	if exclusive {
		word = "greater than"
	}
	if n, isInt := x.(int64); isInt && native {
		if least := int64(limit); (n < least || exclusive && n == least) && v.wrong() {
			v.add(object.FieldValueInvalid, n, "%s in body should be %s %v", word, least)
		}
		return
	}
	if f := asFloat(x); (f < limit || exclusive && f == limit) && v.wrong() {
		v.add(object.FieldValueInvalid, f, "%s in body should be %s %v", word, limit)
	}
}

func (v *validator) maximum(limit float64, exclusive bool, x any, native bool) {
	word := "less than or equal to"
	if exclusive {
		word = "less than"
	}
	if n, isInt := x.(int64); isInt && native {
		if most := int64(limit); (n > most || exclusive && n == most) && v.wrong() {
			v.add(object.FieldValueInvalid, n, "%s in body should be %s %v", word, most)
		}
		return
	}
	if f := asFloat(x); (f > limit || exclusive && f == limit) && v.wrong() {
		v.add(object.FieldValueInvalid, f, "%s in body should be %s %v", word, limit)
	}
}

func asFloat(x any) float64 {
	if n, ok := x.(int64); ok {
		return float64(n)
	}
	f, _ := x.(float64)
	return f
}
