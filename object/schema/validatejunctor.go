package schema

import (
	"slices"
	"strconv"
)

// junctors checks a value by what combines schemas. What is within them knows no old
// value: parts that an update leaves alone are found through properties only.
func (v *validator) junctors(s *Schema, x any) (matches int) {
	matches = 1
	if len(s.AnyOf) > 0 {
		matches += v.anyOf(s.AnyOf, x)
	}
	if len(s.OneOf) > 0 {
		matches += v.oneOf(s.OneOf, x)
	}
	if len(s.AllOf) > 0 {
		matches += v.allOf(s.AllOf, x)
	}
	if s.Not != nil {
		before := v.count
		v.value(s.Not, x, nil)
		valid := v.count == before
		v.drop(before)
		if valid && v.wrong() {
			v.addPlaceless(strconv.Quote(v.path()) + " must not validate the schema (not)")
		}
	}
	return matches
}

// failure is what is wrong with a value by the alternative that fits it best: the
// one with most successful checks, the first of several.
type failure struct {
	found    bool
	matches  int
	problems []problem
}

// alternative checks a value by one of several schemas.
func (v *validator) alternative(s *Schema, x any, best *failure) (valid bool, matches int) {
	before := v.count
	matches = v.value(s, x, nil)
	valid = v.count == before
	if !valid && (!best.found || matches > best.matches) {
		*best = failure{found: true, matches: matches}
		if v.loud {
			best.problems = slices.Clone(v.problems[before:])
		}
	}
	v.drop(before)
	return valid, matches
}

func (v *validator) anyOf(schemas []*Schema, x any) (matches int) {
	var best failure
	for _, s := range schemas {
		if valid, matches := v.alternative(s, x, &best); valid {
			return matches
		}
	}
	if v.wrong() {
		v.addPlaceless(strconv.Quote(v.path()) + " must validate at least one schema (anyOf)")
	}
	return v.blame(best)
}

func (v *validator) oneOf(schemas []*Schema, x any) (matches int) {
	var best failure
	valid := 0
	for _, s := range schemas {
		ok, n := v.alternative(s, x, &best)
		if !ok {
			continue
		}
		if valid++; valid == 1 {
			matches = n
		}
	}
	if valid == 1 {
		return matches
	}
	if v.wrong() {
		found := "Found none valid"
		if valid > 1 {
			found = "Found " + strconv.Itoa(valid) + " valid alternatives"
		}
		v.addPlaceless(strconv.Quote(v.path()) + " must validate one and only one schema (oneOf). " + found)
	}
	if valid > 1 {
		return 0
	}
	return v.blame(best)
}

// blame reports what is wrong by the best alternative.
func (v *validator) blame(best failure) (matches int) {
	v.count += max(1, len(best.problems))
	v.problems = append(v.problems, best.problems...)
	if v.loud {
		v.count = len(v.problems)
	}
	return best.matches
}

func (v *validator) allOf(schemas []*Schema, x any) (matches int) {
	valid := 0
	for _, s := range schemas {
		before := v.count
		matches += v.value(s, x, nil)
		if v.count == before {
			valid++
		}
	}
	if valid < len(schemas) && v.wrong() {
		none := ""
		if valid == 0 {
			none = ". None validated"
		}
		v.addPlaceless(strconv.Quote(v.path()) + " must validate all the schemas (allOf)" + none)
	}
	return matches
}
