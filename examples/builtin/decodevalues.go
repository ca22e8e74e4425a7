package builtin

import (
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// number gives the value of a number that is written in the one way there is for it.
func (s *shape) number(n uint64) (v any, ok bool) {
	i := int64(n)
	switch s.form {
	case boolForm:
		return n != 0, n <= 1
	case uintForm:
		return i, i >= 0 && (s.bits == 64 || i>>s.bits == 0)
	}
	return i, i>>(s.bits-1) == i>>63
}

// timeText gives a time as documents have it; nil if there is none.
func timeText(content []byte, layout string, precision time.Duration) (v any, ok bool) {
	if len(content) == 0 {
		return nil, true
	}
	seconds, content, first := cutNumber(secondsTag, content)
	nanos, content, second := cutNumber(nanosTag, content)
	t := time.Unix(int64(seconds), 0).UTC()
	if !first || !second || len(content) > 0 || nanos >= uint64(time.Second) || t.Year() < 1 || t.Year() > 9999 || t.IsZero() {
		return nil, false
	}
	var buf [len(metav1.RFC3339Micro)]byte
	return string(t.Add(time.Duration(nanos).Truncate(precision)).AppendFormat(buf[:0], layout)), true
}

func (d *decoder) intOrText(content []byte) (v any, ok bool) {
	isText, content, first := cutNumber(isTextTag, content)
	n, content, second := cutNumber(numberTag, content)
	text, content, third := cutField(textTag, content)
	if !first || !second || !third || len(content) > 0 || !utf8.Valid(text) {
		return nil, false
	}
	switch isText {
	case 0:
		return int64(n), int64(n) == int64(int32(n))
	case 1:
		return d.text(text), int64(n) == int64(int32(n))
	}
	return nil, false
}

func (d *decoder) amount(content []byte) (v any, ok bool) {
	written, content, ok := cutField(contentTag, content)
	if !ok || len(content) > 0 {
		return nil, false
	}
	text := d.text(written)
	return text, isPlainAmount(text) || isAmount(text)
}

func (d *decoder) ownedFields(content []byte) (v any, ok bool) {
	set, content, ok := cutField(contentTag, content)
	if !ok || len(content) > 0 {
		return nil, false
	}
	r := jsonReader{data: set}
	m, ok := d.fieldSet(&r)
	return m, ok && r.pos == len(set)
}

// fieldSet reads a set of owned fields, which is made of objects alone.
func (d *decoder) fieldSet(r *jsonReader) (m map[string]any, ok bool) {
	m = map[string]any{}
	for i, more := 0, r.enter('{'); more; i++ {
		if i == 0 && r.leave('}') {
			return m, true
		}
		name, ok := r.name()
		if !ok {
			return nil, false
		}
		field := r.bytes(name)
		if name.escaped {
			d.unescaped = appendUnescaped(d.unescaped[:0], field)
			field = d.unescaped
		}
		key := d.text(field)
		if m[key], ok = d.fieldSet(r); !ok {
			return nil, false
		}
		if r.leave('}') {
			return m, true
		}
		more = r.take(',')
	}
	return nil, false
}
