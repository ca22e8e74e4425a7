package quantity

import (
	"math/big"
	"strconv"
	"strings"
)

// String gives the quantity in the API's canonical form: with the largest suffix or
// exponent that leaves a whole number in front. Fractions are not written in powers of two,
// and neither is what is smaller than 1Ki.
func (q Quantity) String() string {
	switch {
	case q.text != "":
		return q.text
	case q.Sign() == 0:
		return "0"
	case q.format == binarySuffix && !q.isBelowKi() && q.RoundedUp(0).Compare(q) == 0:
		return q.binary()
	}
	return q.decimal()
}

func (q Quantity) isBelowKi() bool {
	return q.Compare(Of(1024)) < 0 && q.Compare(Of(-1024)) > 0
}

// The suffixes from exponent -9 on in steps of 3, and from 0 on in steps of 10.
var (
	decimalSuffixes = [...]string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binarySuffixes  = [...]string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

func (q Quantity) decimal() string {
	digits := q.digits().String()
	trimmed := strings.TrimRight(digits, "0")
	exponent := int64(q.exponent) + int64(len(digits)-len(trimmed))
	digits = trimmed
	for exponent%3 != 0 {
		digits += "0"
		exponent--
	}
	if q.format == decimalExponent {
		if exponent == 0 {
			return digits
		}
		return digits + "e" + strconv.FormatInt(exponent, 10)
	}
	// What is larger than the largest suffix gets more digits, of which it has many anyway.
	if largest := int64(3 * (len(decimalSuffixes) - 4)); exponent > largest {
		digits += strings.Repeat("0", int(exponent-largest))
		exponent = largest
	}
	return digits + decimalSuffixes[exponent/3+3]
}

func (q Quantity) binary() string {
	value := q.whole()
	power := 0
	for power < len(binarySuffixes)-1 && isMultipleOf1024(value) {
		value = new(big.Int).Quo(value, big.NewInt(1024))
		power++
	}
	return value.String() + binarySuffixes[power]
}

// whole gives a whole number as digits alone.
func (q Quantity) whole() *big.Int {
	if q.exponent >= 0 {
		return shifted(q.digits(), q.exponent)
	}
	return new(big.Int).Quo(q.digits(), shifted(big.NewInt(1), -q.exponent))
}

func isMultipleOf1024(n *big.Int) bool { return n.TrailingZeroBits() >= 10 }
