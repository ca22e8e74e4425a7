package builtin

import (
	"encoding/base64"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// decoder makes documents of messages that are written as the types write them: fields
// in the order of their numbers, each once, and none that is unknown.
type decoder struct {
	texts     strings.Builder // what the short ones share
	unescaped []byte          // the text at hand, if it has escapes
	depth     int
}

// document makes the document of a message. It says false if the type itself must do it.
func (d *decoder) document(s *shape, message []byte) (m map[string]any, ok bool) {
	if s.form != structForm {
		return nil, false
	}
	return d.structOf(s, message)
}

func (d *decoder) structOf(s *shape, message []byte) (m map[string]any, ok bool) {
	if s.layout.unknown || d.depth == deepest {
		return nil, false
	}
	d.depth++
	m = make(map[string]any, min(roomFor(message), len(s.fields)))
	always, ok := d.fields(m, s.layout, message)
	d.depth--
	return m, ok && (always == s.always || s.showEmpty(m))
}

// roomFor guesses how many members the document of a message shows.
func roomFor(message []byte) (n int) {
	for last := uint64(0); len(message) > 0; {
		tag, rest, ok := cutVarint(message)
		if !ok {
			return n
		}
		value, rest, ok := cutVarint(rest)
		if ok && tag != last && value != 0 {
			n++
		}
		switch wireType := protowire.Type(tag & 7); {
		case !ok || wireType != protowire.VarintType && wireType != protowire.BytesType:
			return n
		case wireType == protowire.BytesType:
			if value > uint64(len(rest)) {
				return n
			}
			rest = rest[value:]
		}
		message, last = rest, tag
	}
	return n
}

// fields puts those of a message into a document, and counts the ones that are always shown.
func (d *decoder) fields(m map[string]any, l *layout, message []byte) (always int, ok bool) {
	for i := 0; len(message) > 0; i++ {
		tag, rest, ok := cutVarint(message)
		for i < len(l.members) && l.members[i].tag < tag {
			i++
		}
		if !ok || i == len(l.members) || l.members[i].tag != tag {
			return 0, false
		}
		f := &l.members[i]
		if f.part != nil {
			var part []byte
			if part, message, ok = cutBytes(rest); !ok {
				return 0, false
			}
			shown, ok := d.fields(m, f.part, part)
			if !ok {
				return 0, false
			}
			always += shown
			continue
		}
		var v any
		if v, message, ok = d.member(f, message, rest); !ok {
			return 0, false
		}
		if f.omitted && f.form != pointerForm && f.isEmpty(v) {
			continue
		}
		m[f.name] = v
		if !f.omitted {
			always++
		}
	}
	return always, true
}

// member reads a field whose tag is in front of rest, all of it if it is a list or map.
func (d *decoder) member(f *layoutMember, message, rest []byte) (v any, after []byte, ok bool) {
	switch f.form {
	case listForm:
		return d.list(f, message)
	case mapForm:
		return d.mapOf(f, message)
	case pointerForm:
		return d.value(f.element, rest)
	}
	return d.value(f.shape, rest)
}

func (d *decoder) list(f *layoutMember, message []byte) (_ any, after []byte, ok bool) {
	n, ok := countFields(f.tag, message)
	if !ok {
		return nil, nil, false
	}
	list := make([]any, n)
	for i := range list {
		_, message, _ = cutVarint(message)
		if list[i], message, ok = d.value(f.element, message); !ok {
			return nil, nil, false
		}
	}
	return list, message, true
}

// countFields counts the fields with a tag that a message begins with.
func countFields(tag uint64, message []byte) (n int, ok bool) {
	for {
		next, rest, ok := cutVarint(message)
		if !ok || next != tag {
			return n, ok || len(message) == 0
		}
		number, wireType := protowire.DecodeTag(tag)
		size := protowire.ConsumeFieldValue(number, wireType, rest)
		if size < 0 {
			return 0, false
		}
		message = rest[size:]
		n++
	}
}

func (d *decoder) mapOf(f *layoutMember, message []byte) (_ any, after []byte, ok bool) {
	m := map[string]any{}
	valueTag := protowire.EncodeTag(2, f.element.wireType())
	for {
		tag, rest, ok := cutVarint(message)
		if !ok || tag != f.tag {
			return m, message, ok || len(message) == 0
		}
		var entry, key []byte
		if entry, message, ok = cutBytes(rest); !ok {
			return nil, nil, false
		}
		if key, entry, ok = cutField(keyTag, entry); !ok {
			return nil, nil, false
		}
		tag, entry, _ = cutVarint(entry)
		v, left, ok := d.value(f.element, entry)
		if !ok || tag != valueTag || len(left) > 0 {
			return nil, nil, false
		}
		m[d.text(key)] = v
	}
}

// value reads a value that is no list and no map and stands behind its tag.
func (d *decoder) value(s *shape, data []byte) (v any, after []byte, ok bool) {
	switch s.form {
	case boolForm, intForm, uintForm:
		n, after, ok := cutVarint(data)
		if !ok {
			return nil, nil, false
		}
		v, ok = s.number(n)
		return v, after, ok
	}
	content, after, ok := cutBytes(data)
	if !ok {
		return nil, nil, false
	}
	switch s.form {
	case textForm:
		return d.text(content), after, true
	case bytesForm:
		return base64.StdEncoding.EncodeToString(content), after, true
	case structForm:
		v, ok = d.structOf(s, content)
	case timeForm:
		v, ok = timeText(content, time.RFC3339, time.Second)
	case microTimeForm:
		v, ok = timeText(content, metav1.RFC3339Micro, time.Microsecond)
	case intOrTextForm:
		v, ok = d.intOrText(content)
	case amountForm:
		v, ok = d.amount(content)
	case ownedFieldsForm:
		v, ok = d.ownedFields(content)
	default:
		ok = false
	}
	return v, after, ok
}

// sharedText is the room that short texts share. A text kept for long keeps at most that
// much of its document alive with it.
const sharedText = 512

func (d *decoder) text(data []byte) string {
	if len(data) > sharedText/4 {
		return string(data)
	}
	if d.texts.Cap()-d.texts.Len() < len(data) {
		d.texts = strings.Builder{}
		d.texts.Grow(sharedText)
	}
	start := d.texts.Len()
	d.texts.Write(data)
	return d.texts.String()[start:]
}
