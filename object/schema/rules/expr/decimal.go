package expr

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
)

// decimal is a number with a decimal exponent: digits × 10^exponent. As long as it
// can it holds the digits as an int64, which the API lets one see: a number that has
// ever been large is no integer for it.
type decimal struct {
	small    int64
	large    *big.Int // instead of small, if set
	exponent int32
}

func (d decimal) digits() *big.Int {
	if d.large != nil {
		return d.large
	}
	return big.NewInt(d.small)
}

func (d decimal) sign() int {
	if d.large != nil {
		return d.large.Sign()
	}
	return cmp.Compare(d.small, 0)
}

// int64 gives the value if it is a whole number that fits.
func (d decimal) int64() (int64, bool) {
	if d.large != nil || d.exponent < 0 {
		return 0, false
	}
	return scaled(d.small, int64(d.exponent))
}

func (d decimal) float64() float64 {
	digits := float64(d.small)
	if d.large != nil {
		digits, _ = new(big.Float).SetInt(d.large).Float64()
	}
	if d.exponent == 0 {
		return digits
	}
	return digits * math.Pow10(int(d.exponent))
}

func (d decimal) negated() decimal {
	if d.large != nil {
		d.large = new(big.Int).Neg(d.large)
	}
	d.small = -d.small
	return d
}

// compare orders by value. It doesn't write out powers of ten that are not needed,
// so that no exponent makes it slow.
func (d decimal) compare(e decimal) int {
	if d.sign() != e.sign() || d.sign() == 0 {
		return cmp.Compare(d.sign(), e.sign())
	}
	x, y := d.digits(), e.digits()
	if byMagnitude := cmp.Compare(magnitude(x, d.exponent), magnitude(y, e.exponent)); byMagnitude != 0 {
		return byMagnitude * d.sign()
	}
	low := min(d.exponent, e.exponent)
	return shifted(x, d.exponent-low).Cmp(shifted(y, e.exponent-low))
}

// magnitude counts the digits in front of the decimal point.
func magnitude(digits *big.Int, exponent int32) int64 {
	return int64(len(new(big.Int).Abs(digits).String())) + int64(exponent)
}

// maxShift limits how far apart the exponents of two numbers that are added may be.
const maxShift = 10_000

// plus adds; it fails if the sum had too many digits to be of use.
func (d decimal) plus(e decimal) (decimal, bool) {
	if d.large == nil && e.large == nil {
		if sum, ok := d.plusSmall(e); ok {
			return sum, true
		}
	}
	low := min(d.exponent, e.exponent)
	if max(int64(d.exponent), int64(e.exponent))-int64(low) > maxShift {
		return decimal{}, false
	}
	sum := new(big.Int).Add(shifted(d.digits(), d.exponent-low), shifted(e.digits(), e.exponent-low))
	return decimal{large: sum, exponent: low}, true
}

func (d decimal) plusSmall(e decimal) (decimal, bool) {
	switch {
	case e.small == 0:
		return d, true
	case d.small == 0:
		return e, true
	}
	low := min(d.exponent, e.exponent)
	x, okX := scaled(d.small, int64(d.exponent)-int64(low))
	y, okY := scaled(e.small, int64(e.exponent)-int64(low))
	sum := x + y
	overflow := (x > 0) == (y > 0) && (sum > 0) != (x > 0)
	return decimal{small: sum, exponent: low}, okX && okY && !overflow
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
