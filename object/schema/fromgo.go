package schema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
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
	// Atomic are the struct types and fields that updates replace as a whole. A field
	// with the value false is merged field by field, though its type is atomic.
	AtomicTypes  map[reflect.Type]bool
	AtomicFields map[GoField]bool
	// Defaults are those of fields, as documents have them.
	Defaults map[GoField]any
	// Name, if set, gives the name under which documents of OpenAPI refer to the schema
	// of a type, such as "io.k8s.api.core.v1.Pod"; "" for a schema that they repeat.
	Name func(t reflect.Type) string
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
func FromGo(t reflect.Type, o GoOptions) (*Schema, error) { return NewDeriver(o).Schema(t) }

// Deriver derives schemas of Go types that share what they have in common. It keeps
// them. Any number of goroutines may use it.
type Deriver struct {
	mu      sync.Mutex
	deriver deriver
}

// NewDeriver makes a deriver for types of which o tells more.
func NewDeriver(o GoOptions) *Deriver {
	p := &Pool{}
	p.begin()
	return &Deriver{deriver: deriver{options: o, pool: p, done: map[reflect.Type]*derived{}}}
}

// Schema is [FromGo] with the options of the deriver.
func (d *Deriver) Schema(t reflect.Type) (*Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, err := d.deriver.schema(t)
	if err != nil {
		return nil, fmt.Errorf("deriving a schema of %s: %w", t, err)
	}
	return s, nil
}

type deriver struct {
	options GoOptions
	pool    *Pool
	done    map[reflect.Type]*derived
}

// derived is the schema of a struct or of another type that has a name.
type derived struct {
	schema *Schema // nil while it is under way
	origin *origin // nil for a type without a name
}

// begin makes the place for the schema of a type.
func (d *deriver) begin(t reflect.Type) *derived {
	entry := &derived{}
	if d.options.Name != nil {
		if name := d.options.Name(t); name != "" {
			entry.origin = &origin{component: &component{name: name}}
		}
	}
	d.done[t] = entry
	return entry
}

// finish shares the schema and puts it into its place.
func (d *deriver) finish(entry *derived, s *Schema) *Schema {
	s.origin = entry.origin
	entry.schema = d.share(s)
	if s.origin != nil {
		s.origin.component.schema = entry.schema
	}
	return entry.schema
}

func (d *deriver) schema(t reflect.Type) (*Schema, error) {
	if t.Kind() == reflect.Pointer {
		return d.schema(t.Elem())
	}
	if s, ok := d.options.Types[t]; ok {
		return d.given(t, s), nil
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

// given names a schema that the options have.
func (d *deriver) given(t reflect.Type, s *Schema) *Schema {
	if entry, ok := d.done[t]; ok {
		return entry.schema
	}
	own := *s
	own.below = 0
	return d.finish(d.begin(t), &own)
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
	if entry, ok := d.done[t]; ok {
		if entry.schema == nil { // within itself
			return d.share(&Schema{Type: "object", PreserveUnknownFields: true, origin: entry.origin}), nil
		}
		return entry.schema, nil
	}
	entry := d.begin(t)
	s := &Schema{Type: "object", Description: d.describe(t, "")}
	if d.options.AtomicTypes[t] {
		s.MapType = "atomic"
	}
	if err := d.fields(s, t); err != nil {
		delete(d.done, t)
		return nil, err
	}
	sortProperties(s)
	return d.finish(entry, s), nil
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
	if v, ok := d.options.Defaults[id]; ok {
		own.Default = v
	}
	own.origin = s.origin.tagged(f.Tag)
	if atomic, ok := d.options.AtomicFields[id]; ok {
		switch {
		case own.Type == "object" && !atomic:
			own.MapType = "granular"
		case own.Type == "object":
			own.MapType = "atomic"
		case own.Type == "array" && atomic:
			own.ListType, own.ListMapKeys = "atomic", nil
		}
	}
	own.below = 0
	return d.share(&own), nil
}

// tagged is the origin of a field of the type.
func (o *origin) tagged(tag reflect.StructTag) *origin {
	strategy := tag.Get("patchStrategy")
	if strategy == "" {
		return o
	}
	own := &origin{patchStrategy: strategy, patchMergeKey: tag.Get("patchMergeKey")}
	if o != nil {
		own.component = o.component
	}
	return own
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
