package server

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math/bits"
	"strconv"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// The functions below read JSON that [object.AppendJSON] wrote, without making values of it:
// it has no white space, and the members of its objects are sorted.

// rawMembers yields the members of the object that raw begins with: their names and their values
// as they stand. What is no object has none.
func rawMembers(raw []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := 0; isMore(raw, i, '{', '}'); {
			colon := stringEnd(raw, i+1) + 1
			end := rawEnd(raw, colon+1)
			if !yield(rawText(raw[i+1:colon]), raw[colon+1:end]) {
				return
			}
			i = end
		}
	}
}

// rawMember finds a member of an object; nil if there is none.
func rawMember(raw []byte, name string) []byte {
	for other, value := range rawMembers(raw) {
		if string(other) == name {
			return value
		}
	}
	return nil
}

// appendRawWithout appends an object without one of its members.
func appendRawWithout(dst, raw []byte, without string) []byte {
	dst = append(dst, '{')
	for name, value := range rawMembers(raw) {
		if string(name) == without {
			continue
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(object.AppendJSON(dst, string(name)), ':')
		dst = append(dst, value...)
	}
	return append(dst, '}')
}

// rawElements yields the elements of the array that raw begins with. What is no array has none.
func rawElements(raw []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := 0; isMore(raw, i, '[', ']'); {
			end := rawEnd(raw, i+1)
			if !yield(raw[i+1 : end]) {
				return
			}
			i = end
		}
	}
}

// isMore says whether a member or an element stands behind i, where the object or array
// opens, goes on or is closed.
func isMore(raw []byte, i int, opening, closing byte) bool {
	if i == 0 {
		return len(raw) > 1 && raw[0] == opening && raw[1] != closing
	}
	return i < len(raw) && raw[i] == ','
}

// rawText reads a text; what is none is empty.
func rawText(raw []byte) []byte {
	if len(raw) < 2 || raw[0] != '"' {
		return nil
	}
	raw = raw[1 : len(raw)-1]
	at := bytes.IndexByte(raw, '\\')
	if at < 0 {
		return raw
	}
	text := append(make([]byte, 0, len(raw)), raw[:at]...)
	for raw = raw[at:]; len(raw) > 0; raw = raw[at:] {
		var c rune
		var err error
		if c, raw, err = unescape(raw); err != nil {
			return nil
		}
		text = append(text, string(c)...)
		if at = bytes.IndexByte(raw, '\\'); at < 0 {
			at = len(raw)
		}
		text = append(text, raw[:at]...)
	}
	return text
}

// unescape reads the escape that a text begins with, and gives what is behind it.
func unescape(raw []byte) (c rune, rest []byte, err error) {
	switch raw[1] {
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
		return rune(n), raw[6:], err
	default:
		c = rune(raw[1])
	}
	return c, raw[2:], nil
}

// rawInt reads a whole number. ok says whether it is one.
func rawInt(raw []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// rawEnd finds the end of the value that begins at i.
func rawEnd(raw []byte, i int) int {
	depth := 0
	for ; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = stringEnd(raw, i)
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
		default:
			continue
		}
		switch {
		case depth > 0:
		case depth < 0 || raw[i] == ',':
			return i
		default:
			return i + 1
		}
	}
	return i
}

// stringEnd finds the closing quote of the text that begins at i. It looks at eight bytes at a time: a
// subtraction borrows into the high bit of the first byte that is zero.
func stringEnd(raw []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for i++; i+8 <= len(raw); {
		word := binary.LittleEndian.Uint64(raw[i:])
		quotes, escapes := word^ones*'"', word^ones*'\\'
		found := ((quotes-ones)&^quotes | (escapes-ones)&^escapes) & highs
		if found == 0 {
			i += 8
			continue
		}
		if i += bits.TrailingZeros64(found) / 8; raw[i] == '"' {
			return i
		}
		i += 2
	}
	for ; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i
}
