package expr

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

var quantityType = cel.ObjectType("kubernetes.Quantity")

var quantityKind = &kind[decimal]{
	celType: quantityType,
	equal:   func(a, b decimal) bool { return a.compare(b) == 0 },
}

// quantities are the functions on amounts of resources such as 500m and 1Gi.
func quantities() []function {
	compare := func(name, id string, result *cel.Type, test func(order int) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(quantityType, quantityType), result,
			binary(unwrap, unwrap, func(a, b decimal) ref.Val { return test(a.compare(b)) })))
	}
	get := func(name, id string, result *cel.Type, value func(decimal) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(quantityType), result, unary(unwrap, value)))
	}
	minus := func(a, b decimal) ref.Val { return addQuantities(a, b.negated()) }
	return []function{
		fn("quantity", cel.Overload("string_to_quantity", args(cel.StringType), quantityType, parsed(quantityKind, parseQuantity))),
		fn("isQuantity", cel.Overload("is_quantity_string", args(cel.StringType), cel.BoolType, isValid(parseQuantity))),
		fn("sign", cel.Overload("quantity_sign", args(quantityType), cel.IntType,
			unary(unwrap, func(d decimal) ref.Val { return types.Int(d.sign()) }))),
		compare("isGreaterThan", "quantity_is_greater_than", cel.BoolType, isGreater),
		compare("isLessThan", "quantity_is_less_than", cel.BoolType, isLess),
		compare("compareTo", "quantity_compare_to", cel.IntType, order),
		get("asApproximateFloat", "quantity_get_float", cel.DoubleType, func(d decimal) ref.Val { return types.Double(d.float64()) }),
		get("asInteger", "quantity_get_int", cel.IntType, quantityAsInteger),
		get("isInteger", "quantity_is_integer", cel.BoolType, func(d decimal) ref.Val { _, ok := d.int64(); return types.Bool(ok) }),
		fn("add",
			cel.MemberOverload("quantity_add", args(quantityType, quantityType), quantityType, binary(unwrap, unwrap, addQuantities)),
			cel.MemberOverload("quantity_add_int", args(quantityType, cel.IntType), quantityType, binary(unwrap, wholeQuantity, addQuantities))),
		fn("sub",
			cel.MemberOverload("quantity_sub", args(quantityType, quantityType), quantityType, binary(unwrap, unwrap, minus)),
			cel.MemberOverload("quantity_sub_int", args(quantityType, cel.IntType), quantityType, binary(unwrap, wholeQuantity, minus))),
	}
}

func isGreater(order int) ref.Val { return types.Bool(order > 0) }
func isLess(order int) ref.Val    { return types.Bool(order < 0) }
func order(order int) ref.Val     { return types.Int(order) }

func wholeQuantity(v ref.Val) (decimal, bool) {
	i, ok := integer(v)
	return decimal{small: i}, ok
}

func quantityAsInteger(d decimal) ref.Val {
	i, ok := d.int64()
	if !ok {
		return types.NewErr("cannot convert value to integer")
	}
	return types.Int(i)
}

func addQuantities(a, b decimal) ref.Val {
	sum, ok := a.plus(b)
	if !ok {
		return types.NewErr("quantities differ too much to be added")
	}
	return quantityKind.val(sum)
}

var (
	errQuantityForm   = errors.New("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
	errQuantityNumber = errors.New("unable to parse numeric part of quantity")
	errQuantitySuffix = errors.New("unable to parse quantity's suffix")
)

// quantityText is a quantity taken apart.
type quantityText struct {
	negative        bool
	whole, fraction string // digits; whole has no leading zeros, but for "0"
	number          string // the text up to the suffix
	suffix          string
}

// takeApart splits a quantity. Zeros followed by nothing are zero, whatever stood in front.
func takeApart(s string) (quantityText, error) {
	rest := s
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		rest = rest[1:]
	}
	q := quantityText{negative: strings.HasPrefix(s, "-")}
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
		return q, errQuantityForm
	}
	return q, nil
}

func leading(s, chars string) (head, rest string) {
	rest = strings.TrimLeft(s, chars)
	return s[:len(s)-len(rest)], rest
}

