package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

var quantityType = cel.ObjectType("kubernetes.Quantity")

var quantityKind = &kind[quantity.Quantity]{
	celType: quantityType,
	equal:   func(a, b quantity.Quantity) bool { return a.Compare(b) == 0 },
}

// quantities are the functions on amounts of resources such as 500m and 1Gi.
func quantities() []function {
	compare := func(name, id string, result *cel.Type, test func(order int) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(quantityType, quantityType), result,
			binary(unwrap, unwrap, func(a, b quantity.Quantity) ref.Val { return test(a.Compare(b)) })))
	}
	get := func(name, id string, result *cel.Type, value func(quantity.Quantity) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(quantityType), result, unary(unwrap, value)))
	}
	minus := func(a, b quantity.Quantity) ref.Val { return addQuantities(a, b.Negated()) }
	return []function{
		fn("quantity", cel.Overload("string_to_quantity", args(cel.StringType), quantityType, parsed(quantityKind, quantity.Parse))),
		fn("isQuantity", cel.Overload("is_quantity_string", args(cel.StringType), cel.BoolType, isValid(quantity.Parse))),
		fn("sign", cel.Overload("quantity_sign", args(quantityType), cel.IntType,
			unary(unwrap, func(d quantity.Quantity) ref.Val { return types.Int(d.Sign()) }))),
		compare("isGreaterThan", "quantity_is_greater_than", cel.BoolType, isGreater),
		compare("isLessThan", "quantity_is_less_than", cel.BoolType, isLess),
		compare("compareTo", "quantity_compare_to", cel.IntType, order),
		get("asApproximateFloat", "quantity_get_float", cel.DoubleType, func(d quantity.Quantity) ref.Val { return types.Double(d.Float64()) }),
		get("asInteger", "quantity_get_int", cel.IntType, quantityAsInteger),
		get("isInteger", "quantity_is_integer", cel.BoolType, func(d quantity.Quantity) ref.Val { _, ok := d.Int64(); return types.Bool(ok) }),
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

func wholeQuantity(v ref.Val) (quantity.Quantity, bool) {
	i, ok := integer(v)
	return quantity.Of(i), ok
}

func quantityAsInteger(d quantity.Quantity) ref.Val {
	i, ok := d.Int64()
	if !ok {
		return types.NewErr("cannot convert value to integer")
	}
	return types.Int(i)
}

func addQuantities(a, b quantity.Quantity) ref.Val {
	sum, ok := a.Plus(b)
	if !ok {
		return types.NewErr("quantities differ too much to be added")
	}
	return quantityKind.val(sum)
}
