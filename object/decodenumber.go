package object

import (
	"fmt"
	"strconv"
)

// number reads a number. One that no float64 holds is remembered, and null.
func (d *decoder) number() (any, error) {
	start := d.pos
	whole, err := d.skipNumber()
	if err != nil {
		return nil, err
	}
	text := d.data[start:d.pos]
	if whole {
		if n, ok := parseInt(text); ok {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		if d.rangeError == nil {
			d.rangeError = fmt.Errorf("json: cannot unmarshal number %s into Go value of type float64", text)
		}
		return nil, nil
	}
	return f, nil
}

// skipNumber moves behind a number and says whether it has neither fraction nor exponent.
func (d *decoder) skipNumber() (whole bool, err error) {
	d.take('-')
	if !d.take('0') && !d.skipDigits() {
		return false, d.unexpectedInside("in numeric literal")
	}
	whole = true
	if d.take('.') {
		whole = false
		if !d.skipDigits() {
			return false, d.unexpectedInside("after decimal point in numeric literal")
		}
	}
	if d.take('e') || d.take('E') {
		whole = false
		if !d.take('+') {
			d.take('-')
		}
		if !d.skipDigits() {
			return false, d.unexpectedInside("in exponent of numeric literal")
		}
	}
	return whole, nil
}

func (d *decoder) skipDigits() bool {
	start := d.pos
	for d.pos < len(d.data) && isDigit(d.data[d.pos]) {
		d.pos++
	}
	return d.pos > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// parseInt reads a JSON number without fraction and exponent; ok is false if no int64 holds it.
func parseInt(text []byte) (n int64, ok bool) {
	if len(text) > 18 {
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, err == nil
	}
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	for _, c := range digits {
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}
