package expr

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// named is a type with the name that it has in overload identifiers.
type named struct {
	name string
	t    *cel.Type
}

var summable = []named{
	{"int", cel.IntType}, {"uint", cel.UintType}, {"double", cel.DoubleType}, {"duration", cel.DurationType},
}

var ordered = append(summable[:len(summable):len(summable)],
	named{"bool", cel.BoolType}, named{"timestamp", cel.TimestampType}, named{"string", cel.StringType}, named{"bytes", cel.BytesType})

// lists are the functions on lists that CEL itself has not.
func lists() []function {
	element := cel.TypeParamType("A")
	isSorted, sum, smallest, largest := fn("isSorted"), fn("sum"), fn("min"), fn("max")
	for _, c := range ordered {
		list := args(cel.ListType(c.t))
		isSorted.overloads = append(isSorted.overloads,
			cel.MemberOverload("list_"+c.name+"_is_sorted_bool", list, cel.BoolType, cel.UnaryBinding(listIsSorted)))
		smallest.overloads = append(smallest.overloads,
			cel.MemberOverload("list_"+c.name+"_min_"+c.name, list, c.t, cel.UnaryBinding(extreme("min", types.IntOne))))
		largest.overloads = append(largest.overloads,
			cel.MemberOverload("list_"+c.name+"_max_"+c.name, list, c.t, cel.UnaryBinding(extreme("max", types.IntNegOne))))
	}
	for _, s := range summable {
		sum.overloads = append(sum.overloads,
			cel.MemberOverload("list_"+s.name+"_sum_"+s.name, args(cel.ListType(s.t)), s.t, cel.UnaryBinding(sumOf(s.name))))
	}
	return []function{
		isSorted, sum, smallest, largest,
		fn("indexOf", cel.MemberOverload("list_a_index_of_int", args(cel.ListType(element), element), cel.IntType, cel.BinaryBinding(firstIndex))),
		fn("lastIndexOf", cel.MemberOverload("list_a_last_index_of_int", args(cel.ListType(element), element), cel.IntType, cel.BinaryBinding(lastIndex))),
	}
}

func listIsSorted(list ref.Val) ref.Val {
	iterable, ok := list.(traits.Iterable)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	var before traits.Comparer
	for it := iterable.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		comparer, ok := item.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(item)
		}
		if before != nil && before.Compare(item) == types.IntOne {
			return types.False
		}
		before = comparer
	}
	return types.True
}

func sumOf(name string) func(ref.Val) ref.Val {
	zero := map[string]traits.Adder{
		"int": types.IntZero, "uint": types.Uint(0), "double": types.Double(0), "duration": types.Duration{},
	}[name]
	return func(list ref.Val) ref.Val {
		iterable, ok := list.(traits.Iterable)
		if !ok {
			return types.MaybeNoSuchOverloadErr(list)
		}
		sum := zero
		for it := iterable.Iterator(); it.HasNext() == types.True; {
			next := sum.Add(it.Next())
			if sum, ok = next.(traits.Adder); !ok {
				return types.MaybeNoSuchOverloadErr(next)
			}
		}
		return sum.(ref.Val)
	}
}

// extreme finds the item that all others compare to with better or equally.
func extreme(name string, worse ref.Val) func(ref.Val) ref.Val {
	return func(list ref.Val) ref.Val {
		iterable, ok := list.(traits.Iterable)
		if !ok {
			return types.MaybeNoSuchOverloadErr(list)
		}
		var found traits.Comparer
		for it := iterable.Iterator(); it.HasNext() == types.True; {
			item := it.Next()
			comparer, ok := item.(traits.Comparer)
			if !ok {
				return types.MaybeNoSuchOverloadErr(item)
			}
			if found == nil || found.Compare(item) == worse {
				found = comparer
			}
		}
		if found == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return found.(ref.Val)
	}
}

func firstIndex(list, item ref.Val) ref.Val {
	lister, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	size := lister.Size().(types.Int)
	for i := types.Int(0); i < size; i++ {
		if lister.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}

func lastIndex(list, item ref.Val) ref.Val {
	lister, ok := list.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(list)
	}
	for i := lister.Size().(types.Int) - 1; i >= 0; i-- {
		if lister.Get(i).Equal(item) == types.True {
			return i
		}
	}
	return types.IntNegOne
}