// suffix is what stands behind the number: a power of two or of ten.
type suffix struct {
	binary   bool
	exponent int32
}

func parseSuffix(s string) (suffix, bool) {
	const decimal, binary = "numkMGTPE", "KMGTPE"
	switch {
	case s == "":
		return suffix{}, true
	case len(s) == 1 && strings.Contains(decimal, s):
		i := strings.Index(decimal, s)
		if i < len("num") {
			i--
		}
		return suffix{exponent: int32(i-2) * 3}, true
	case len(s) == 2 && s[1] == 'i' && strings.Contains(binary, s[:1]):
		return suffix{binary: true, exponent: int32(strings.Index(binary, s[:1])+1) * 10}, true
	case s[0] == 'e' || s[0] == 'E':
		exponent, err := strconv.ParseInt(s[1:], 10, 64)
		return suffix{exponent: int32(exponent)}, err == nil
	}
	return suffix{}, false
}

// parseQuantity reads a quantity as the API does: it keeps at most nine decimals,
// rounded away from zero, and caps binary amounts at the largest int64.
func parseQuantity(s string) (decimal, error) {
	if s == "" {
		return decimal{}, errQuantityForm
	}
	q, err := takeApart(s)
	if err != nil {
		return decimal{}, err
	}
	suffix, ok := parseSuffix(q.suffix)
	if !ok {
		return decimal{}, errQuantitySuffix
	}
	if d, ok, err := smallQuantity(q, suffix); ok || err != nil {
		return d, err
	}
	return largeQuantity(q, suffix)
}

// smallQuantity makes a decimal of an int64, if there are so few digits that the API does.
func smallQuantity(q quantityText, suffix suffix) (decimal, bool, error) {
	d := decimal{exponent: suffix.exponent - int32(len(q.fraction))}
	factor := int64(1)
	precision := 18 - len(q.whole) - len(q.fraction)
	if suffix.binary {
		if q.fraction != "" {
			return d, false, nil
		}
		d.exponent, factor = 0, 1<<suffix.exponent
		precision = 15 - len(q.whole) - int(float32(suffix.exponent)*3/10) - 1
	}
	if precision < 0 || d.exponent < -9 {
		return d, false, nil
	}
	digits, err := strconv.ParseInt(q.whole+q.fraction, 10, 64)
	if err != nil {
		return d, false, errQuantityNumber
	}
	var fits bool
	if d.small, fits = product(digits, factor); !fits {
		return d, false, nil
	}
	if q.negative {
		d.small = -d.small
	}
	return d, true, nil
}

// largeQuantity makes a decimal of any number of digits.
func largeQuantity(q quantityText, suffix suffix) (decimal, error) {
	digits, ok := new(big.Int).SetString(q.whole+q.fraction, 10)
	if !ok || !strings.ContainsAny(q.number, "0123456789") {
		return decimal{}, errQuantityNumber
	}
	d := decimal{large: digits, exponent: -int32(len(q.fraction))}
	if suffix.binary {
		digits.Lsh(digits, uint(suffix.exponent))
	} else {
		d.exponent += suffix.exponent
	}
	d.toExponent(-9)
	if limit := (decimal{small: math.MaxInt64}); suffix.binary && d.compare(limit) > 0 {
		d = decimal{large: limit.digits()}
	}
	if q.negative {
		d = d.negated()
	}
	return d, nil
}

// toExponent makes the exponent what the API makes it, which shows in the last bits of
// floating-point numbers. Digits below are dropped, away from zero. The number is not negative.
func (d *decimal) toExponent(exponent int32) {
	drop := int64(exponent) - int64(d.exponent)
	switch {
	case d.large.Sign() == 0 || drop < -maxShift:
		return
	case drop < 0:
		d.large = shifted(d.large, int32(-drop))
	case drop > int64(len(d.large.String())):
		d.large = big.NewInt(1)
	default:
		var rest *big.Int
		d.large, rest = new(big.Int).QuoRem(d.large, shifted(big.NewInt(1), int32(drop)), new(big.Int))
		d.large.Add(d.large, big.NewInt(int64(rest.Sign())))
	}
	d.exponent = exponent
}
