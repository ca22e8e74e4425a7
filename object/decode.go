package object

import (
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how deep arrays and objects of a document may nest.
const maxDepth = 10000

// SyntaxError says that a text is no JSON, in the words of encoding/json.
type SyntaxError struct {
	Offset  int // of the byte that cannot stand where it stands
	message string
}

// Error gives the message without the offset.
func (e *SyntaxError) Error() string { return e.message }

// Decode parses a document, which must be a JSON object; null counts as an empty
// one. Numbers without fraction and exponent that fit an int64 become one, all
// others float64. Bytes that are no UTF-8 and halves of surrogate pairs become
// U+FFFD. Of a field that occurs twice the last value holds.
//
// A text that is no JSON gives a [*SyntaxError]; so does one that nests more than
// 10000 deep. Time and memory are linear in the length of the data, which is not kept.
func Decode(data []byte) (Object, error) {
	var d decoder
	d.reset(data)
	return d.document()
}

// DecodeValue parses any one JSON value, as [Decode] does.
func DecodeValue(data []byte) (any, error) {
	var d decoder
	d.reset(data)
	return d.oneValue()
}

// JSONType names the type of a decoded value as the errors of encoding/json do:
// null, bool, number, string, array or object.
func JSONType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "bool"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// decoder reads one value from the front of data to its end in a single pass.
// Values of objects and lists under way lie on two stacks, so that each map and
// slice is made once, in its final size.
type decoder struct {
	data   []byte
	pos    int
	depth  int
	names  []string
	values []any
	texts  strings.Builder // room that short texts share

	nameRoom  [16]string // where the stacks begin
	valueRoom [32]any

	rangeError error // the first number that no float64 holds; syntax errors come before it
	duplicates bool  // whether any field occurred twice
}

func (d *decoder) reset(data []byte) {
	d.data = data
	d.names = d.nameRoom[:0]
	d.values = d.valueRoom[:0]
}

// document reads the whole of the data as an object.
func (d *decoder) document() (Object, error) {
	v, err := d.whole()
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case map[string]any:
		if d.rangeError != nil {
			return nil, d.rangeError
		}
		return v, nil
	case nil:
		if d.rangeError != nil { // the whole was a number that no float64 holds
			return nil, wrongDocument("number")
		}
		return Object{}, nil
	}
	return nil, wrongDocument(JSONType(v))
}

// oneValue reads the whole of the data as a value in which every number fits a float64.
func (d *decoder) oneValue() (any, error) {
	v, err := d.whole()
	if err == nil {
		err = d.rangeError
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

func wrongDocument(jsonType string) error {
	return fmt.Errorf("json: cannot unmarshal %s into Go value of type map[string]interface {}", jsonType)
}

// whole reads the whole of the data as one value.
func (d *decoder) whole() (any, error) {
	v, err := d.value()
	if err != nil {
		return nil, err
	}
	if d.skipSpace(); d.pos < len(d.data) {
		return nil, d.unexpected("after top-level value")
	}
	return v, nil
}

func (d *decoder) value() (any, error) {
	d.skipSpace()
	if d.pos == len(d.data) {
		return nil, d.unexpected("looking for beginning of value")
	}
	switch c := d.data[d.pos]; c {
	case '"':
		d.pos++
		return d.text()
	case '{':
		return d.object()
	case '[':
		return d.list()
	case 't':
		return true, d.literal("true")
	case 'f':
		return false, d.literal("false")
	case 'n':
		return nil, d.literal("null")
	default:
		if c == '-' || isDigit(c) {
			return d.number()
		}
		return nil, d.unexpected("looking for beginning of value")
	}
}

func (d *decoder) object() (map[string]any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	base := len(d.names)
	baseValues := len(d.values)
	d.skipSpace()
	for more := !d.take('}'); more; {
		name, err := d.name()
		if err != nil {
			return nil, err
		}
		d.names = append(d.names, name)
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		d.values = append(d.values, v)
		if more, err = d.separator('}', "after object key:value pair"); err != nil {
			return nil, err
		}
		d.skipSpace()
	}
	d.depth--
	m := make(map[string]any, len(d.names)-base)
	for i, name := range d.names[base:] {
		m[name] = d.values[baseValues+i]
	}
	if len(m) < len(d.names)-base {
		d.duplicates = true
	}
	d.names = d.names[:base]
	d.values = d.values[:baseValues]
	return m, nil
}

// name reads the name of a member and the colon behind it.
func (d *decoder) name() (string, error) {
	if !d.take('"') {
		return "", d.unexpected("looking for beginning of object key string")
	}
	name, err := d.knownOrText()
	if err != nil {
		return "", err
	}
	if d.skipSpace(); !d.take(':') {
		return "", d.unexpected("after object key")
	}
	return name, nil
}

func (d *decoder) list() ([]any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	base := len(d.values)
	d.skipSpace()
	for more := !d.take(']'); more; {
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		d.values = append(d.values, v)
		if more, err = d.separator(']', "after array element"); err != nil {
			return nil, err
		}
	}
	d.depth--
	list := make([]any, len(d.values)-base)
	copy(list, d.values[base:])
	d.values = d.values[:base]
	return list, nil
}

// enter takes the opening bracket.
func (d *decoder) enter() error {
	if d.depth++; d.depth > maxDepth {
		return d.unexpected("exceeded max depth")
	}
	d.pos++
	return nil
}

// separator takes the comma behind an element, or the closing bracket.
func (d *decoder) separator(closing byte, context string) (more bool, err error) {
	d.skipSpace()
	switch {
	case d.take(','):
		return true, nil
	case d.take(closing):
		return false, nil
	}
	return false, d.unexpected(context)
}

func (d *decoder) take(c byte) bool {
	if d.pos < len(d.data) && d.data[d.pos] == c {
		d.pos++
		return true
	}
	return false
}

func (d *decoder) skipSpace() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\n', '\t', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) literal(word string) error {
	for i := range len(word) {
		if !d.take(word[i]) {
			return d.unexpectedInside("in literal " + word + " (expecting '" + word[i:i+1] + "')")
		}
	}
	return nil
}

// unexpected reports the byte at hand, or the end of the data, between tokens.
func (d *decoder) unexpected(context string) error {
	if d.pos == len(d.data) {
		return &SyntaxError{Offset: d.pos, message: "unexpected end of JSON input"}
	}
	return d.unexpectedInside(context)
}

// unexpectedInside is unexpected inside a token, where the end counts as a space.
func (d *decoder) unexpectedInside(context string) error {
	c := byte(' ')
	if d.pos < len(d.data) {
		c = d.data[d.pos]
	}
	return &SyntaxError{Offset: d.pos, message: "invalid character " + quoteByte(c) + " " + context}
}

func quoteByte(c byte) string {
	switch c {
	case '\'':
		return `'\''`
	case '"':
		return `'"'`
	}
	quoted := strconv.Quote(string(rune(c)))
	return "'" + quoted[1:len(quoted)-1] + "'"
}
