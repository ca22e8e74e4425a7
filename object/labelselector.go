package object

// LabelSelector selects objects by their labels. The zero value selects all.
type LabelSelector struct{ requirements []labelRequirement }

type labelRequirement struct{}

// ParseLabelSelector reads a selector as the API writes it: "a=b,c!=d,e in (f,g),!h,i>5".
// Errors are worded as the API words them.
func ParseLabelSelector(s string) (LabelSelector, error) { return LabelSelector{}, nil }

// Empty says whether it selects all.
func (s LabelSelector) Empty() bool { return len(s.requirements) == 0 }

// String gives the selector in its canonical form.
func (s LabelSelector) String() string { return "" }

// Matches says whether an object with these labels is selected.
func (s LabelSelector) Matches(labels map[string]string) bool { return true }

// MatchesEncoded says whether the object is selected; it allocates nothing.
func (s LabelSelector) MatchesEncoded(e *Encoded) bool { return true }
