package schema

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// CheckOptions says how a schema is checked. The zero value is for a new definition
// without status subresource.
type CheckOptions struct {
	Status bool // the version has the status subresource
	Relaxed

	// DefaultRules, if set, checks a default by the rules of its schema. It is called
	// where nothing else is wrong with the default, in the API's order; field is the
	// path of the default, root tells the schema of the resource itself. If it
	// returns stop, as when a budget is used up, no further default is looked at.
	DefaultRules func(field string, s *Schema, root bool) (errs object.FieldErrors, stop bool)
}

// Relaxed are the checks that an update of a definition leaves out, because the old
// definition, from times of less strict checks, didn't pass them; see [Relax].
type Relaxed struct {
	AnyType             bool // types that don't exist
	NonStructural       bool // all that [Schema.IsStructural] says
	UnprunedDefaults    bool // defaults with unknown fields
	NonAtomicSets       bool // lists of type set with items that are merged
	NullableListMapKeys bool // keys of lists that may be missing or null
}

// Relax gives the checks that are left out since some old schema doesn't pass them.
// The old definition's other checks are the caller's business: NonStructural, say,
// holds only for definitions without defaults and extensions.
func Relax(old ...*Schema) Relaxed {
	var r Relaxed
	for _, s := range old {
		if s == nil {
			continue
		}
		r.AnyType = r.AnyType || s.any(func(s *Schema) bool { return s.Type != "" && !isType(s.Type) })
		r.NonStructural = r.NonStructural || !s.IsStructural()
		r.UnprunedDefaults = r.UnprunedDefaults || s.hasUnprunedDefaults()
		r.NonAtomicSets = r.NonAtomicSets || s.any(func(s *Schema) bool {
			if s.ListType != "set" || s.Items == nil {
				return false
			}
			return s.Items.mergedList() || s.Items.mergedMap()
		})
		r.NullableListMapKeys = r.NullableListMapKeys || s.any(func(s *Schema) bool { return len(keyErrors(s, &trail{})) > 0 })
	}
	return r
}

// Report is what is wrong with a schema, in parts: who compiles its rules does so
// only if there is nothing in Structure, and only for those nodes at and below whose
// paths there is nothing in Nodes. The API lists the rules' errors after all others.
type Report struct {
	Root      object.FieldErrors // what may not stand at the root
	Structure object.FieldErrors // why the schema is not structural, or else what is wrong with its defaults
	Nodes     object.FieldErrors // what is wrong with single nodes
	other     object.FieldErrors // if nothing else is wrong
	unknown   bool               // whether nobody looked at the structure
}

// Errors gives all errors in the order of the API.
func (r *Report) Errors() object.FieldErrors {
	all := slices.Concat(r.Root, r.Structure, r.Nodes)
	if len(all) == 0 {
		return r.other
	}
	return all
}

// Structural says whether rules can be compiled at all.
func (r *Report) Structural() bool {
	return len(r.Structure) == 0 && len(r.other) == 0 && !r.unknown
}

// Clean says whether nothing is wrong with the node that has the path, nor with any
// node in it.
func (r *Report) Clean(field string) bool {
	return !slices.ContainsFunc(r.Nodes, func(e *object.FieldError) bool {
		rest, ok := strings.CutPrefix(e.Field, field)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// Check says what is wrong with the schema of a custom resource: with the schema
// itself, not with values. Field is its path in the definition, such as
// "spec.versions[0].schema.openAPIV3Schema". Rules are checked by their form only.
//
// Errors come in the API's words and order, except that the API goes through
// properties in no order where here it is that of their names.
func (s *Schema) Check(field string, o CheckOptions) Report {
	r := Report{unknown: o.NonStructural}
	if o.Status {
		r.Root = append(r.Root, s.statusErrors(field)...)
	}
	if s.Nullable {
		r.Root = append(r.Root, object.ForbiddenField(child(field, "nullable"), "nullable cannot be true at the root"))
	}
	var unsupported string
	if !o.NonStructural {
		if unsupported = s.unsupported(); unsupported == "" {
			r.Structure = s.structureErrors(field)
			if len(r.Structure) == 0 {
				r.Structure = s.defaultErrors(field, o)
			}
		}
	}
	c := nodeChecker{reporter: reporterAt(field), relaxed: o.Relaxed}
	c.node(s, nodePlace{root: true})
	r.Nodes = c.errs
	if unsupported != "" {
		r.other = object.FieldErrors{object.InvalidField(field, "", unsupported)}
	}
	return r
}

// IsStructural says whether a value's whole form is given outside of junctors.
func (s *Schema) IsStructural() bool {
	return s.unsupported() == "" && len(s.structureErrors("")) == 0
}

func isType(name string) bool {
	switch name {
	case "array", "boolean", "integer", "number", "object", "string":
		return true
	}
	return false
}

// any says whether something holds for the node or any other, wherever it stands.
func (s *Schema) any(is func(*Schema) bool) bool {
	if s == nil {
		return false
	}
	if is(s) {
		return true
	}
	in := func(t *Schema) bool { return t.any(is) }
	inProperty := func(p Property) bool { return p.Schema.any(is) }
	if in(s.Items) || in(s.Not) || in(s.Additional()) ||
		slices.ContainsFunc(s.AllOf, in) || slices.ContainsFunc(s.AnyOf, in) || slices.ContainsFunc(s.OneOf, in) ||
		slices.ContainsFunc(s.Properties, inProperty) {
		return true
	}
	o := s.odd
	if o == nil {
		return false
	}
	return slices.ContainsFunc(o.items, in) || slices.ContainsFunc(o.patternProperties, inProperty) ||
		slices.ContainsFunc(o.definitions, inProperty) ||
		o.additionalItems != nil && in(o.additionalItems.Schema) ||
		slices.ContainsFunc(o.dependencies, func(d dependency) bool { return in(d.schema) })
}

// unsupported names a field that no structural schema may have, in any node that the
// API would convert; empty if there is none.
func (s *Schema) unsupported() string {
	found := ""
	s.anyConverted(func(s *Schema) bool {
		found = s.odd.unsupported()
		return found != ""
	})
	return found
}

func (o *odd) unsupported() string {
	if o == nil {
		return ""
	}
	name := ""
	switch {
	case o.id != "":
		name = "id"
	case o.schema != "":
		name = "schema"
	case o.ref != nil && *o.ref != "":
		name = "$ref"
	case len(o.patternProperties) > 0:
		name = "patternProperties"
	case len(o.dependencies) > 0:
		name = "dependencies"
	case o.additionalItems != nil:
		name = "additionalItems"
	case len(o.definitions) > 0:
		name = "definitions"
	case o.preserveUnknownFalse:
		return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
	case len(o.items) > 0:
		return "OpenAPIV3Schema 'items' must be a schema, but is an array"
	default:
		return ""
	}
	return "OpenAPIV3Schema '" + name + "' is not supported"
}

// anyConverted is any for the nodes of a structural schema and of its junctors.
func (s *Schema) anyConverted(is func(*Schema) bool) bool {
	if s == nil {
		return false
	}
	if is(s) {
		return true
	}
	in := func(t *Schema) bool { return t.anyConverted(is) }
	return in(s.Items) || in(s.Not) || in(s.Additional()) ||
		slices.ContainsFunc(s.AllOf, in) || slices.ContainsFunc(s.AnyOf, in) || slices.ContainsFunc(s.OneOf, in) ||
		slices.ContainsFunc(s.Properties, func(p Property) bool { return in(p.Schema) })
}
