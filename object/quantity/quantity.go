package quantity

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// Quantity is an amount of a resource. The zero value is 0. Quantities are immutable;
// compare them by [Quantity.Compare], not with ==.
type Quantity struct {
	// The value is digits × 10^exponent. As long as it can it holds the digits as an
	// int64, which the API lets one see: a number that has ever been large is no integer for it.
	small    int64
	large    *big.Int // instead of small, if set
	exponent int32

	format format
	text   string // as it was parsed, if it would be written so
}

// format is a form in which quantities are written.
type format uint8

const (
	decimalSuffix format = iota
	binarySuffix
	decimalExponent
)

// Of gives the quantity of a whole number.
func Of(n int64) Quantity { return Quantity{small: n} }

func (q Quantity) digits() *big.Int {
	if q.large != nil {
		return q.large
	}
	return big.NewInt(q.small)
}

// Sign is -1, 0 or 1.
func (q Quantity) Sign() int {
	if q.large != nil {
		return q.large.Sign()
	}
	return cmp.Compare(q.small, 0)
}

// Int64 gives the value if it is a whole number that fits.
func (q Quantity) Int64() (int64, bool) {
	if q.large != nil || q.exponent < 0 {
		return 0, false
	}
	return scaled(q.small, int64(q.exponent))
}

// Float64 gives the nearest value that a float64 can hold, or one near it.
func (q Quantity) Float64() float64 {
	digits := float64(q.small)
	if q.large != nil {
		digits, _ = new(big.Float).SetInt(q.large).Float64()
	}
	if q.exponent == 0 {
		return digits
	}
	return digits * math.Pow10(int(q.exponent))
}

// Negated is 0 - q.
func (q Quantity) Negated() Quantity {
	if q.large != nil {
		q.large = new(big.Int).Neg(q.large)
	}
	q.small, q.text = -q.small, ""
	return q
}

// Compare orders by value. It doesn't write out powers of ten that are not needed,
// so that no exponent makes it slow.
func (q Quantity) Compare(r Quantity) int {
	switch {
	case q.large == nil && r.large == nil && q.exponent == r.exponent:
		return cmp.Compare(q.small, r.small)
	case q.Sign() != r.Sign() || q.Sign() == 0:
		return cmp.Compare(q.Sign(), r.Sign())
	}
	x, y := q.digits(), r.digits()
	if byMagnitude := cmp.Compare(magnitude(x, q.exponent), magnitude(y, r.exponent)); byMagnitude != 0 {
		return byMagnitude * q.Sign()
	}
	low := min(q.exponent, r.exponent)
	return shifted(x, q.exponent-low).Cmp(shifted(y, r.exponent-low))
}

// magnitude counts the digits in front of the decimal point.
func magnitude(digits *big.Int, exponent int32) int64 {
	return int64(len(new(big.Int).Abs(digits).String())) + int64(exponent)
}

// maxShift limits how far apart the exponents of two numbers that are added may be.
const maxShift = 10_000

// Plus adds; it fails if the sum had too many digits to be of use. The sum is written as q
// is, unless q is zero.
func (q Quantity) Plus(r Quantity) (Quantity, bool) {
	sum, ok := q.plus(r)
	sum.format = q.format
	if q.Sign() == 0 {
		sum.format = r.format
	}
	return sum, ok
}

func (q Quantity) plus(r Quantity) (Quantity, bool) {
	if q.large == nil && r.large == nil {
		if sum, ok := q.plusSmall(r); ok {
			return sum, true
		}
	}
	low := min(q.exponent, r.exponent)
	if max(int64(q.exponent), int64(r.exponent))-int64(low) > maxShift {
		return Quantity{}, false
	}
	sum := new(big.Int).Add(shifted(q.digits(), q.exponent-low), shifted(r.digits(), r.exponent-low))
	return Quantity{large: sum, exponent: low}, true
}

func (q Quantity) plusSmall(r Quantity) (Quantity, bool) {
	switch {
	case r.small == 0:
		return Quantity{small: q.small, exponent: q.exponent}, true
	case q.small == 0:
		return Quantity{small: r.small, exponent: r.exponent}, true
	}
	low := min(q.exponent, r.exponent)
	x, okX := scaled(q.small, int64(q.exponent)-int64(low))
	y, okY := scaled(r.small, int64(r.exponent)-int64(low))
	sum := x + y
	overflow := (x > 0) == (y > 0) && (sum > 0) != (x > 0)
	return Quantity{small: sum, exponent: low}, okX && okY && !overflow
}

// Add is [Quantity.Plus] that leaves out the smaller of two numbers which is nothing beside
// the other one.
func (q Quantity) Add(r Quantity) Quantity {
	if sum, ok := q.Plus(r); ok {
		return sum
	}
	if q.exponent < r.exponent {
		return r
	}
	return q
}

// Sub is q less r, as [Quantity.Add] is their sum.
func (q Quantity) Sub(r Quantity) Quantity { return q.Add(r.Negated()) }

// RoundedUp gives the next quantity away from zero that is a multiple of 10^exponent.
func (q Quantity) RoundedUp(exponent int32) Quantity {
	drop := int64(exponent) - int64(q.exponent)
	if drop <= 0 || q.Sign() == 0 {
		return q
	}
	r := Quantity{large: new(big.Int).Abs(q.digits()), exponent: q.exponent, format: q.format}
	r.toExponent(exponent)
	if q.Sign() < 0 {
		r = r.Negated()
	}
	if r.large.IsInt64() && q.large == nil {
		r.small, r.large = r.large.Int64(), nil
	}
	return r
}

// toExponent makes the exponent what the API makes it, which shows in the last bits of
// floating-point numbers. Digits below are dropped, away from zero. The number is large, and
// not negative.
func (q *Quantity) toExponent(exponent int32) {
	drop := int64(exponent) - int64(q.exponent)
	switch {
	case q.large.Sign() == 0 || drop < -maxShift:
		return
	case drop < 0:
		q.large = shifted(q.large, int32(-drop))
	case drop > int64(len(q.large.String())):
		q.large = big.NewInt(1)
	default:
		var rest *big.Int
		q.large, rest = new(big.Int).QuoRem(q.large, shifted(big.NewInt(1), int32(drop)), new(big.Int))
		q.large.Add(q.large, big.NewInt(int64(rest.Sign())))
	}
	q.exponent = exponent
}

// scaled gives n × 10^by if that fits.
func scaled(n, by int64) (int64, bool) {
	for ; by > 0 && n != 0; by-- {
		next, ok := product(n, 10)
		if !ok {
			return 0, false
		}
		n = next
	}
	return n, true
}

// product multiplies with a factor above zero.
func product(n, factor int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(max(n, -n)), uint64(factor))
	if n == math.MinInt64 || hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	return n * factor, true
}

func shifted(n *big.Int, by int32) *big.Int {
	if by == 0 {
		return n
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(by)), nil)
	return power.Mul(power, n)
}
