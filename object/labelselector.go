package object

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// LabelSelector selects objects by their labels. The zero value selects all.
type LabelSelector struct{ requirements []labelRequirement }

// labelOperator relates a label to the values of a requirement, in the word that
// messages use for it.
type labelOperator string

const (
	labelIn           labelOperator = "in"
	labelNotIn        labelOperator = "notin"
	labelEquals       labelOperator = "="
	labelDoubleEquals labelOperator = "=="
	labelNotEquals    labelOperator = "!="
	labelGreater      labelOperator = "gt"
	labelLess         labelOperator = "lt"
	labelExists       labelOperator = "exists"
	labelAbsent       labelOperator = "!"
)

// labelRequirement is one term of a selector.
type labelRequirement struct {
	key      string
	operator labelOperator
	values   []string // sorted, each once; none for exists and !
	bound    int64    // the value of gt and lt
}

// LabelsEqual selects the objects that have all these labels. Nothing is checked.
func LabelsEqual(labels map[string]string) LabelSelector {
	var s LabelSelector
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		s.requirements = append(s.requirements, labelRequirement{
			key: key, operator: labelEquals, values: []string{labels[key]},
		})
	}
	return s
}

// Empty says whether it selects all.
func (s LabelSelector) Empty() bool { return len(s.requirements) == 0 }

// And selects what both select.
func (s LabelSelector) And(other LabelSelector) LabelSelector {
	return newLabelSelector(slices.Concat(s.requirements, other.requirements))
}

// newLabelSelector puts the requirements, which it keeps, in the order of their keys.
func newLabelSelector(requirements []labelRequirement) LabelSelector {
	slices.SortStableFunc(requirements, func(a, b labelRequirement) int { return strings.Compare(a.key, b.key) })
	return LabelSelector{requirements}
}

// String gives the selector in its canonical form, which parses to an equal one.
func (s LabelSelector) String() string {
	var text strings.Builder
	for i := range s.requirements {
		if i > 0 {
			text.WriteByte(',')
		}
		s.requirements[i].write(&text)
	}
	return text.String()
}

func (r *labelRequirement) write(text *strings.Builder) {
	values := strings.Join(r.values, ",")
	switch r.operator {
	case labelExists:
		text.WriteString(r.key)
	case labelAbsent:
		text.WriteString("!" + r.key)
	case labelIn, labelNotIn:
		text.WriteString(r.key + " " + string(r.operator) + " (" + values + ")")
	case labelGreater:
		text.WriteString(r.key + ">" + values)
	case labelLess:
		text.WriteString(r.key + "<" + values)
	default:
		text.WriteString(r.key + string(r.operator) + values)
	}
}

// Matches says whether an object with these labels is selected.
func (s LabelSelector) Matches(labels map[string]string) bool {
	for i := range s.requirements {
		r := &s.requirements[i]
		value, ok := labels[r.key]
		if !r.holds([]byte(value), ok) {
			return false
		}
	}
	return true
}

// MatchesEncoded says whether the object is selected; it allocates nothing.
func (s LabelSelector) MatchesEncoded(e *Encoded) bool {
	if len(s.requirements) == 0 {
		return true
	}
	pairs, n := e.labels()
	for i := range s.requirements {
		r := &s.requirements[i]
		value, ok := lookUp(pairs, n, r.key)
		if !r.holds(value, ok) {
			return false
		}
	}
	return true
}

// holds says whether the requirement allows the label to be there (ok) with the value, or to be absent.
func (r *labelRequirement) holds(value []byte, ok bool) bool {
	switch r.operator {
	case labelExists:
		return ok
	case labelAbsent:
		return !ok
	case labelNotIn, labelNotEquals:
		return !ok || !r.contains(value)
	case labelGreater:
		n, isNumber := parseLabelNumber(value)
		return isNumber && n > r.bound
	case labelLess:
		n, isNumber := parseLabelNumber(value)
		return isNumber && n < r.bound
	}
	return ok && r.contains(value)
}

func (r *labelRequirement) contains(value []byte) bool {
	for _, v := range r.values {
		if v == string(value) {
			return true
		}
	}
	return false
}

// parseLabelNumber reads a decimal int64. It is strconv.ParseInt without the
// error, which would cost allocations on every label that is no number.
func parseLabelNumber(text []byte) (n int64, ok bool) {
	digits := text
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		digits = text[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	limit := uint64(math.MaxInt64)
	if text[0] == '-' {
		limit++
	}
	var u uint64
	for _, c := range digits {
		if !isDigit(c) || u > limit/10 {
			return 0, false
		}
		if u = u*10 + uint64(c-'0'); u > limit {
			return 0, false
		}
	}
	if text[0] == '-' {
		return -int64(u), true
	}
	return int64(u), true
}
