package definition

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

const maxSelectableFields = 8

// version checks one version by what it has for itself.
func (v *validator) version(version *version, field string) {
	if problems := object.ValidateDNS1035Name(version.name, false); len(problems) > 0 {
		v.invalid(field+".name", version.name, strings.Join(problems, ","))
	}
	for _, problem := range deprecationProblems(version) {
		v.invalid(field+".deprecationWarning", *version.warning, problem)
	}
	v.schema(version.schema, field+".schema.openAPIV3Schema", v.shape.hasStatus(version.name), version.name)
	v.subresources(version.subresources, field+".subresources")
	v.columns(version.columns, field+".additionalPrinterColumns")
	switch {
	case len(version.selectable) == 0:
	case version.schema == nil:
		v.invalid(field+".selectableFields", "", "may only be set when `version.schema.openAPIV3Schema` is not included")
	default:
		v.selectableFields(version.selectable, version.schema, field, version.name)
	}
}

// common checks what all versions share.
func (v *validator) common() {
	c := &v.shape.common
	first := ""
	if len(v.doc.versions) > 0 {
		first = v.doc.versions[0].name
	}
	v.schema(c.schema, "spec.validation.openAPIV3Schema", v.shape.hasAnyStatus(), first)
	v.subresources(c.subresources, "spec.subresources")
	v.columns(c.columns, "spec.additionalPrinterColumns")
	switch {
	case len(c.selectable) == 0:
	case !c.hasSchema:
		v.invalid("spec.selectableFields", "", "may only be set when validations.schema is included")
	default:
		v.selectableFields(c.selectable, c.schema, "spec", "")
	}
}

func deprecationProblems(v *version) []string {
	switch {
	case v.warning == nil:
		return nil
	case !v.deprecated:
		return []string{"can only be set for deprecated versions"}
	}
	var problems []string
	if len(*v.warning) > 256 {
		problems = append(problems, "must be <= 256 characters long")
	}
	if *v.warning == "" {
		problems = append(problems, "must not be an empty string")
	}
	const printable = "must only contain printable UTF-8 characters"
	for i, r := range *v.warning {
		if !unicode.IsPrint(r) {
			problems = append(problems, fmt.Sprintf("%s; non-printable character found at index %d", printable, i))
			break
		}
	}
	if !utf8.ValidString(*v.warning) {
		problems = append(problems, printable)
	}
	return problems
}

func (v *validator) subresources(s *subresources, field string) {
	if s == nil || s.scale == nil {
		return
	}
	field += ".scale."
	v.replicasPath(field+"specReplicasPath", s.scale.spec, ".spec.", "should be a json path under .spec")
	v.replicasPath(field+"statusReplicasPath", s.scale.status, ".status.", "should be a json path under .status")
	if s.scale.selector == nil || *s.scale.selector == "" {
		return
	}
	path := *s.scale.selector
	switch {
	case path[0] != '.':
		v.invalid(field+"labelSelectorPath", path, notSimplePath)
	case !strings.HasPrefix(path, ".spec.") && !strings.HasPrefix(path, ".status."):
		v.invalid(field+"labelSelectorPath", path, "should be a json path under either .spec or .status")
	}
}

const notSimplePath = "must be a simple json path starting with ."

func (v *validator) replicasPath(field, path, prefix, elsewhere string) {
	switch {
	case path == "":
		v.add(object.RequiredField(field, ""))
	case path[0] != '.':
		v.invalid(field, path, notSimplePath)
	case !strings.HasPrefix(path, prefix):
		v.invalid(field, path, elsewhere)
	}
}

// columns checks columns of tables. Whether their paths can be read is no error, as
// in the API: see [Version.Columns].
func (v *validator) columns(columns []column, field string) {
	types := []string{"boolean", "date", "integer", "number", "string"}
	formats := []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
	for i, c := range columns {
		field := fmt.Sprintf("%s[%d].", field, i)
		if c.name == "" {
			v.add(object.RequiredField(field+"name", ""))
		}
		if c.kind == "" {
			v.add(object.RequiredField(field+"type", "must be one of "+strings.Join(types, ",")))
		} else if !slices.Contains(types, c.kind) {
			v.invalid(field+"type", c.kind, "must be one of "+strings.Join(types, ","))
		}
		if c.format != "" && !slices.Contains(formats, c.format) {
			v.invalid(field+"format", c.format, "must be one of "+strings.Join(formats, ","))
		}
		if c.path == "" {
			v.add(object.RequiredField(field+"JSONPath", ""))
		} else if c.path[0] != '.' {
			v.invalid(field+"JSONPath", c.path, notSimplePath)
		}
	}
}

// selectableFields checks the fields for selectors of a version; "" for all versions.
func (v *validator) selectableFields(paths []string, s *schema.Schema, field, version string) {
	if unsupported := s.Unsupported(); unsupported != "" {
		v.invalid(field+".schema.openAPIV3Schema", "", unsupported)
		s = nil
	}
	field += ".selectableFields"
	seen := map[string]bool{}
	for i, path := range paths {
		field := fmt.Sprintf("%s[%d].jsonPath", field, i)
		if path == "" {
			v.add(object.RequiredField(field, ""))
			continue
		}
		place, found, err := selectablePath(s, path)
		if err != nil {
			v.invalid(field, path, fmt.Sprintf("is an invalid path: %v", err))
			continue
		}
		if place == "metadata" || strings.HasPrefix(place, "metadata.") || strings.HasPrefix(place, "metadata[") {
			v.invalid(field, path, "must not point to fields in metadata")
		}
		switch found.Type {
		case "string", "boolean", "integer":
		default:
			v.invalid(field, path, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
		}
		if seen[place] {
			v.add(object.DuplicateField(field, path))
		}
		seen[place] = true
	}
	if len(seen) > maxSelectableFields && !v.crowded[version] {
		v.add(object.TooManyField(field, len(seen), maxSelectableFields))
	}
}

// selectablePath resolves the path of a selectable field, which has no brackets.
func selectablePath(s *schema.Schema, path string) (place string, found *schema.Schema, err error) {
	plain, _, bracket := strings.Cut(path, "[")
	place, found, err = s.FieldPath(plain)
	if err == nil && bracket {
		err = errArrayNotation
	}
	return place, found, err
}

// crowdedVersions are those with too many selectable fields already, if these stay.
func (v *validator) crowdedVersions(old shape) map[string]bool {
	crowded := map[string]bool{}
	keeps := func(name string, next, old []string) {
		if len(old) > maxSelectableFields && slices.Equal(next, old) {
			crowded[name] = true
		}
	}
	keeps("", v.shape.common.selectable, old.common.selectable)
	for _, next := range v.shape.versions {
		for _, before := range old.versions {
			if before.name == next.name {
				keeps(next.name, next.selectable, before.selectable)
			}
		}
	}
	return crowded
}
