package definition

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// spec checks the spec, in the order of the API.
func (v *validator) spec() {
	v.group()
	v.scope()
	v.structural()
	for i := range v.shape.versions {
		v.version(&v.shape.versions[i], fmt.Sprintf("spec.versions[%d]", i))
	}
	v.versions()
	v.names()
	v.common()
	v.conversion()
}

func (v *validator) group() {
	const field = "spec.group"
	group := v.doc.group
	problems := object.ValidateSubdomainName(group, false)
	switch {
	case group == "":
		v.add(object.RequiredField(field, ""))
	case len(problems) > 0:
		v.invalid(field, group, strings.Join(problems, ","))
	case !strings.Contains(group, "."):
		v.invalid(field, group, "should be a domain with at least one dot")
	}
}

func (v *validator) scope() {
	switch v.doc.scope {
	case "Cluster", "Namespaced":
	case "":
		v.add(object.RequiredField("spec.scope", ""))
	default:
		v.add(object.UnsupportedField("spec.scope", v.doc.scope, "Cluster", "Namespaced"))
	}
}

// structural checks that there are schemas, and finds out whether those of an old
// definition may go on being not structural.
func (v *validator) structural() {
	for i, version := range v.doc.versions {
		field := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
		switch {
		case version.schema != nil:
		case v.needsSchema:
			v.add(object.RequiredField(field, ""))
		case !v.doc.preserve && version.served:
			v.add(object.RequiredField(field, "because otherwise all fields are pruned"))
		}
	}
	has := func(what func(*schema.Schema) bool) bool {
		return slices.ContainsFunc(v.doc.versions, func(version version) bool { return what(version.schema) })
	}
	defaults := has((*schema.Schema).HasDefaults)
	if defaults && v.doc.preserve {
		v.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")
	}
	if !v.doc.preserve || defaults || has((*schema.Schema).UsesExtensions) {
		v.relaxed.NonStructural = false
	}
}

// versions checks what concerns more than one version.
func (v *validator) versions() {
	const field = "spec.versions"
	stored := 0
	seen := map[string]bool{}
	for _, version := range v.doc.versions {
		if version.storage {
			stored++
		}
		seen[version.name] = true
	}
	if len(seen) < len(v.doc.versions) {
		v.invalid(field, v.shape.shown(), "must contain unique version names")
	}
	if stored != 1 {
		v.invalid(field, v.shape.shown(), "must have exactly one version marked as storage version")
	}
	if len(v.doc.versions) == 0 || v.doc.versions[0].name == "" {
		return
	}
	// The API knows the first version by a field of an old form as well.
	first := v.doc.versions[0].name
	if problems := object.ValidateDNS1035Name(first, false); len(problems) > 0 {
		v.invalid("spec.version", first, strings.Join(problems, ","))
	}
}

func (v *validator) names() {
	n := v.doc.names
	for _, f := range []struct{ field, name string }{
		{"plural", n.Plural}, {"singular", n.Singular}, {"kind", n.Kind}, {"listKind", n.ListKind},
	} {
		if f.name == "" {
			v.add(object.RequiredField("spec.names."+f.field, ""))
		}
	}
	v.add(nameErrors(n, "spec.names")...)
}

// nameErrors says what is wrong with names that are given.
func nameErrors(n Names, field string) object.FieldErrors {
	var errs object.FieldErrors
	check := func(name, text, shown, before string) {
		if problems := object.ValidateDNS1035Name(text, false); len(problems) > 0 {
			errs = append(errs, object.InvalidField(field+"."+name, shown, before+strings.Join(problems, ",")))
		}
	}
	const mixed = "may have mixed case, but should otherwise match: "
	if n.Plural != "" {
		check("plural", n.Plural, n.Plural, "")
	}
	if n.Singular != "" {
		check("singular", n.Singular, n.Singular, "")
	}
	if n.Kind != "" {
		check("kind", strings.ToLower(n.Kind), n.Kind, mixed)
	}
	if n.ListKind != "" {
		check("listKind", strings.ToLower(n.ListKind), n.ListKind, mixed)
	}
	for i, name := range n.ShortNames {
		check(fmt.Sprintf("shortNames[%d]", i), name, name, "")
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		errs = append(errs, object.InvalidField(field+".listKind", n.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range n.Categories {
		check(fmt.Sprintf("categories[%d]", i), name, name, "")
	}
	return errs
}
