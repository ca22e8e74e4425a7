package apply

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	smd "sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Overlay gives the object that a configuration makes of a live one without regard to
// owners: fields are set and items of lists are merged, and nothing is removed. This is what a
// policy that mutates may do: a configuration that sets a list or a map that is owned as a
// whole is refused. Both are of the version of m.Kind; owners are not looked at and stay.
// Failures have no reason.
func (m *Merger) Overlay(live, config object.Object) (object.Object, error) {
	t := m.Type(m.apiVersion())
	if t == nil {
		return nil, fmt.Errorf("%s %s: %w", m.Kind.Kind, m.apiVersion(), errNoVersion)
	}
	over, err := t.read(config)
	if err != nil {
		return nil, fmt.Errorf("failed to convert patch object to typed object: %w", err)
	}
	if paths := t.wholesIn(config); len(paths) > 0 {
		return nil, fmt.Errorf("invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: %s", strings.Join(paths, ", "))
	}
	under, err := t.read(withoutOwners(live), typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert original object to typed object: %w", err)
	}
	merged, err := under.Merge(over)
	if err != nil {
		return nil, fmt.Errorf("failed to merge: %w", err)
	}
	next := untyped(merged).DeepCopy()
	if owners, ok := live.Metadata()["managedFields"]; ok {
		next.EnsureMetadata()["managedFields"] = clone(owners)
	}
	return next, nil
}

// wholesIn gives the paths of what a document sets and is owned as a whole.
func (t *Type) wholesIn(o object.Object) []string {
	p := t.parseable()
	s := wholes{schema: p.Schema}
	s.look("", p.TypeRef, map[string]any(o))
	return s.found
}

type wholes struct {
	schema *smd.Schema
	found  []string
}

func (s *wholes) look(path string, ref smd.TypeRef, v any) {
	atom, ok := s.schema.Resolve(ref)
	if !ok {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		if atom.Map != nil {
			s.lookInMap(path, atom.Map, v)
		}
	case []any:
		if atom.List != nil {
			s.lookInList(path, atom.List, v)
		}
	}
}

func (s *wholes) lookInMap(path string, m *smd.Map, v map[string]any) {
	if m.ElementRelationship == smd.Atomic {
		s.found = append(s.found, path)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		ref := m.ElementType
		if f, ok := m.FindField(name); ok {
			ref = f.Type
		}
		s.look(path+"."+name, ref, v[name])
	}
}

func (s *wholes) lookInList(path string, l *smd.List, v []any) {
	if l.ElementRelationship == smd.Atomic {
		s.found = append(s.found, path)
		return
	}
	for i, item := range v {
		s.look(path+"["+strconv.Itoa(i)+"]", l.ElementType, item)
	}
}

// CheckOwners says what is wrong with the managedFields of an object, if anybody could have
// written them but this package.
func CheckOwners(o object.Object) error {
	_, err := decodeOwners(managedFieldsOf(o))
	return err
}
