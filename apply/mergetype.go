package apply

import (
	"slices"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v4/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v4/schema"
	"sigs.k8s.io/structured-merge-diff/v4/typed"
	"sigs.k8s.io/structured-merge-diff/v4/value"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Type is how objects of one version of a kind merge: which of their lists and maps
// are owned as a whole and which item by item. It is derived from a schema when it is
// first needed; any number of goroutines may use it.
type Type struct {
	source *schema.Schema
	once   sync.Once
	parsed typed.ParseableType
	free   *fieldpath.Set // fields that nobody owns
}

// NewType makes the type of objects of a schema. Without a schema each field of each
// map is owned on its own, and lists are owned as a whole.
func NewType(s *schema.Schema) *Type { return &Type{source: s} }

func (t *Type) parseable() typed.ParseableType {
	t.once.Do(func() {
		t.free = notOwned()
		if t.source == nil {
			t.parsed = typed.DeducedParseableType
			return
		}
		b := bridge{atoms: map[bridged]smd.Atom{}}
		t.parsed = typed.ParseableType{
			Schema:  &smd.Schema{Types: []smd.TypeDef{untypedType(), deducedType()}},
			TypeRef: smd.TypeRef{Inlined: b.atom(bridged{schema: t.source, resource: true})},
		}
	})
	return t.parsed
}

// owned leaves out of a set what nobody owns.
func (t *Type) owned(set fieldpath.VersionedSet) fieldpath.VersionedSet {
	t.parseable()
	return fieldpath.NewVersionedSet(set.Set().Difference(t.free), set.APIVersion(), set.Applied())
}

// read gives a document its type, and says where it doesn't have that type.
func (t *Type) read(o object.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	p := t.parseable()
	v, err := typed.AsTyped(value.NewValueInterface(map[string]any(o)), p.Schema, p.TypeRef, options...)
	if err != nil {
		return nil, reworded(err)
	}
	return v, nil
}

// untyped is what [Type.read] got, changed perhaps.
func untyped(v *typed.TypedValue) object.Object {
	m, _ := v.AsValue().Unstructured().(map[string]any)
	return m
}

// bridge derives merge types from schemas. Equal branches of a schema are one node,
// and become one atom.
type bridge struct {
	atoms    map[bridged]smd.Atom
	metadata smd.Atom
}

// bridged is a node of a schema in its place.
type bridged struct {
	schema   *schema.Schema
	keep     bool // whether something above keeps unknown fields
	resource bool // whether it is the root
}

func (b *bridge) atom(at bridged) smd.Atom {
	at.keep = at.keep || at.schema.PreserveUnknownFields
	at.resource = at.resource || at.schema.EmbeddedResource
	a, ok := b.atoms[at]
	if !ok {
		a = b.derive(at)
		b.atoms[at] = a
	}
	return a
}

func (b *bridge) derive(at bridged) smd.Atom {
	switch at.schema.Type {
	case "object":
		return smd.Atom{Map: b.mapping(at)}
	case "array":
		return smd.Atom{List: b.list(at)}
	case "integer", "number":
		return scalar(smd.Numeric)
	case "boolean":
		return scalar(smd.Boolean)
	case "string":
		if at.schema.Format == "" || at.schema.Format == "byte" {
			return scalar(smd.String)
		}
		return scalar(smd.Untyped)
	}
	a := scalar(smd.Untyped)
	a.List, a.Map = b.list(at), b.mapping(at)
	return a
}

func scalar(s smd.Scalar) smd.Atom { return smd.Atom{Scalar: &s} }

func (b *bridge) ref(s *schema.Schema, keep bool) smd.TypeRef {
	return smd.TypeRef{Inlined: b.atom(bridged{schema: s, keep: keep})}
}

func (b *bridge) mapping(at bridged) *smd.Map {
	m := &smd.Map{}
	for _, p := range at.schema.Properties {
		if at.resource && isMetaField(p.Name) {
			continue
		}
		m.Fields = append(m.Fields, smd.StructField{Name: p.Name, Type: b.ref(p.Schema, at.keep), Default: p.Schema.Default})
	}
	if at.resource {
		m.Fields = append(m.Fields, b.metaFields()...)
	}
	switch at.schema.MapType {
	case "atomic":
		m.ElementRelationship = smd.Atomic
	case "granular":
		m.ElementRelationship = smd.Separable
	}
	switch additional := at.schema.AdditionalProperties; {
	case additional == nil:
		if at.keep || len(m.Fields) == 0 {
			m.ElementType = named(deducedName)
		}
	case additional.Schema != nil:
		m.ElementType = b.ref(additional.Schema, at.keep)
	case additional.Allows:
		m.ElementType = named(deducedName)
	}
	return m
}

func (b *bridge) list(at bridged) *smd.List {
	list := &smd.List{ElementRelationship: smd.Atomic, ElementType: named(untypedName)}
	if at.schema.Items != nil {
		list.ElementType = b.ref(at.schema.Items, at.keep)
	}
	switch at.schema.ListType {
	case "set":
		list.ElementRelationship = smd.Associative
	case "map":
		list.ElementRelationship, list.Keys = smd.Associative, at.schema.ListMapKeys
		list.ElementType.Inlined.Map = withKeys(list.ElementType.Inlined.Map, at.schema.Items, list.Keys)
	}
	return list
}

// absentKey stands for a key that an item of a list lacks, as its default: the library
// wants all keys, the API one of them. It is of a type that no key has.
var absentKey = map[string]any(nil)

func isAbsentKey(v value.Value) bool { return v.IsMap() }

// withKeys gives the items of a list the keys that they may lack: those that a Go type
// always has, and any but the only one. Whether an item must have them is for its
// validation to say.
func withKeys(items *smd.Map, of *schema.Schema, keys []string) *smd.Map {
	if items == nil {
		return nil
	}
	with := &smd.Map{Fields: slices.Clone(items.Fields), ElementType: items.ElementType, ElementRelationship: items.ElementRelationship}
	for i := range with.Fields {
		f := &with.Fields[i]
		if f.Default != nil || !slices.Contains(keys, f.Name) {
			continue
		}
		if f.Default = of.Zero(f.Name); f.Default == nil && len(keys) > 1 {
			f.Default = absentKey
		}
	}
	return with
}

// The library knows these names: below them it doesn't look for lists and maps that
// became atomic.
const (
	untypedName = "__untyped_atomic_"
	deducedName = "__untyped_deduced_"
)

func named(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }

// untypedType is that of anything, owned as a whole.
func untypedType() smd.TypeDef { return anything(untypedName, untypedName, smd.Atomic) }

// deducedType is that of anything, maps owned by their fields.
func deducedType() smd.TypeDef { return anything(deducedName, deducedName, smd.Separable) }

func anything(name, fields string, relationship smd.ElementRelationship) smd.TypeDef {
	a := scalar(smd.Untyped)
	a.List = &smd.List{ElementType: named(untypedName), ElementRelationship: smd.Atomic}
	a.Map = &smd.Map{ElementType: named(fields), ElementRelationship: relationship}
	return smd.TypeDef{Name: name, Atom: a}
}
