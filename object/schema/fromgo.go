package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// GoOptions says of Go types what their tags don't.
type GoOptions struct {
	// Types gives the schemas of types that are not what they look like, such as
	// quantities or int-or-string. A type that is not here and marshals itself counts
	// as a text if it marshals to one (encoding.TextMarshaler), else as anything.
	Types map[reflect.Type]*Schema
	// Lists says how updates merge lists, by struct type and name of the Go field,
	// where patchStrategy and patchMergeKey don't say so or say it wrong.
	Lists map[GoField]GoList
	// Atomic are the struct types and fields that updates replace as a whole.
	AtomicTypes  map[reflect.Type]bool
	AtomicFields map[GoField]bool
	// Describe, if set, gives the description of a field, or of a type if field is empty.
	Describe func(t reflect.Type, field string) string
}

// GoField names a field of a struct type.
type GoField struct {
	Type  reflect.Type
	Field string // in Go
}

// GoList is how updates merge a list.
type GoList struct {
	Type string   // atomic, set or map
	Keys []string // of the items of a map, by their names in JSON
}

// FromGo derives the schema of a Go type: objects of structs by their json tags,
// with the fields of embedded and inline structs as their own; maps and lists of
// their elements; pointers of what they point to. A field without omitempty and
// omitzero that is no pointer is required. The patch tags give lists their type: map
// for patchStrategy merge with a patchMergeKey, set without one.
//
// A type that contains itself is an object of unknown fields from its second level
// on. Types that JSON can't hold, such as functions, are an error.
func FromGo(t reflect.Type, o GoOptions) (*Schema, error) {
	p := &Pool{}
	p.begin()
	d := deriver{options: o, pool: p, done: map[reflect.Type]*Schema{}}
	s, err := d.schema(t)
	if err != nil {
		return nil, fmt.Errorf("deriving a schema of %s: %w", t, err)
	}
	return s, nil
}

type deriver struct {
	options GoOptions
	pool    *Pool
	done    map[reflect.Type]*Schema // nil for a type under way
}

func (d *deriver) schema(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Pointer {
		return d.schema(t.Elem())
	}
	if s, ok := d.options.Types[t]; ok {
		return s, nil
	}
	s, err := d.special(t)
	if s != nil || err != nil {
		return d.share(s), err
	}
	switch t.Kind() {
	case reflect.Struct:
		return d.structure(t)
	case reflect.Map:
		return d.mapping(t)
	case reflect.Slice, reflect.Array:
		return d.list(t)
	}
	if s = scalar(t.Kind()); s == nil {
		return nil, fmt.Errorf("%s has no form in JSON", t)
	}
	return d.share(s), nil
}

func (d *deriver) share(s *Schema) *Schema {
	if s == nil {
		return nil
	}
	return d.pool.share(s)
}

// special gives the schemas of types that say themselves how they marshal.
func (d *deriver) special(t reflect.Type) (*Schema, error) {
	implements := func(i reflect.Type) bool { return t.Implements(i) || reflect.PointerTo(t).Implements(i) }
	switch {
	case t.ConvertibleTo(reflect.TypeFor[time.Time]()), embedsOnly(t, reflect.TypeFor[time.Time]()):
		return &Schema{Type: "string", Format: "date-time"}, nil
	case embedsOnly(t, reflect.TypeFor[time.Duration]()):
		return &Schema{Type: "string"}, nil
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !implements(reflect.TypeFor[jsonMarshaler]()):
		return &Schema{Type: "string", Format: "byte"}, nil
	case t.Kind() == reflect.Interface, implements(reflect.TypeFor[jsonMarshaler]()):
		return &Schema{PreserveUnknownFields: true}, nil
	case implements(reflect.TypeFor[textMarshaler]()):
		return &Schema{Type: "string"}, nil
	}
	return nil, nil
}

type (
	jsonMarshaler interface{ MarshalJSON() ([]byte, error) }
	textMarshaler interface{ MarshalText() ([]byte, error) }
)

// embedsOnly says whether a struct consists of nothing but an embedded type.
func embedsOnly(t, embedded reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == embedded
}

