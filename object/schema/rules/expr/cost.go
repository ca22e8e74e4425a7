package expr

import (
	"math"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// actualCosts says what calls cost when they are made, in the units of CEL, of which
// one second of work has some ten million. It implements interpreter.ActualCostEstimator.
type actualCosts struct{}

// accessCheckCost allows for two checks in one expression.
const accessCheckCost = 350_000

// CallCost gives nil for calls that cost what CEL itself says.
func (actualCosts) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	cost, ok := callCost(function, overload, args, result)
	if !ok {
		return nil
	}
	charged := cost // moves to the heap only here
	return &charged
}

func callCost(function, overload string, args []ref.Val, result ref.Val) (uint64, bool) {
	switch costOf(function, overload) {
	case constant:
		return 1, true
	case accessCheck:
		return accessCheckCost, true
	case selector:
		return selectorCost(size(args[1])), true
	case everyItem:
		return traversal(args[0]), true
	case oneScan, parsing:
		return scan(size(args[0]), 1), true
	case twoScans:
		return scan(size(args[0]), 2), true
	case joining:
		return scan(size(result), 2), true
	case matching:
		return matchCost(size(args[0]), size(args[1])), true
	case containing:
		return containsCost(overload, size(args[0]), size(args[1])), true
	case formatting:
		if f, ok := unwrap[*format](args[0]); ok {
			return matchCost(size(args[1]), uint64(f.size)), true
		}
	case equality:
		if _, ok := args[0].(interface{ comparesAtOnce() }); ok {
			return 1, true
		}
	case extension:
		return extensionCost(overload, args, result)
	}
	return 0, false
}

func size(v ref.Val) uint64 {
	if sizer, ok := v.(traits.Sizer); ok {
		return uint64(sizer.Size().(types.Int))
	}
	return 1
}

// scan is the cost of reading a text some times.
func scan(size uint64, times float64) uint64 {
	return uint64(math.Ceil(float64(size) * times * common.StringTraversalCostFactor))
}

// matchCost takes a regular expression to have a state for every four bytes. An
// empty text counts as one of a byte.
func matchCost(text, pattern uint64) uint64 {
	return scan(1+text, 1) * uint64(math.Ceil(float64(pattern)*common.RegexStringLengthCostFactor))
}

// containsCost is that of comparing an address or a network, parsed from a text
// perhaps, with a network of size bytes.
func containsCost(overload string, network, other uint64) uint64 {
	cost := scan(2*network, 1)
	switch overload {
	case "cidr_contains_cidr", "cidr_contains_cidr_string":
		cost += scan(network, 1) + 1
	}
	switch overload {
	case "cidr_contains_ip_string", "cidr_contains_cidr_string":
		cost += scan(other, 1)
	}
	return cost
}

// selectorCost is that of parsing a selector, which may have a requirement in every
// second byte.
func selectorCost(size uint64) uint64 {
	requirements := uint64(math.Ceil(float64(size) * requirementsPerByte))
	return common.ListCreateBaseCost + scan(size, 1) + uint64(math.Ceil(float64(requirements)*costPerRequirement))
}

const (
	requirementsPerByte = 0.5
	costPerRequirement  = float64(common.ListCreateBaseCost + common.StructCreateBaseCost)
)

// traversal is the cost of looking at all that a value holds.
func traversal(v ref.Val) uint64 {
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		cost := uint64(0)
		for it := v.Iterator(); it.HasNext() == types.True; {
			cost += traversal(it.Next())
		}
		return cost
	case traits.Mapper:
		cost := uint64(0)
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			cost += traversal(key) + traversal(v.Get(key))
		}
		return cost
	}
	return 1
}
