package apply

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v4/value"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Overlay gives an object with all that a configuration of the same kind and version says,
// merged as [Merger.Apply] does but without any account of owners: nothing is removed. Of
// lists and maps that are owned as a whole the configuration may have none, since what it
// doesn't repeat would be lost. Both documents stay as they are, and the result shares nothing with them.
func (t *Type) Overlay(o, config object.Object) (object.Object, error) {
	if kind, other := o.GroupVersionKind(), config.GroupVersionKind(); kind != other {
		return nil, fmt.Errorf("patch (%v) and original object (%v) are not of the same gvk", other, kind)
	}
	patch, err := t.read(config)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if atomic := atomicPaths(patch); len(atomic) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s", strings.Join(atomic, ", "))
	}
	live, err := t.read(o, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := live.Merge(patch)
	if err != nil {
		return nil, fmt.Errorf("failed to merge patch: %w", err)
	}
	return untyped(merged).DeepCopy(), nil
}

// atomicPaths gives the places of all lists and maps in a value that are owned as a whole.
func atomicPaths(v *typed.TypedValue) []string {
	s := atomicSearch{schema: v.Schema()}
	s.look(v.TypeRef(), v.AsValue(), "")
	slices.Sort(s.found) // maps have no order
	return s.found
}

type atomicSearch struct {
	schema *smd.Schema
	found  []string
}

func (s *atomicSearch) look(of smd.TypeRef, v value.Value, path string) {
	atom, ok := s.schema.Resolve(of)
	if !ok {
		return
	}
	switch {
	case v.IsMap() && atom.Map != nil:
		if atom.Map.ElementRelationship == smd.Atomic {
			s.found = append(s.found, path)
		}
		v.AsMap().Iterate(func(key string, field value.Value) bool {
			if f, ok := atom.Map.FindField(key); ok {
				s.look(f.Type, field, path+fieldpath.PathElement{FieldName: &key}.String())
			}
			return true
		})
	case v.IsList() && atom.List != nil:
		if atom.List.ElementRelationship == smd.Atomic {
			s.found = append(s.found, path)
		}
		list := v.AsList()
		for i := range list.Length() {
			s.look(atom.List.ElementType, list.At(i), path+fieldpath.PathElement{Index: &i}.String())
		}
	}
}
