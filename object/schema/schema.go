package schema

import (
	"slices"
	"strings"
)

// Schema is one node of a schema: what a value must look like. The fields are those
// of JSONSchemaProps in apiextensions.k8s.io/v1, with the same meaning; an empty
// string, list or pointer stands for a field that is absent.
//
// A Schema must not be changed after [Parse] has made it.
type Schema struct {
	Type        string // object, array, string, integer, number, boolean; empty for any
	Format      string
	Title       string
	Description string

	Default      any // nil for none: a default of null is none
	Example      any // nil for none
	ExternalDocs *ExternalDocs

	Items                *Schema
	Properties           []Property // sorted by name
	AdditionalProperties *SchemaOrBool

	Required []string
	Enum     []any

	Maximum, Minimum, MultipleOf *float64
	MaxLength, MinLength         *int64
	MaxItems, MinItems           *int64
	MaxProperties, MinProperties *int64
	Pattern                      *Pattern

	AllOf, AnyOf, OneOf []*Schema
	Not                 *Schema

	ListType    string // atomic, set, map; empty for atomic
	ListMapKeys []string
	MapType     string // atomic, granular; empty for granular
	Rules       []Rule // x-kubernetes-validations

	ExclusiveMaximum      bool
	ExclusiveMinimum      bool
	UniqueItems           bool
	Nullable              bool
	PreserveUnknownFields bool
	EmbeddedResource      bool
	IntOrString           bool

	odd    *odd
	origin *origin // nil if it was derived from no Go type

	// What follows is computed once, from the fields above.
	textFormat    format
	formatIgnored bool // whether Format is none that the API checks for the type
	below         marks
}

// marks tell what occurs in a node or anywhere below, through properties, items and
// additional properties, so that whoever looks for it need not go there.
type marks uint8

const (
	hasDefaults marks = 1 << iota
	hasEmbedded
	hasUniqueLists // lists of type set or map
	hasRules
)

// HasRules says whether the node or any below has rules.
func (s *Schema) HasRules() bool { return s != nil && s.below&hasRules != 0 }

// HasDefaults says whether the node or any below has a default.
func (s *Schema) HasDefaults() bool { return s != nil && s.below&hasDefaults != 0 }

// derive computes what depends on the fields of the node and on the nodes below.
func (s *Schema) derive() {
	s.textFormat = unknownFormat
	if s.Format != "" {
		s.textFormat = formatNamed(s.Format)
		ofType := s.Type
		if s.IntOrString {
			ofType = ""
		}
		s.formatIgnored = !enforced(s.Format, ofType)
	}
	mark := func(on bool, m marks) {
		if on {
			s.below |= m
		}
	}
	mark(s.Default != nil, hasDefaults)
	mark(s.EmbeddedResource, hasEmbedded)
	mark(s.ListType == "set" || s.ListType == "map", hasUniqueLists)
	mark(len(s.Rules) > 0, hasRules)
	for _, p := range s.Properties {
		s.below |= p.Schema.below
	}
	if s.Items != nil {
		s.below |= s.Items.below
	}
	if a := s.Additional(); a != nil {
		s.below |= a.below
	}
}

// Property is a field of an object.
type Property struct {
	Name   string
	Schema *Schema
}

// SchemaOrBool says what the values of fields without a property of their own look
// like, or just whether there may be such fields.
type SchemaOrBool struct {
	Schema *Schema
	Allows bool // true if there is a schema
}

// ExternalDocs points to documentation elsewhere.
type ExternalDocs struct {
	Description, URL string
}

// Rule is one entry of x-kubernetes-validations.
type Rule struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            string // a cause's reason such as FieldValueInvalid; empty for that one
	FieldPath         string
	OptionalOldSelf   *bool
	emptyReason       bool // reason: "", which the API refuses
}

// odd holds what the API can decode but no structural schema may have. It is kept
// to be refused and to be written out again.
type odd struct {
	id, schema           string
	ref                  *string
	patternProperties    []Property
	dependencies         []dependency
	additionalItems      *SchemaOrBool
	definitions          []Property
	itemsList            bool      // whether items was a list of schemas
	items                []*Schema // that list
	preserveUnknownFalse bool      // x-kubernetes-preserve-unknown-fields: false
	emptyListType        bool      // x-kubernetes-list-type: ""
	emptyMapType         bool      // x-kubernetes-map-type: ""
}

// dependency is an entry of dependencies: a schema or a list of names.
type dependency struct {
	name   string
	schema *Schema
	fields []string
}

// Property gives the schema of a field that has a property of its own, or nil.
func (s *Schema) Property(name string) *Schema {
	if s == nil {
		return nil
	}
	return property(s.Properties, name)
}

func property(properties []Property, name string) *Schema {
	i, ok := slices.BinarySearchFunc(properties, name, func(p Property, name string) int {
		return strings.Compare(p.Name, name)
	})
	if !ok {
		return nil
	}
	return properties[i].Schema
}

// Field gives the schema of a field: that of its property, or else that of
// additional properties, or nil.
func (s *Schema) Field(name string) *Schema {
	if s == nil {
		return nil
	}
	if p := property(s.Properties, name); p != nil {
		return p
	}
	return s.Additional()
}

// Additional gives the schema of additional properties, or nil.
func (s *Schema) Additional() *Schema {
	if s == nil || s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}
