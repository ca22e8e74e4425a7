package object

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// sharedText is the room that short texts of a document share. A text kept for
// long keeps at most that much of its document alive with it.
const sharedText = 512

// text reads the rest of a text, behind its opening quote.
func (d *decoder) text() (string, error) {
	raw, ok := d.plainText()
	if !ok {
		return d.escapedText(raw)
	}
	return d.keep(raw), nil
}

// knownOrText is text for the names of fields: the most common ones cost nothing.
func (d *decoder) knownOrText() (string, error) {
	raw, ok := d.plainText()
	if !ok {
		return d.escapedText(raw)
	}
	if name, ok := knownName(raw); ok {
		return name, nil
	}
	return d.keep(raw), nil
}

// plainText takes a text that stands for itself, and its closing quote. If there
// is more to it, it takes and gives the part in front of that.
func (d *decoder) plainText() (raw []byte, ok bool) {
	start, i := d.pos, d.pos
	for i+8 <= len(d.data) && plainWord(d.data[i:]) {
		i += 8
	}
	for ; i < len(d.data); i++ {
		switch c := d.data[i]; {
		case c == '"':
			d.pos = i + 1
			return d.data[start:i], true
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf:
			d.pos = i
			return d.data[start:i], false
		}
	}
	d.pos = i
	return d.data[start:i], false
}

// plainWord says whether eight bytes are all ASCII without control characters,
// quotes and backslashes. A subtraction borrows into the high bit of a byte
// exactly if the byte is below what is subtracted, or a lower one was.
func plainWord(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	w := binary.LittleEndian.Uint64(b)
	return (w|(w-ones*' ')|((w^ones*'"')-ones)|((w^ones*'\\')-ones))&highs == 0
}

// keep makes a string of the bytes.
func (d *decoder) keep(raw []byte) string {
	if len(raw) > sharedText/4 {
		return string(raw)
	}
	if d.texts.Cap()-d.texts.Len() < len(raw) {
		d.texts = strings.Builder{}
		d.texts.Grow(min(sharedText, max(len(raw), len(d.data)-d.pos)))
	}
	start := d.texts.Len()
	d.texts.Write(raw)
	return d.texts.String()[start:]
}

// escapedText reads on, up to the closing quote, a text that begins with the bytes.
func (d *decoder) escapedText(raw []byte) (string, error) {
	text := append(make([]byte, 0, 2*len(raw)+32), raw...)
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			d.pos++
			return string(text), nil
		case c == '\\':
			d.pos++
			r, err := d.escape()
			if err != nil {
				return "", err
			}
			text = utf8.AppendRune(text, r)
		case c < ' ':
			return "", d.unexpected("in string literal")
		case c < utf8.RuneSelf:
			text = append(text, c)
			d.pos++
		default:
			r, size := utf8.DecodeRune(d.data[d.pos:])
			text = utf8.AppendRune(text, r)
			d.pos += size
		}
	}
	return "", d.unexpected("in string literal")
}

// escape reads what follows a backslash.
func (d *decoder) escape() (rune, error) {
	c := byte(' ')
	if d.pos < len(d.data) {
		c = d.data[d.pos]
	}
	var r rune
	switch c {
	case '"', '\\', '/':
		r = rune(c)
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	case 'u':
		d.pos++
		return d.unicodeEscape()
	default:
		return 0, d.unexpectedInside("in string escape code")
	}
	d.pos++
	return r, nil
}

// unicodeEscape reads four hexadecimal digits, and a second escape if both make
// one character. Half of such a pair alone becomes U+FFFD.
func (d *decoder) unicodeEscape() (rune, error) {
	var r rune
	for range 4 {
		digit, ok := hexAt(d.data, d.pos)
		if !ok {
			return 0, d.unexpectedInside(`in \u hexadecimal character escape`)
		}
		r = r<<4 | digit
		d.pos++
	}
	if !utf16.IsSurrogate(r) {
		return r, nil
	}
	if pair := utf16.DecodeRune(r, d.peekUnicodeEscape()); pair != utf8.RuneError {
		d.pos += len(`\uXXXX`)
		return pair, nil
	}
	return utf8.RuneError, nil
}

// peekUnicodeEscape gives the \u escape at hand, or -1.
func (d *decoder) peekUnicodeEscape() rune {
	if d.pos+6 > len(d.data) || d.data[d.pos] != '\\' || d.data[d.pos+1] != 'u' {
		return -1
	}
	var r rune
	for i := range 4 {
		digit, ok := hexAt(d.data, d.pos+2+i)
		if !ok {
			return -1
		}
		r = r<<4 | digit
	}
	return r
}

func hexAt(data []byte, i int) (rune, bool) {
	if i >= len(data) {
		return 0, false
	}
	switch c := data[i]; {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// knownName gives the names of fields that most documents have, without making a string.
func knownName(raw []byte) (string, bool) {
	switch string(raw) {
	case "metadata":
		return "metadata", true
	case "name":
		return "name", true
	case "namespace":
		return "namespace", true
	case "apiVersion":
		return "apiVersion", true
	case "kind":
		return "kind", true
	case "uid":
		return "uid", true
	case "resourceVersion":
		return "resourceVersion", true
	case "generation":
		return "generation", true
	case "creationTimestamp":
		return "creationTimestamp", true
	case "labels":
		return "labels", true
	case "annotations":
		return "annotations", true
	case "managedFields":
		return "managedFields", true
	case "manager":
		return "manager", true
	case "operation":
		return "operation", true
	case "time":
		return "time", true
	case "fieldsType":
		return "fieldsType", true
	case "fieldsV1":
		return "fieldsV1", true
	case "spec":
		return "spec", true
	case "status":
		return "status", true
	case "data":
		return "data", true
	case "type":
		return "type", true
	case "value":
		return "value", true
	case "image":
		return "image", true
	case "containers":
		return "containers", true
	case "conditions":
		return "conditions", true
	case "reason":
		return "reason", true
	case "message":
		return "message", true
	case "lastTransitionTime":
		return "lastTransitionTime", true
	}
	return "", false
}
