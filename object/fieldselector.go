package object

import (
	"fmt"
	"slices"
	"strings"
)

// FieldSelector selects objects by the values of fields. The zero value selects all.
type FieldSelector struct{ requirements []FieldRequirement }

// FieldRequirement is one term of a [FieldSelector]: Field equals Value, or, with Not, differs from it.
type FieldRequirement struct {
	Field, Value string
	Not          bool
}

// FieldEquals selects the objects in which the field has the value.
func FieldEquals(field, value string) FieldSelector {
	return FieldSelector{[]FieldRequirement{{Field: field, Value: value}}}
}

// ParseFieldSelector reads a selector as the API writes it: "a=b,c!=d,e==f". A
// backslash keeps a comma, an equals sign or a backslash in a value from being
// read as syntax; spaces count. Errors are worded as the API words them.
func ParseFieldSelector(s string) (FieldSelector, error) {
	var requirements []FieldRequirement
	for _, term := range splitTerms(s) {
		if term == "" {
			continue
		}
		r, ok := parseTerm(term)
		if !ok {
			return FieldSelector{}, fmt.Errorf("invalid selector: '%s'; can't understand '%s'", s, term)
		}
		value, err := unescapeFieldValue(r.Value)
		if err != nil {
			return FieldSelector{}, err
		}
		r.Value = value
		// The API drops a term in which both sides are empty.
		if r.Field != "" || r.Value != "" {
			requirements = append(requirements, r)
		}
	}
	return FieldSelector{requirements}, nil
}

// splitTerms cuts at the commas that no backslash protects. The terms come sorted.
func splitTerms(s string) []string {
	var terms []string
	start := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ',':
			terms = append(terms, s[start:i])
			start = i + 1
		}
	}
	terms = append(terms, s[start:])
	slices.Sort(terms)
	return terms
}

// parseTerm cuts at the first operator. The value is still escaped.
func parseTerm(term string) (r FieldRequirement, ok bool) {
	for i := range len(term) {
		rest := term[i:]
		for _, operator := range []string{"!=", "==", "="} {
			if value, found := strings.CutPrefix(rest, operator); found {
				return FieldRequirement{Field: term[:i], Value: value, Not: operator == "!="}, true
			}
		}
	}
	return FieldRequirement{}, false
}

func unescapeFieldValue(s string) (string, error) {
	if !strings.ContainsAny(s, `\,=`) {
		return s, nil
	}
	var value strings.Builder
	escaped := false
	for _, c := range s {
		special := c == '\\' || c == ',' || c == '='
		switch {
		case escaped && !special:
			return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \%c`, c)
		case !escaped && c == '\\':
			escaped = true
			continue
		case !escaped && special:
			return "", fmt.Errorf("invalid field selector: unescaped character in value: %d", c)
		}
		value.WriteRune(c)
		escaped = false
	}
	if escaped {
		return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \`)
	}
	return value.String(), nil
}

// Empty says whether it selects all.
func (s FieldSelector) Empty() bool { return len(s.requirements) == 0 }

// Requirements are the terms, all of which must hold. The caller must not change them.
func (s FieldSelector) Requirements() []FieldRequirement { return s.requirements }

// Exact gives the one value that the selector allows for the field, if it names one.
func (s FieldSelector) Exact(field string) (value string, ok bool) {
	for _, r := range s.requirements {
		if r.Field == field && !r.Not {
			return r.Value, true
		}
	}
	return "", false
}

// String gives the selector in its canonical form, which parses to an equal one.
func (s FieldSelector) String() string {
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)
	terms := make([]string, len(s.requirements))
	for i, r := range s.requirements {
		operator := "="
		if r.Not {
			operator = "!="
		}
		terms[i] = r.Field + operator + escape.Replace(r.Value)
	}
	return strings.Join(terms, ",")
}

// Selector selects objects by labels and fields at once. The zero value selects all.
type Selector struct {
	Labels LabelSelector
	Fields FieldSelector

	// Read, if set, reads a field from the document of an object whose head lacks it, as
	// one does that was encoded before the field was selectable.
	Read func(e *Encoded, field string) string
}

// Empty says whether it selects all.
func (s Selector) Empty() bool { return s.Labels.Empty() && s.Fields.Empty() }

// Matches says whether the object under the key is selected; it allocates
// nothing. metadata.name and metadata.namespace are those of the key; other fields
// those that [Encode] was given, and empty where it was given none, unless there is
// Read. An object whose document is still to be read is then selected for the time being.
func (s Selector) Matches(key Key, e *Encoded) bool {
	for i := range s.Fields.requirements {
		r := &s.Fields.requirements[i]
		var equal bool
		switch r.Field {
		case "metadata.name":
			equal = key.Name == r.Value
		case "metadata.namespace":
			equal = key.Namespace == r.Value
		default:
			value, ok := e.Field(r.Field)
			switch {
			case ok || s.Read == nil:
				equal = string(value) == r.Value
			case e.Body == nil:
				continue
			default:
				equal = s.Read(e, r.Field) == r.Value
			}
		}
		if equal == r.Not {
			return false
		}
	}
	return s.Labels.MatchesEncoded(e)
}
