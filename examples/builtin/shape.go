package builtin

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// shape is what JSON documents of a Go type look like, compiled from the type so
// that a document can be checked without a value of it.
type shape struct {
	form
	bits    int               // of an integer
	element *shape            // of a list, a map's values or behind a pointer
	fields  map[string]*field // of a struct
	sorted  []*field          // the same by their names, in which order documents have them
	always  int               // how many fields a struct shows even when they are empty
	layout  *layout           // of a struct, in protobuf

	ownMessage bool // in protobuf it is something else than its form is
}

// form is the sort of value that a shape takes.
type form uint8

const (
	unchecked form = iota // needs the type itself
	textForm
	boolForm
	intForm
	uintForm
	floatForm
	bytesForm
	timeForm
	microTimeForm
	intOrTextForm
	amountForm
	ownedFieldsForm
	listForm
	mapForm
	structForm
	pointerForm
)

// field is one member of a struct.
type field struct {
	*shape
	name    string
	slot    int  // which of the sorted fields of the struct it is
	omitted bool // when it is empty
}

// shapes compiles types; those that contain themselves find the shape under way.
type shapes map[reflect.Type]*shape

func (all shapes) of(t reflect.Type) *shape {
	if s, ok := all[t]; ok {
		return s
	}
	s := &shape{}
	all[t] = s
	all.compile(s, t)
	return s
}

func (all shapes) compile(s *shape, t reflect.Type) {
	if s.form = specialForm(t); s.form != unchecked || hasOwnJSON(t) {
		return
	}
	s.ownMessage = hasOwnMessage(t)
	switch kind := t.Kind(); kind {
	case reflect.String:
		s.form = textForm
	case reflect.Bool:
		s.form = boolForm
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.form, s.bits = intForm, t.Bits()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.form, s.bits = uintForm, t.Bits()
	case reflect.Float64:
		s.form = floatForm
	case reflect.Pointer:
		s.form, s.element = pointerForm, all.of(t.Elem())
	case reflect.Map:
		if t.Key().Kind() == reflect.String && !hasOwnJSON(t.Key()) {
			s.form, s.element = mapForm, all.of(t.Elem())
		}
	case reflect.Slice:
		switch {
		case t.Elem() == reflect.TypeFor[byte]():
			s.form = bytesForm
		case t.Elem().Kind() != reflect.Uint8:
			s.form, s.element = listForm, all.of(t.Elem())
		}
	case reflect.Struct:
		s.fields, s.layout = map[string]*field{}, &layout{}
		if all.addFields(s, s.layout, t) {
			s.form = structForm
			s.sortFields()
		}
	}
}

// specialForm gives the forms of the types that write themselves in a way that can
// be checked.
func specialForm(t reflect.Type) form {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return timeForm
	case reflect.TypeFor[metav1.MicroTime]():
		return microTimeForm
	case reflect.TypeFor[metav1.FieldsV1]():
		return ownedFieldsForm
	case reflect.TypeFor[intstr.IntOrString]():
		return intOrTextForm
	case reflect.TypeFor[resource.Quantity]():
		return amountForm
	}
	return unchecked
}

// hasOwnJSON says whether a type reads or writes itself.
func hasOwnJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	for _, own := range [...]reflect.Type{
		reflect.TypeFor[json.Marshaler](),
		reflect.TypeFor[json.Unmarshaler](),
		reflect.TypeFor[encoding.TextMarshaler](),
		reflect.TypeFor[encoding.TextUnmarshaler](),
		reflect.TypeFor[interface{ ToUnstructured() any }](),
	} {
		if p.Implements(own) {
			return true
		}
	}
	return false
}

// addFields adds the members of a struct, those of embedded ones among them, and lays
// them out. It says false of one with anything out of the ordinary.
func (all shapes) addFields(s *shape, l *layout, t reflect.Type) bool {
	for f := range t.Fields() {
		tag, ok := f.Tag.Lookup("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct && !hasOwnJSON(f.Type) {
			part := &layout{}
			if !all.addFields(s, part, f.Type) {
				return false
			}
			if f.Type != reflect.TypeFor[metav1.TypeMeta]() { // which the envelope has
				l.addPart(f.Tag, part)
			}
			continue
		}
		if !ok || name == "" || s.fields[name] != nil || !f.IsExported() {
			return false
		}
		member, ok := all.field(f.Type, options)
		if !ok {
			return false
		}
		member.name = name
		s.fields[name] = member
		l.add(f.Tag, member)
		if !member.omitted {
			s.always++
		}
	}
	l.finish()
	return true
}

func (s *shape) sortFields() {
	s.sorted = slices.SortedFunc(maps.Values(s.fields), func(a, b *field) int { return strings.Compare(a.name, b.name) })
	for i, f := range s.sorted {
		f.slot = i
	}
}

// find gives the field of a name, or nil. It is quick if that is not far behind the field
// in a slot.
func (s *shape) find(name []byte, slot int) *field {
	for _, f := range s.sorted[slot:] {
		if f.name == string(name) {
			return f
		}
	}
	return s.fields[string(name)]
}

// field compiles a member with what its tag says behind the name.
func (all shapes) field(t reflect.Type, options string) (f *field, ok bool) {
	f = &field{shape: all.of(t)}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			f.omitted = f.omitted || canBeEmpty(t.Kind())
		case "omitzero":
			if f.form != timeForm && f.form != microTimeForm {
				return nil, false
			}
			f.omitted = true
		default:
			return nil, false
		}
	}
	return f, true
}

// canBeEmpty says whether omitempty means anything for a kind.
func canBeEmpty(k reflect.Kind) bool { return k != reflect.Struct && k != reflect.Array }
