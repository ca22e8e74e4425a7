package builtin

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonReader reads over JSON, strictly. Its methods say false where the text is none, or
// is what only a whole parser would read.
type jsonReader struct {
	data  []byte
	pos   int
	depth int
}

// quoted is a text as it stands in a document, between its quotes.
type quoted struct {
	start, end int32
	escaped    bool
}

// deepest is how deep arrays and objects may nest.
const deepest = 1000

func (r *jsonReader) bytes(t quoted) []byte { return r.data[t.start:t.end] }

// at is the byte that comes next, or 0.
func (r *jsonReader) at() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *jsonReader) skipSpace() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// take reads a byte of syntax, if it comes next.
func (r *jsonReader) take(c byte) bool {
	if r.at() != c { // mostly there is no space
		if r.skipSpace(); r.at() != c {
			return false
		}
	}
	r.pos++
	return true
}

// enter takes what opens an array or object, and leave what closes it.
func (r *jsonReader) enter(opening byte) bool {
	r.depth++
	return r.depth <= deepest && r.take(opening)
}

func (r *jsonReader) leave(closing byte) bool {
	if !r.take(closing) {
		return false
	}
	r.depth--
	return true
}

// word reads a literal, if it comes next.
func (r *jsonReader) word(w string) bool {
	if r.skipSpace(); r.at() != w[0] || !bytes.HasPrefix(r.data[r.pos:], []byte(w)) {
		return false
	}
	r.pos += len(w)
	return true
}

func (r *jsonReader) boolean() (n int64, ok bool) {
	if r.word("true") {
		return 1, true
	}
	return 0, r.word("false")
}

// integer reads a number without fraction and exponent.
func (r *jsonReader) integer() (n int64, ok bool) {
	negative := r.at() == '-'
	if negative {
		r.pos++
	}
	start := r.pos
	for ; '0' <= r.at() && r.at() <= '9'; r.pos++ {
		if n > (math.MaxInt64-9)/10 { // the largest of all are left to others
			return 0, false
		}
		n = 10*n + int64(r.at()-'0')
	}
	digits := r.pos - start
	if digits == 0 || digits > 1 && r.data[start] == '0' {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, r.at() != '.' && r.at()|0x20 != 'e'
}

// name reads the name of a member and the colon behind it.
func (r *jsonReader) name() (t quoted, ok bool) {
	r.skipSpace()
	t, ok = r.textOf()
	return t, ok && r.take(':')
}

// plainText reads a text without escapes.
func (r *jsonReader) plainText() (t quoted, ok bool) {
	t, ok = r.textOf()
	return t, ok && !t.escaped
}

// textOf reads a text whose bytes are UTF-8.
func (r *jsonReader) textOf() (t quoted, ok bool) {
	if r.at() != '"' {
		return t, false
	}
	r.pos++
	t.start = int32(r.pos)
	ascii := true
	r.skipPlain()
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; {
		case c == '"':
			t.end = int32(r.pos)
			r.pos++
			return t, ascii || utf8.Valid(r.bytes(t))
		case c == '\\':
			t.escaped = true
			if !r.skipEscape() {
				return t, false
			}
			r.skipPlain()
		case c < ' ':
			return t, false
		default:
			ascii = ascii && c < utf8.RuneSelf
			r.pos++
		}
	}
	return t, false
}

// skipPlain goes on, by eights, over bytes that stand for themselves: ASCII without control
// characters, quotes and backslashes. A subtraction borrows into the high bit of a byte
// exactly if the byte is below what is subtracted, or a lower one was: the lowest of the
// bits tells the truth.
func (r *jsonReader) skipPlain() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for r.pos+8 <= len(r.data) {
		w := binary.LittleEndian.Uint64(r.data[r.pos:])
		others := (w | (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & highs
		if others != 0 {
			r.pos += bits.TrailingZeros64(others) / 8
			return
		}
		r.pos += 8
	}
}

// skipEscape reads over an escape that stands for one character by itself.
func (r *jsonReader) skipEscape() bool {
	_, size := unescape(r.data[r.pos:])
	r.pos += size
	return size > 0
}

// unescape gives the character that an escape at the beginning stands for and its
// length; 0 if there is none, or it is half of a character.
func unescape(data []byte) (c rune, size int) {
	if len(data) < 2 {
		return 0, 0
	}
	switch data[1] {
	case '"', '\\', '/':
		return rune(data[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeHex(data)
	}
	return 0, 0
}

func unescapeHex(data []byte) (c rune, size int) {
	const length = len(`\u0000`)
	if len(data) < length {
		return 0, 0
	}
	for _, digit := range data[2:length] {
		switch {
		case '0' <= digit && digit <= '9':
			c = c<<4 | rune(digit-'0')
		case 'a' <= digit|0x20 && digit|0x20 <= 'f':
			c = c<<4 | rune(digit|0x20-'a'+10)
		default:
			return 0, 0
		}
	}
	if utf16.IsSurrogate(c) {
		return 0, 0
	}
	return c, length
}

// appendUnescaped appends a text whose escapes were read over before. It never becomes longer.
func appendUnescaped(dst, raw []byte) []byte {
	for {
		plain := bytes.IndexByte(raw, '\\')
		if plain < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:plain]...)
		c, size := unescape(raw[plain:])
		dst = utf8.AppendRune(dst, c)
		raw = raw[plain+size:]
	}
}

// less says whether a text comes before another one.
func (r *jsonReader) less(a, b quoted) bool {
	if !a.escaped && !b.escaped {
		return bytes.Compare(r.bytes(a), r.bytes(b)) < 0
	}
	return bytes.Compare(appendUnescaped(nil, r.bytes(a)), appendUnescaped(nil, r.bytes(b))) < 0
}