func scalar(k reflect.Kind) *Schema {
	switch k {
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int32, reflect.Int16, reflect.Int8, reflect.Uint8, reflect.Uint16:
		return &Schema{Type: "integer", Format: "int32"}
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Uint, reflect.Uint64:
		return &Schema{Type: "integer", Format: "int64"}
	case reflect.Float32:
		return &Schema{Type: "number", Format: "float"}
	case reflect.Float64:
		return &Schema{Type: "number", Format: "double"}
	}
	return nil
}

func (d *deriver) mapping(t reflect.Type) (*Schema, error) {
	if k := t.Key(); k.Kind() != reflect.String && !k.Implements(reflect.TypeFor[textMarshaler]()) {
		return nil, fmt.Errorf("%s has keys that are no texts", t)
	}
	values, err := d.schema(t.Elem())
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	return d.share(&Schema{Type: "object", AdditionalProperties: &SchemaOrBool{Schema: values, Allows: true}}), nil
}

func (d *deriver) list(t reflect.Type) (*Schema, error) {
	items, err := d.schema(t.Elem())
	if err != nil {
		return nil, fmt.Errorf("items: %w", err)
	}
	return d.share(&Schema{Type: "array", Items: items}), nil
}

func (d *deriver) structure(t reflect.Type) (*Schema, error) {
	if s, ok := d.done[t]; ok {
		if s == nil { // within itself
			s = d.share(&Schema{Type: "object", PreserveUnknownFields: true})
		}
		return s, nil
	}
	d.done[t] = nil
	s := &Schema{Type: "object", Description: d.describe(t, "")}
	if d.options.AtomicTypes[t] {
		s.MapType = "atomic"
	}
	if err := d.fields(s, t); err != nil {
		return nil, err
	}
	sortProperties(s)
	s = d.share(s)
	d.done[t] = s
	return s, nil
}

func (d *deriver) describe(t reflect.Type, field string) string {
	if d.options.Describe == nil {
		return ""
	}
	return d.options.Describe(t, field)
}

// fields adds the fields of a struct to its schema, or to that of the struct that it
// is embedded in.
func (d *deriver) fields(s *Schema, t reflect.Type) error {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-":
			continue
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")) && isStruct(f.Type):
			if err := d.fields(s, indirect(f.Type)); err != nil {
				return err
			}
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		p, err := d.field(t, f)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		s.Properties = append(s.Properties, Property{name, p})
		if f.Type.Kind() != reflect.Pointer && !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return nil
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func isStruct(t reflect.Type) bool { return indirect(t).Kind() == reflect.Struct }

// field gives the schema of a field: that of its type, and how updates merge it.
func (d *deriver) field(t reflect.Type, f reflect.StructField) (*Schema, error) {
	s, err := d.schema(f.Type)
	if err != nil {
		return nil, err
	}
	own := *s
	if description := d.describe(t, f.Name); description != "" {
		own.Description = description
	}
	id := GoField{t, f.Name}
	if list := d.listOf(id, f); own.Type == "array" && list.Type != "" {
		own.ListType, own.ListMapKeys = list.Type, list.Keys
	}
	if d.options.AtomicFields[id] {
		switch own.Type {
		case "array":
			own.ListType, own.ListMapKeys = "atomic", nil
		case "object":
			own.MapType = "atomic"
		}
	}
	own.below = 0
	return d.share(&own), nil
}

func (d *deriver) listOf(id GoField, f reflect.StructField) GoList {
	if list, ok := d.options.Lists[id]; ok {
		return list
	}
	if !strings.Contains(f.Tag.Get("patchStrategy"), "merge") {
		return GoList{}
	}
	if key := f.Tag.Get("patchMergeKey"); key != "" {
		return GoList{Type: "map", Keys: []string{key}}
	}
	return GoList{Type: "set"}
}

// sortProperties puts properties in order. Of several with one name the first stays:
// a field hides that of an embedded struct that comes behind it.
func sortProperties(s *Schema) {
	slices.SortStableFunc(s.Properties, byName)
	s.Properties = slices.CompactFunc(s.Properties, func(a, b Property) bool { return a.Name == b.Name })
}
