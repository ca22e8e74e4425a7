package builtin

import (
	"math"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// outline is where the values of a document are, by the members that its shape has. It
// is made in one walk over the JSON and makes no values of it but numbers.
type outline struct {
	jsonReader
	values []outlined // the first is none
	slots  []int32    // of each struct those of its fields: which value they have, or 0
}

// outlined is one value of a document.
type outlined struct {
	quoted
	number int64  // of a whole number or a boolean; the seconds of a time; where the slots of a struct begin
	nanos  int32  // of a time
	absent bool   // of a time: it is the zero one
	before int32  // the one in front of it in its list or map, or 0
	key    quoted // of a value of a map
}

// read outlines a document. It says false of one that is not as the shape has it, and of
// one that only the type itself can read.
func (o *outline) read(s *shape, document []byte) bool {
	if len(document) > math.MaxInt32 {
		return false
	}
	o.jsonReader = jsonReader{data: document}
	o.values, o.slots = append(o.values[:0], outlined{}), o.slots[:0]
	if _, ok := o.value(s); !ok {
		return false
	}
	o.skipSpace()
	return o.pos == len(o.data)
}

// member outlines the value of a field and gives the last one of a list or map. Null and
// what is empty is no value.
func (o *outline) member(s *shape) (at int32, ok bool) {
	if o.word("null") {
		return 0, s.form != unchecked
	}
	switch s.form {
	case listForm:
		return o.list(s.element)
	case mapForm:
		return o.mapOf(s.element)
	case pointerForm:
		return o.value(s.element)
	}
	return o.value(s)
}

func (o *outline) list(element *shape) (at int32, ok bool) {
	for i, more := 0, o.enter('['); more; i++ {
		if i == 0 && o.leave(']') {
			return 0, true
		}
		next, ok := o.value(element)
		if !ok {
			return 0, false
		}
		o.values[next].before, at = at, next
		if o.leave(']') {
			return at, true
		}
		more = o.take(',')
	}
	return 0, false
}

// mapOf outlines a map whose keys are in order, as they are when they come out of a store
// and as protobuf has them.
func (o *outline) mapOf(element *shape) (at int32, ok bool) {
	for i, more := 0, o.enter('{'); more; i++ {
		if i == 0 && o.leave('}') {
			return 0, true
		}
		key, ok := o.name()
		if !ok || at != 0 && !o.less(o.values[at].key, key) {
			return 0, false
		}
		next, ok := o.value(element)
		if !ok {
			return 0, false
		}
		o.values[next].before, o.values[next].key, at = at, key, next
		if o.leave('}') {
			return at, true
		}
		more = o.take(',')
	}
	return 0, false
}

func (o *outline) structOf(s *shape) bool {
	first := len(o.slots)
	o.slots = append(o.slots, make([]int32, len(s.fields))...)
	next := 0 // slot, as far as names come in order
	for i, more := 0, o.enter('{') && !s.layout.unknown; more; i++ {
		if i == 0 && o.leave('}') {
			return true
		}
		name, ok := o.name()
		if !ok {
			return false
		}
		f := s.find(o.bytes(name), next)
		if f == nil || o.slots[first+f.slot] != 0 {
			return false
		}
		at, ok := o.member(f.shape)
		if !ok {
			return false
		}
		o.slots[first+f.slot] = at
		next = f.slot
		if o.leave('}') {
			return true
		}
		more = o.take(',')
	}
	return false
}

// value outlines a value that is not null, no list and no map.
func (o *outline) value(s *shape) (at int32, ok bool) {
	at = int32(len(o.values))
	o.values = append(o.values, outlined{})
	v := &o.values[at]
	switch o.skipSpace(); s.form {
	case structForm:
		v.number = int64(len(o.slots))
		ok = o.structOf(s)
	case textForm:
		v.quoted, ok = o.textOf()
	case boolForm:
		v.number, ok = o.boolean()
	case intForm:
		v.number, ok = o.integer()
		ok = ok && v.number>>(s.bits-1) == v.number>>63
	case uintForm:
		ok = o.at() != '-'
		if ok {
			v.number, ok = o.integer()
			ok = ok && (s.bits == 64 || v.number>>s.bits == 0)
		}
	case bytesForm:
		v.quoted, ok = o.plainText()
		ok = ok && isBase64(o.bytes(v.quoted))
	case amountForm:
		v.quoted, ok = o.plainText()
		ok = ok && (isPlainAmount(string(o.bytes(v.quoted))) || isAmount(string(o.bytes(v.quoted))))
	case intOrTextForm:
		if o.at() == '"' {
			v.quoted, ok = o.textOf()
			break
		}
		v.number, ok = o.integer()
		ok = ok && v.number == int64(int32(v.number))
	case timeForm:
		ok = o.time(v, time.RFC3339, time.Second)
	case microTimeForm:
		ok = o.time(v, metav1.RFC3339Micro, time.Microsecond)
	case ownedFieldsForm:
		v.start = int32(o.pos)
		ok = o.fieldSet()
		v.end = int32(o.pos)
	}
	return at, ok
}

// time reads a time, to the precision that its messages have.
func (o *outline) time(v *outlined, layout string, precision time.Duration) bool {
	written, ok := o.plainText()
	if !ok {
		return false
	}
	t, err := time.Parse(layout, string(o.bytes(written)))
	v.number, v.nanos = t.Unix(), int32(time.Duration(t.Nanosecond()).Truncate(precision))
	v.absent = t.IsZero()
	return err == nil
}

// fieldSet reads over a set of owned fields, which is made of objects alone.
func (o *outline) fieldSet() bool {
	for i, more := 0, o.enter('{'); more; i++ {
		if i == 0 && o.leave('}') {
			return true
		}
		if _, ok := o.name(); !ok {
			return false
		}
		if o.skipSpace(); !o.fieldSet() {
			return false
		}
		if o.leave('}') {
			return true
		}
		more = o.take(',')
	}
	return false
}
