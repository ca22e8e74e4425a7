package apply

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Scale keeps the owners of a field of an object and those of spec.replicas in its
// scale in step: a Scale is an object of its own, of which this field is all that is stored.
type Scale struct {
	// Replicas gives the dotted path of the field in a version of the object's kind,
	// "" for a version whose objects have no scale, and false for one that does not exist.
	Replicas func(apiVersion string) (path string, ok bool)
	// APIVersion is that of the object to which the scale is served.
	APIVersion string
}

const scaleVersion = "autoscaling/v1"

// Show gives managedFields of the scale of an object, nil for none: the owners of
// the field. It fails if those of the object are malformed.
func (s Scale) Show(o object.Object) ([]any, error) {
	all, err := decodeOwners(managedFieldsOf(o))
	if err != nil {
		return nil, fmt.Errorf("owners of fields of %s: %w", o, err)
	}
	shown := owners{}
	for _, owner := range all {
		if path, ok := s.path(owner); ok && path != nil && owner.fields.Has(path) {
			of := *owner
			of.apiVersion, of.fields, of.text = scaleVersion, dotted("spec.replicas"), nil
			shown[of.id()] = &of
		}
	}
	return shown.encode(), nil
}

// Store gives managedFields of an object, nil for none, when its scale has these: who
// lost the field there has lost it, and who has it there gets it. It fails if any
// of both are malformed.
func (s Scale) Store(o object.Object, scale []any) ([]any, error) {
	all, err := decodeOwners(managedFieldsOf(o))
	if err != nil {
		return nil, fmt.Errorf("owners of fields of %s: %w", o, err)
	}
	after, err := decodeOwners(scale)
	if err != nil {
		return nil, fmt.Errorf("owners of fields of the scale of %s: %w", o, err)
	}
	stored := owners{}
	for id, owner := range all {
		path, ok := s.path(owner)
		if !ok {
			continue // the version is gone
		}
		if path != nil && owner.fields.Has(path) {
			inScale := *owner
			inScale.apiVersion = scaleVersion
			if _, kept := after[inScale.id()]; kept {
				delete(after, inScale.id())
			} else {
				owner.change(owner.fields.Difference(fieldpath.NewSet(path)), owner.apiVersion)
			}
		}
		if !owner.fields.Empty() {
			stored[id] = owner
		}
	}
	path, _ := s.Replicas(s.APIVersion)
	for _, owner := range after {
		if path == "" || !owner.fields.Has(fieldPath("spec.replicas")) {
			continue
		}
		own := *owner
		own.apiVersion, own.fields, own.text, own.time = s.APIVersion, dotted(path), nil, ""
		if before, ok := all[own.id()]; ok { // as in the API, a new one has no time
			own.time = before.time
			own.fields = own.fields.Union(before.fields)
		}
		stored[own.id()] = &own
	}
	return stored.encode(), nil
}

// path gives that of the field in the version of an owner, nil if it has none.
func (s Scale) path(o *owner) (fieldpath.Path, bool) {
	path, ok := s.Replicas(o.apiVersion)
	if !ok || path == "" {
		return nil, ok
	}
	return fieldPath(path), true
}
