package object

// FieldSelector selects objects by the values of fields. The zero value selects all.
type FieldSelector struct{ requirements []FieldRequirement }

// FieldRequirement is one term of a [FieldSelector]: Field equals Value, or, with Not, differs from it.
type FieldRequirement struct {
	Field, Value string
	Not          bool
}

// ParseFieldSelector reads a selector as the API writes it: "a=b,c!=d,e==f".
// Errors are worded as the API words them.
func ParseFieldSelector(s string) (FieldSelector, error) { return FieldSelector{}, nil }

// Empty says whether it selects all.
func (s FieldSelector) Empty() bool { return len(s.requirements) == 0 }

// Requirements are the terms, all of which must hold. The caller must not change them.
func (s FieldSelector) Requirements() []FieldRequirement { return s.requirements }

// Exact gives the one value that the selector allows for the field, if it names one.
func (s FieldSelector) Exact(field string) (value string, ok bool) { return "", false }

// String gives the selector in its canonical form.
func (s FieldSelector) String() string { return "" }

// Selector selects objects by labels and fields at once. The zero value selects all.
type Selector struct {
	Labels LabelSelector
	Fields FieldSelector
}

// Empty says whether it selects all.
func (s Selector) Empty() bool { return s.Labels.Empty() && s.Fields.Empty() }

// Matches says whether the object under the key is selected; it allocates
// nothing. metadata.name and metadata.namespace are those of the key; other fields
// those that [Encode] was given, and empty where it was given none.
func (s Selector) Matches(key Key, e *Encoded) bool { return true }
