package builtin

import (
	"encoding/base64"

	"google.golang.org/protobuf/encoding/protowire"
)

// encoder makes messages of documents: it outlines a document and writes the message
// from its end to its beginning, so that the length of whatever is written is known when
// its turn comes.
type encoder struct {
	outline
	backward
}

// appendMessage appends the message of a document. It says false if the type itself must
// do it.
func (e *encoder) appendMessage(dst []byte, s *shape, document []byte) (_ []byte, ok bool) {
	if s.form != structForm || s.layout.unknown || !e.read(s, document) {
		return dst, false
	}
	e.reset()
	e.writeStruct(s.layout, e.slots)
	return append(dst, e.written()...), true
}

// writeStruct writes the fields of a struct whose slots the first ones are.
func (e *encoder) writeStruct(l *layout, slots []int32) {
	for i := len(l.members) - 1; i >= 0; i-- {
		m := &l.members[i]
		if m.part != nil {
			end := e.size()
			e.writeStruct(m.part, slots)
			e.head(m.tag, e.size()-end)
			continue
		}
		at := slots[m.slot]
		if at == 0 {
			if len(m.empty) > 0 {
				e.prepend(m.empty)
			}
			continue
		}
		switch m.form {
		case listForm:
			e.writeList(m, at)
		case mapForm:
			e.writeMap(m, at)
		case pointerForm:
			e.write(m.tag, m.element, &e.values[at])
		default:
			e.write(m.tag, m.shape, &e.values[at])
		}
	}
}

// writeList writes the elements of a list, at being the last of them.
func (e *encoder) writeList(m *layoutMember, at int32) {
	for at != 0 {
		v := &e.values[at]
		e.write(m.tag, m.element, v)
		at = v.before
	}
}

// writeMap writes the members of a map, at being the last of them: each is a message of its
// key and its value.
func (e *encoder) writeMap(m *layoutMember, at int32) {
	valueTag := protowire.EncodeTag(2, m.element.wireType())
	for at != 0 {
		v := &e.values[at]
		end := e.size()
		e.write(valueTag, m.element, v)
		size := e.size()
		e.writeText(v.key)
		e.head(keyTag, e.size()-size)
		e.head(m.tag, e.size()-end)
		at = v.before
	}
}

// Tags of messages that are the same in all types.
const (
	keyTag     = 1<<3 | uint64(protowire.BytesType)  // of a member of a map
	contentTag = 1<<3 | uint64(protowire.BytesType)  // of amounts and sets of fields
	secondsTag = 1<<3 | uint64(protowire.VarintType) // of times
	nanosTag   = 2<<3 | uint64(protowire.VarintType)
	isTextTag  = 1<<3 | uint64(protowire.VarintType) // of what is a number or a text
	numberTag  = 2<<3 | uint64(protowire.VarintType)
	textTag    = 3<<3 | uint64(protowire.BytesType)
)

// write writes a field with a value that is no list and no map.
func (e *encoder) write(tag uint64, s *shape, v *outlined) {
	end := e.size()
	switch s.form {
	case boolForm, intForm, uintForm:
		e.varint(uint64(v.number))
		e.varint(tag)
		return
	case textForm:
		e.writeText(v.quoted)
	case bytesForm:
		e.writeBase64(v.quoted)
	case structForm:
		e.writeStruct(s.layout, e.slots[v.number:])
	case timeForm, microTimeForm:
		if !v.absent {
			e.varint(uint64(v.nanos))
			e.varint(nanosTag)
			e.varint(uint64(v.number))
			e.varint(secondsTag)
		}
	case amountForm, ownedFieldsForm:
		e.prepend(e.bytes(v.quoted))
		e.head(contentTag, e.size()-end)
	case intOrTextForm:
		e.writeText(v.quoted)
		e.head(textTag, e.size()-end)
		e.varint(uint64(v.number))
		e.varint(numberTag)
		isText := v.start > 0 // it stands behind a quote
		e.varint(protowire.EncodeBool(isText))
		e.varint(isTextTag)
	}
	e.head(tag, e.size()-end)
}

// head writes what is in front of a field of size bytes.
func (e *encoder) head(tag uint64, size int) {
	e.varint(uint64(size))
	e.varint(tag)
}

func (e *encoder) writeText(t quoted) {
	raw := e.bytes(t)
	if !t.escaped {
		e.prepend(raw)
		return
	}
	room := e.room(len(raw)) // which is never too little
	e.keep(room, len(appendUnescaped(room[:0], raw)))
}

func (e *encoder) writeBase64(t quoted) {
	raw := e.bytes(t)
	room := e.room(base64.StdEncoding.DecodedLen(len(raw)))
	n, _ := base64.StdEncoding.Decode(room, raw) // the outline has seen to it that it is some
	e.keep(room, n)
}
