package schema

import (
	"fmt"
	"slices"
)

// UnknownFormats lists the formats that the API checks for no value of their node's
// type, one for each node that has such, in the order of the names: it warns of them.
func (s *Schema) UnknownFormats() []string {
	var formats []string
	s.visit(func(s *Schema) {
		if s.Format != "" && !enforced(s.Format, s.Type) {
			formats = append(formats, s.Format)
		}
	})
	return formats
}

// SetWarnings lists what the API warns of in lists of type set, sorted.
func (s *Schema) SetWarnings() []string {
	var warnings []string
	s.visit(func(s *Schema) {
		if s.ListType == "set" && s.Items != nil && (s.Items.Type == "object" || s.Items.Type == "array") {
			warnings = append(warnings, fmt.Sprintf(
				"x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", s.Items.Type))
		}
	})
	slices.Sort(warnings)
	return slices.Compact(warnings)
}

// visit calls a function for the node and all others, wherever they stand.
func (s *Schema) visit(see func(*Schema)) {
	s.any(func(s *Schema) bool {
		see(s)
		return false
	})
}

// UsesExtensions says whether any node uses an extension for which the API insists
// on a structural schema.
func (s *Schema) UsesExtensions() bool {
	return s.any(func(s *Schema) bool {
		return s.EmbeddedResource || s.PreserveUnknownFields || s.odd != nil && s.odd.preserveUnknownFalse || s.IntOrString ||
			len(s.ListMapKeys) > 0 || s.hasListType() || len(s.Rules) > 0
	})
}

// Unsupported says which field of a node it is that a structural schema cannot even
// be made with, in the API's words; empty if there is none.
func (s *Schema) Unsupported() string {
	if s == nil {
		return ""
	}
	return s.unsupported()
}

// InGo gives a value whose JSON is that in which messages show the schema: the API
// writes its Go type there, whose fields have other names than the document's.
func (s *Schema) InGo() any {
	if s == nil {
		return nil
	}
	return s.inGo()
}
