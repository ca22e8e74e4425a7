package definition

import (
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Validate says what is wrong with a definition that a client writes, formed by
// [Decode] and completed by [SetDefaults] and [Prepare], in the API's words and
// order. Old is nil on a create. On an update, some checks are left out that the old
// definition doesn't pass either. Names and other metadata are checked only against
// the spec; [object.ValidateMeta] and [object.ValidateMetaUpdate] come before this.
func (s *Shared) Validate(next, old object.Object) object.FieldErrors {
	doc, err := read(next, &s.pool)
	if err != nil {
		return object.FieldErrors{object.InternalField("spec", err)}
	}
	v := validator{language: &s.language, doc: doc, shape: arrange(doc), webhook: webhookRules{reviewVersion: true, anyCABundle: true}, needsSchema: true}
	if old == nil {
		v.objectName()
		v.spec()
	} else if before, err := read(old, &s.pool); err == nil {
		v.relax(before)
		v.spec()
		v.immutable()
	}
	v.add(nameErrors(doc.accepted, "status.acceptedNames")...)
	v.storedVersions()
	v.approval()
	if doc.preserve && (v.old == nil || !v.old.preserve) {
		v.invalid("spec.preserveUnknownFields", true,
			"cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
	return v.errs
}

// ValidateStatus is [Shared.Validate] for a write through the status subresource.
func ValidateStatus(next, _ object.Object) object.FieldErrors {
	return nameErrors(AcceptedNames(next), "status.acceptedNames")
}

// validator collects what is wrong with one definition.
type validator struct {
	language *expr.Language
	doc, old *document // old is nil on a create
	shape    shape
	errs     object.FieldErrors

	established bool // whether the old definition is
	needsSchema bool // whether each version must have one
	relaxed     schema.Relaxed
	webhook     webhookRules
	crowded     map[string]bool // versions that may keep too many selectable fields; "" for all of them
}

func (v *validator) add(errs ...*object.FieldError) { v.errs = append(v.errs, errs...) }

func (v *validator) invalid(field string, value any, detail string) {
	v.add(object.InvalidField(field, value, detail))
}

// relax finds out which checks the old definition doesn't pass.
func (v *validator) relax(old *document) {
	v.old = old
	v.established = IsTrue(old.o, "Established")
	var schemas []*schema.Schema
	v.needsSchema = true
	for _, version := range old.versions {
		schemas = append(schemas, version.schema)
		v.needsSchema = v.needsSchema && version.schema != nil
	}
	v.relaxed = schema.Relax(schemas...)
	v.webhook = old.conversion.relax(v.established)
	v.crowded = v.crowdedVersions(arrange(old))
}

// objectName checks that a definition is called what its names say.
func (v *validator) objectName() {
	want := v.doc.names.Plural + "." + v.doc.group
	for _, f := range []struct{ field, name string }{
		{"metadata.generateName", v.doc.o.GenerateName()},
		{"metadata.name", v.doc.o.Name()},
	} {
		if f.name != "" && f.name != want {
			v.invalid(f.field, f.name, `must be spec.names.plural+"."+spec.group`)
		}
	}
}

// immutable checks what an update may not change.
func (v *validator) immutable() {
	unchanged := func(field, next, old string) {
		if next != old {
			v.invalid(field, next, "field is immutable")
		}
	}
	if v.established {
		unchanged("spec.scope", v.doc.scope, v.old.scope)
		unchanged("spec.names.kind", v.doc.names.Kind, v.old.names.Kind)
	}
	unchanged("spec.group", v.doc.group, v.old.group)
	unchanged("spec.names.plural", v.doc.names.Plural, v.old.names.Plural)
}

// storedVersions checks that all versions in which objects may be stored are there.
func (v *validator) storedVersions() {
	const field = "status.storedVersions"
	stored := v.doc.storedVersions
	if len(stored) == 0 {
		v.invalid(field, stored, "must have at least one stored version")
		return
	}
	seen := map[string]bool{} // of versions with the same name, the API knows the first
	for _, version := range v.doc.versions {
		if version.storage && (seen[version.name] || !slices.Contains(stored, version.name)) {
			v.invalid(field, stored, "must have the storage version "+version.name)
		}
		seen[version.name] = true
	}
	for i, name := range stored {
		isThere := slices.ContainsFunc(v.doc.versions, func(version version) bool { return version.name == name })
		if !isThere && !slices.Contains(stored[i+1:], name) {
			v.invalid(fmt.Sprintf("%s[%d]", field, i), name, fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version,"+
				" and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", name))
		}
	}
}

// approval checks that a definition in a group of the community is an approved one,
// unless it has been none before.
func (v *validator) approval() {
	if !isCommunityGroup(v.doc.group) {
		return
	}
	const field = "metadata.annotations[" + approvalAnnotation + "]"
	state, message := approvalOf(v.doc.o)
	if v.old != nil {
		if before, _ := approvalOf(v.old.o); before == state {
			return
		}
	}
	switch state {
	case approvalInvalid:
		v.invalid(field, v.doc.o.Annotations()[approvalAnnotation], message)
	case approvalMissing:
		v.add(object.RequiredField(field, message))
	}
}
