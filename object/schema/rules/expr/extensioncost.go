package expr

import (
	"math"
	"strings"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// The extension libraries of CEL give their costs to programs of cel.Env only, so
// that they are stated here again: those of sets and of lists.

// extensionCost is the actual cost of a function of an extension library.
func extensionCost(overload string, args []ref.Val, result ref.Val) (uint64, bool) {
	switch overload {
	case "list_slice", "lists_range", "list_reverse":
		return listCost(1, size(result)), true
	case "list_flatten":
		return listCost(1, size(args[0])), true
	case "list_flatten_int":
		depth := 1.0
		if i, ok := integer(args[1]); ok && i >= 0 {
			depth = float64(i)
		}
		return listCost(depth, size(args[0])), true
	case "list_distinct":
		return squareCost(args[0]), true
	case "list_sets_contains_list", "list_sets_intersects_list":
		return 1 + size(args[0])*size(args[1]), true
	case "list_sets_equivalent_list":
		return 1 + size(args[0])*size(args[1])*2, true
	}
	switch {
	case strings.HasSuffix(overload, "_sort"):
		return squareCost(args[0]), true
	case strings.HasSuffix(overload, "_sortByAssociatedKeys"):
		return squareCost(args[1]), true
	}
	return 0, false
}

// listCost is that of a call that makes a list.
func listCost(perItem float64, size uint64) uint64 {
	return uint64(float64(size)*perItem) + 1 + common.ListCreateBaseCost
}

// squareCost is that of comparing all items of a list with all.
func squareCost(v ref.Val) uint64 {
	list, ok := v.(traits.Lister)
	n := size(v)
	if !ok || n == 0 {
		return listCost(0, 0)
	}
	perItem := 2.0
	if t := list.Get(types.IntZero).Type(); t == types.StringType || t == types.BytesType {
		perItem += common.StringTraversalCostFactor
	}
	return listCost(perItem, n*n)
}

// estimateExtension is the cost that a function of an extension library may have.
func (e estimator) estimateExtension(overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	switch overload {
	case "list_sets_contains_list", "list_sets_intersects_list":
		return e.estimateSets(args, 1)
	case "list_sets_equivalent_list":
		return e.estimateSets(args, 2)
	case "lists_range":
		return estimateList(1, checker.FixedSizeEstimate(literal(args[0], math.MaxUint)))
	}
	if target == nil {
		return nil
	}
	size := e.size(*target)
	switch overload {
	case "list_slice":
		return estimateList(1, checker.FixedSizeEstimate(literal(args[1], size.Max)-literal(args[0], 0)))
	case "list_reverse", "list_flatten":
		return estimateList(1, size)
	case "list_flatten_int":
		return estimateList(float64(literal(args[0], math.MaxUint)), size)
	case "list_distinct":
		return estimateList(2, size.Multiply(size))
	}
	switch {
	case strings.HasSuffix(overload, "_sort"):
		return estimateSort(overload, size)
	case strings.HasSuffix(overload, "_sortByAssociatedKeys"):
		return estimateSort(overload, e.size(args[0]))
	}
	return nil
}

func (e estimator) estimateSets(args []checker.AstNode, factor float64) *checker.CallEstimate {
	cost := e.size(args[0]).Multiply(e.size(args[1])).MultiplyByCostFactor(factor)
	return &checker.CallEstimate{CostEstimate: cost.Add(checker.FixedCostEstimate(1))}
}

func estimateSort(overload string, size checker.SizeEstimate) *checker.CallEstimate {
	perItem := 2.0
	if strings.HasPrefix(overload, "list_string_") || strings.HasPrefix(overload, "list_bytes_") {
		perItem += common.StringTraversalCostFactor
	}
	return estimateList(perItem, size.Multiply(size))
}

func estimateList(perItem float64, size checker.SizeEstimate) *checker.CallEstimate {
	cost := size.MultiplyByCostFactor(perItem).Add(checker.FixedCostEstimate(1 + common.ListCreateBaseCost))
	return &checker.CallEstimate{CostEstimate: cost, ResultSize: &size}
}

// literal gives the number that stands in the expression, or else another.
func literal(node checker.AstNode, otherwise uint64) uint64 {
	i, ok := literalInt(node)
	if !ok {
		return otherwise
	}
	return uint64(max(i, 0))
}
