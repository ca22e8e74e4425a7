package definition

import (
	"bytes"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// shape is a spec as the API works with it: what all versions have in common stands
// beside them and not in them. Its messages name fields by this shape.
type shape struct {
	common   version   // hasSchema, schema, subresources, columns and selectable only
	versions []version // without what is common
}

func arrange(d *document) shape {
	s := shape{versions: slices.Clone(d.versions)} // nil if they are
	if len(s.versions) == 0 {
		return s
	}
	first := s.versions[0]
	all := func(same func(v version) bool) bool {
		return !slices.ContainsFunc(s.versions, func(v version) bool { return !same(v) })
	}
	if all(func(v version) bool { return v.hasSchema == first.hasSchema && sameSchema(v.schema, first.schema) }) {
		s.common.hasSchema, s.common.schema = first.hasSchema, first.schema
		s.each(func(v *version) { v.hasSchema, v.schema = false, nil })
	}
	if all(func(v version) bool { return v.subresources.equal(first.subresources) }) {
		s.common.subresources = first.subresources
		s.each(func(v *version) { v.subresources = nil })
	}
	if all(func(v version) bool { return slices.Equal(v.columns, first.columns) }) {
		s.common.columns = first.columns
		s.each(func(v *version) { v.columns = nil })
	}
	if all(func(v version) bool { return slices.Equal(v.selectable, first.selectable) }) {
		s.common.selectable = first.selectable
		s.each(func(v *version) { v.selectable = nil })
	}
	return s
}

func (s *shape) each(change func(*version)) {
	for i := range s.versions {
		change(&s.versions[i])
	}
}

// sameSchema compares schemas of one pool, in which equal ones are one, except for
// those with fields that no structural schema has.
func sameSchema(a, b *schema.Schema) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return !a.IsStructural() && !b.IsStructural() && bytes.Equal(a.AppendJSON(nil), b.AppendJSON(nil))
}

func (s *subresources) equal(t *subresources) bool {
	if s == nil || t == nil {
		return s == t
	}
	return s.status == t.status && s.scale.equal(t.scale)
}

func (s *scale) equal(t *scale) bool {
	if s == nil || t == nil {
		return s == t
	}
	return s.spec == t.spec && s.status == t.status && (s.selector == nil) == (t.selector == nil) &&
		(s.selector == nil || *s.selector == *t.selector)
}

// hasStatus says whether status is a subresource of a version.
func (s *shape) hasStatus(name string) bool {
	if !slices.ContainsFunc(s.versions, func(v version) bool { return v.subresources != nil }) {
		return s.common.subresources.hasStatus()
	}
	for _, v := range s.versions {
		if v.name == name {
			return v.subresources.hasStatus()
		}
	}
	return false
}

func (s *shape) hasAnyStatus() bool {
	return s.common.subresources.hasStatus() ||
		slices.ContainsFunc(s.versions, func(v version) bool { return v.subresources.hasStatus() })
}

func (s *subresources) hasStatus() bool { return s != nil && s.status }

// shown is the versions as messages show them: the API writes its Go type there.
func (s *shape) shown() any {
	if s.versions == nil {
		return nil
	}
	all := make([]shownVersion, len(s.versions))
	for i, v := range s.versions {
		all[i] = v.shown()
	}
	return all
}

type shownVersion struct {
	Name                        string
	Served, Storage, Deprecated bool
	DeprecationWarning          *string
	Schema                      *shownSchema
	Subresources                *shownSubresources
	AdditionalPrinterColumns    []shownColumn
	SelectableFields            []shownField
}

type shownSchema struct{ OpenAPIV3Schema any }

type shownSubresources struct {
	Status *struct{}
	Scale  *shownScale
}

type shownScale struct {
	SpecReplicasPath, StatusReplicasPath string
	LabelSelectorPath                    *string
}

type shownColumn struct {
	Name, Type, Format, Description string
	Priority                        int64
	JSONPath                        string
}

type shownField struct{ JSONPath string }

func (v *version) shown() shownVersion {
	shown := shownVersion{
		Name: v.name, Served: v.served, Storage: v.storage, Deprecated: v.deprecated, DeprecationWarning: v.warning,
	}
	if v.hasSchema {
		shown.Schema = &shownSchema{v.schema.InGo()}
	}
	if s := v.subresources; s != nil {
		shown.Subresources = &shownSubresources{}
		if s.status {
			shown.Subresources.Status = &struct{}{}
		}
		if s.scale != nil {
			shown.Subresources.Scale = &shownScale{s.scale.spec, s.scale.status, s.scale.selector}
		}
	}
	for _, c := range v.columns {
		shown.AdditionalPrinterColumns = append(shown.AdditionalPrinterColumns,
			shownColumn{c.name, c.kind, c.format, c.description, c.priority, c.path})
	}
	for _, path := range v.selectable {
		shown.SelectableFields = append(shown.SelectableFields, shownField{path})
	}
	return shown
}
