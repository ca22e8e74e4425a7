package builtin

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// layout is how a struct is laid out in protobuf, so that its messages can be written
// and read without a value of it.
type layout struct {
	members []layoutMember // in the order of their numbers, in which they are written
	empty   []byte         // the message of the empty struct
	unknown bool           // it is not known how the struct is written
}

// layoutMember is one field of a message: a member of the document, or a part. The
// members of a part are beside the others in JSON and in a message of their own in
// protobuf.
type layoutMember struct {
	*field         // nil of a part
	part   *layout // nil of a member
	number protowire.Number
	tag    uint64 // the number, and what sort of values follows
	empty  []byte // what is written when the document has no such member
}

// add lays out a member.
func (l *layout) add(tag reflect.StructTag, f *field) {
	number, ok := numberOf(tag)
	empty, known := f.emptyValue()
	if !ok || !known || f.ownMessage || f.element != nil && f.element.ownMessage {
		l.unknown = true
		return
	}
	m := layoutMember{field: f, number: number, tag: protowire.EncodeTag(number, f.wireType())}
	if empty != nil {
		m.empty = append(protowire.AppendVarint(nil, m.tag), empty...)
	}
	l.members = append(l.members, m)
}

// addPart lays out an embedded struct that is a message of its own.
func (l *layout) addPart(tag reflect.StructTag, part *layout) {
	number, ok := numberOf(tag)
	m := layoutMember{part: part, number: number, tag: protowire.EncodeTag(number, protowire.BytesType)}
	m.empty = protowire.AppendBytes(protowire.AppendVarint(nil, m.tag), part.empty)
	l.members = append(l.members, m)
	l.unknown = l.unknown || part.unknown || !ok
}

// finish puts the members in order when all are there.
func (l *layout) finish() {
	slices.SortFunc(l.members, func(a, b layoutMember) int { return cmp.Compare(a.number, b.number) })
	for i, m := range l.members {
		l.empty = append(l.empty, m.empty...)
		if i > 0 && l.members[i-1].number == m.number {
			l.unknown = true
		}
	}
}

// numberOf gives the number that the tag of a field has for protobuf.
func numberOf(tag reflect.StructTag) (n protowire.Number, ok bool) {
	_, rest, _ := strings.Cut(tag.Get("protobuf"), ",")
	digits, _, _ := strings.Cut(rest, ",")
	number, err := strconv.ParseInt(digits, 10, 32)
	n = protowire.Number(number)
	return n, err == nil && n.IsValid()
}

// selfWritten is what writes itself in protobuf.
type selfWritten interface{ Marshal() ([]byte, error) }

// hasOwnMessage says whether values of a type that is no struct are messages, as some
// lists are.
func hasOwnMessage(t reflect.Type) bool {
	return t.Kind() != reflect.Struct && reflect.PointerTo(t).Implements(reflect.TypeFor[selfWritten]())
}

// wireType is the sort of the values of a shape in a message. What the tags say of it
// is not always so.
func (s *shape) wireType() protowire.Type {
	switch s.form {
	case boolForm, intForm, uintForm:
		return protowire.VarintType
	case floatForm:
		return protowire.Fixed64Type
	case pointerForm, listForm:
		return s.element.wireType()
	}
	return protowire.BytesType
}

// emptyValue gives the empty value of a shape as it stands behind a tag; nil, if it is
// not written at all. It says false where that is not known.
func (s *shape) emptyValue() (value []byte, ok bool) {
	switch s.form {
	case pointerForm, listForm, mapForm, bytesForm:
		return nil, true
	case textForm, boolForm, intForm, uintForm, timeForm, microTimeForm:
		return []byte{0}, true
	case amountForm:
		return []byte("\x03\x0a\x010"), true
	case intOrTextForm:
		return []byte("\x06\x08\x00\x10\x00\x1a\x00"), true
	case structForm:
		return protowire.AppendBytes(nil, s.layout.empty), !s.layout.unknown
	}
	return nil, false
}
