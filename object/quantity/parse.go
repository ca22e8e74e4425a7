package quantity

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// What is wrong with a text that is no quantity.
var (
	ErrForm   = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	ErrNumber = errors.New("unable to parse numeric part of quantity")
	ErrSuffix = errors.New("unable to parse quantity's suffix")
)

// parts is a quantity taken apart.
type parts struct {
	negative        bool
	whole, fraction string // digits; whole has no leading zeros, but for "0"
	number          string // the text up to the suffix
	suffix          string
}

// takeApart splits a quantity. Zeros followed by nothing are zero, whatever stood in front.
func takeApart(s string) (parts, error) {
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	q := parts{negative: strings.HasPrefix(s, "-")}
	rest = strings.TrimLeft(rest, "0")
	if rest == "" {
		q.whole, q.number = "0", "0"
		return q, nil
	}
	q.whole, rest = leading(rest, "0123456789")
	if q.whole == "" && rest != "" {
		q.whole = "0"
	}
	if after, ok := strings.CutPrefix(rest, "."); ok {
		q.fraction, rest = leading(after, "0123456789")
	}
	q.number, q.suffix = s[:len(s)-len(rest)], rest
	_, rest = leading(rest, "eEinumkKMGTP")
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	if _, rest = leading(rest, "0123456789"); rest != "" {
		return q, ErrForm
	}
	return q, nil
}

func leading(s, chars string) (head, rest string) {
	rest = strings.TrimLeft(s, chars)
	return s[:len(s)-len(rest)], rest
}

// suffix is what stands behind the number: a power of two or of ten.
type suffix struct {
	format   format
	exponent int32
}

func parseSuffix(s string) (suffix, bool) {
	const decimals, binaries = "numkMGTPE", "KMGTPE"
	switch {
	case s == "":
		return suffix{}, true
	case len(s) == 1 && strings.Contains(decimals, s):
		i := strings.Index(decimals, s)
		if i < len("num") {
			i--
		}
		return suffix{exponent: int32(i-2) * 3}, true
	case len(s) == 2 && s[1] == 'i' && strings.Contains(binaries, s[:1]):
		return suffix{format: binarySuffix, exponent: int32(strings.Index(binaries, s[:1])+1) * 10}, true
	case s[0] == 'e' || s[0] == 'E':
		exponent, err := strconv.ParseInt(s[1:], 10, 64)
		return suffix{format: decimalExponent, exponent: int32(exponent)}, err == nil
	}
	return suffix{}, false
}

// Parse reads a quantity as the API does: it keeps at most nine decimals, rounded away from
// zero, and caps amounts in powers of two at the largest int64.
func Parse(s string) (Quantity, error) {
	if s == "" {
		return Quantity{}, ErrForm
	}
	p, err := takeApart(s)
	if err != nil {
		return Quantity{}, err
	}
	suffix, ok := parseSuffix(p.suffix)
	if !ok {
		return Quantity{}, ErrSuffix
	}
	if q, ok, err := p.small(suffix); ok || err != nil {
		if ok && p.isCanonical(suffix, q.exponent) {
			q.text = s
		}
		return q, err
	}
	return p.large(suffix)
}

// isCanonical says whether the API takes a quantity of few digits for one in canonical form,
// which it then writes as it was.
func (p *parts) isCanonical(suffix suffix, exponent int32) bool {
	digits := p.whole + p.fraction
	if suffix.format == binarySuffix {
		last := digits[max(0, len(digits)-3):]
		n, err := strconv.Atoi(last)
		return err == nil && n%8 != 0
	}
	return exponent%3 == 0 && !strings.HasSuffix(digits, "000") && digits[0] != '0'
}

// small makes a quantity of an int64, if there are so few digits that the API does.
func (p *parts) small(suffix suffix) (Quantity, bool, error) {
	q := Quantity{format: suffix.format, exponent: suffix.exponent - int32(len(p.fraction))}
	factor := int64(1)
	precision := 18 - len(p.whole) - len(p.fraction)
	if suffix.format == binarySuffix {
		if p.fraction != "" {
			return q, false, nil
		}
		q.exponent, factor = 0, 1<<suffix.exponent
		precision = 15 - len(p.whole) - int(float32(suffix.exponent)*3/10) - 1
	}
	if precision < 0 || q.exponent < -9 {
		return q, false, nil
	}
	digits, err := strconv.ParseInt(p.whole+p.fraction, 10, 64)
	if err != nil {
		return q, false, ErrNumber
	}
	var fits bool
	if q.small, fits = product(digits, factor); !fits {
		return q, false, nil
	}
	if p.negative {
		q.small = -q.small
	}
	return q, true, nil
}

// large makes a quantity of any number of digits.
func (p *parts) large(suffix suffix) (Quantity, error) {
	digits, ok := new(big.Int).SetString(p.whole+p.fraction, 10)
	if !ok || !strings.ContainsAny(p.number, "0123456789") {
		return Quantity{}, ErrNumber
	}
	q := Quantity{format: suffix.format, large: digits, exponent: -int32(len(p.fraction))}
	if suffix.format == binarySuffix {
		digits.Lsh(digits, uint(suffix.exponent))
	} else {
		q.exponent += suffix.exponent
	}
	q.toExponent(-9)
	if suffix.format == binarySuffix {
		switch {
		case q.Compare(Of(math.MaxInt64)) > 0:
			q.large, q.exponent = big.NewInt(math.MaxInt64), 0
		case q.Compare(Of(1)) < 0:
			q.format = decimalSuffix
		}
	}
	if p.negative {
		q = q.Negated()
	}
	return q, nil
}
