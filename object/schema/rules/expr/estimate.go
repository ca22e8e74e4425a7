package expr

import (
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
)

// Sizes says how large a value can be, in bytes or items, by the path from a variable
// to it: names of fields, "@items", "@keys" and "@values". ok is false if nobody knows.
type Sizes func(path []string) (size uint64, ok bool)

// estimator says what calls may cost at most, for expressions that are not run yet. It
// implements checker.CostEstimator. What it says decides which expressions the API
// accepts, so that it may not become stricter.
type estimator struct {
	sizes Sizes
}

// EstimateSize gives nil for unknown.
func (e estimator) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if e.sizes == nil || len(node.Path()) == 0 {
		return nil
	}
	size, ok := e.sizes(node.Path())
	if !ok {
		return nil
	}
	return &checker.SizeEstimate{Max: size}
}

func (e estimator) size(node checker.AstNode) checker.SizeEstimate {
	if s := node.ComputedSize(); s != nil {
		return *s
	}
	if s := e.EstimateSize(node); s != nil {
		return *s
	}
	return checker.UnknownSizeEstimate()
}

// EstimateCallCost gives nil for calls that cost what CEL itself says.
func (e estimator) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	if class := costOf(function, overload); target != nil {
		return e.estimateMember(class, function, overload, *target, args)
	} else if len(args) > 0 {
		return e.estimateGlobal(class, overload, args)
	} else if class == constant {
		return estimated(checker.FixedCostEstimate(1))
	}
	return nil
}

// estimateGlobal is for functions that are not called on a value.
func (e estimator) estimateGlobal(class costClass, overload string, args []checker.AstNode) *checker.CallEstimate {
	switch class {
	case constant:
		return estimated(checker.FixedCostEstimate(1))
	case oneScan:
		size := e.size(args[0])
		return &checker.CallEstimate{CostEstimate: scans(size, 1), ResultSize: &size}
	case parsing:
		return estimated(scans(e.size(args[0]), 1))
	case twoScans:
		return estimated(scans(e.size(args[0]), 2))
	case equality:
		if len(args) == 2 {
			return estimateEquality(args[0], args[1])
		}
	case extension:
		return e.estimateExtension(overload, nil, args)
	}
	return nil
}

// estimateMember is for functions that are called on a value.
func (e estimator) estimateMember(class costClass, function, overload string, target checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	size := e.size(target)
	switch class {
	case constant:
		return estimated(checker.FixedCostEstimate(1))
	case accessCheck:
		return estimated(checker.FixedCostEstimate(accessCheckCost))
	case everyItem:
		return estimated(e.estimateItems(target))
	case oneScan:
		return &checker.CallEstimate{CostEstimate: scans(size, 1), ResultSize: &size}
	case twoScans:
		if function == "split" {
			return &checker.CallEstimate{CostEstimate: scans(size, 2), ResultSize: &checker.SizeEstimate{Max: splitLimit(size, args)}}
		}
		result := replaced(size, e.size(args[0]), e.size(args[1]))
		return &checker.CallEstimate{CostEstimate: scans(size, 2), ResultSize: &result}
	case joining:
		result := e.joined(target, args)
		return &checker.CallEstimate{CostEstimate: scans(result, 1), ResultSize: &result}
	case extension:
		return e.estimateExtension(overload, &target, args)
	}
	if len(args) == 0 {
		return nil
	}
	argument := e.size(args[0])
	switch class {
	case selector:
		return estimated(estimateSelector(argument))
	case matching:
		cost := scans(size.Add(checker.FixedSizeEstimate(1)), 1).Multiply(argument.MultiplyByCostFactor(common.RegexStringLengthCostFactor))
		return &checker.CallEstimate{CostEstimate: cost, ResultSize: &checker.SizeEstimate{Max: size.Max}}
	case containing:
		return estimated(estimateContains(overload, argument))
	case formatting:
		return estimated(scans(argument, 1).MultiplyByCostFactor(maxFormatPattern * common.RegexStringLengthCostFactor))
	}
	return nil
}

// maxFormatPattern is how long the regular expression of a named format is taken to be.
const maxFormatPattern = 128

func estimated(cost checker.CostEstimate) *checker.CallEstimate {
	return &checker.CallEstimate{CostEstimate: cost}
}

func scans(size checker.SizeEstimate, times float64) checker.CostEstimate {
	return size.MultiplyByCostFactor(times * common.StringTraversalCostFactor)
}

// estimateItems counts one for each item, and for texts the reading of them.
func (e estimator) estimateItems(target checker.AstNode) checker.CostEstimate {
	size := e.size(target)
	parameters := target.Type().Parameters()
	if len(parameters) == 0 {
		return scans(size, 1) // on a text
	}
	perItem := checker.FixedCostEstimate(1)
	switch parameters[0].Kind() {
	case types.StringKind, types.BytesKind:
		perItem = perItem.Add(scans(e.size(itemOf(target)), 1))
	}
	return size.MultiplyByCost(perItem)
}

// splitLimit is how many parts there may be: one for every byte, or as many as are asked for.
func splitLimit(size checker.SizeEstimate, args []checker.AstNode) uint64 {
	if len(args) > 1 {
		if i, ok := literalInt(args[1]); ok {
			return uint64(i)
		}
	}
	return size.Max
}

// replaced is how long a text can be after something in it is replaced.
func replaced(text, old, new checker.SizeEstimate) checker.SizeEstimate {
	return checker.SizeEstimate{
		Min: replacedBound(text.Min, old.Max, new.Min, old.Max <= new.Min),
		Max: replacedBound(text.Max, old.Min, new.Max, new.Max <= old.Min),
	}
}

// replacedBound is one bound of it. Replacing the empty text surrounds every byte.
// kept says that nothing can move the bound beyond the length of the text.
func replacedBound(text, old, new uint64, kept bool) uint64 {
	switch {
	case old == 0:
		surrounded := checker.SizeEstimate{Max: text}.Add(checker.FixedSizeEstimate(1))
		return surrounded.Multiply(checker.FixedSizeEstimate(new)).Add(checker.FixedSizeEstimate(text)).Max
	case kept:
		return text
	}
	times := uint64(math.Ceil(float64(text) / float64(old)))
	return checker.FixedSizeEstimate(times).Multiply(checker.FixedSizeEstimate(new)).Max
}

// joined is how long a text of the items of a list and what stands between can be.
func (e estimator) joined(list checker.AstNode, args []checker.AstNode) checker.SizeEstimate {
	var result checker.SizeEstimate
	size := e.size(list)
	if len(list.Type().Parameters()) > 0 {
		result = size.Multiply(e.size(itemOf(list)))
	}
	if len(args) > 0 {
		between := checker.SizeEstimate{Min: max(size.Min, 1) - 1, Max: max(size.Max, 1) - 1}
		result = result.Add(e.size(args[0]).Multiply(between))
	}
	return result
}

func estimateSelector(size checker.SizeEstimate) checker.CostEstimate {
	requirements := size.MultiplyByCostFactor(requirementsPerByte).MultiplyByCostFactor(costPerRequirement)
	return checker.FixedCostEstimate(common.ListCreateBaseCost).Add(scans(size, 1)).Add(requirements)
}

func estimateContains(overload string, argument checker.SizeEstimate) checker.CostEstimate {
	address := checker.SizeEstimate{Min: 4, Max: 16}
	cost := scans(address.Add(address), 1)
	switch overload {
	case "cidr_contains_cidr", "cidr_contains_cidr_string":
		cost = cost.Add(scans(address, 1)).Add(checker.FixedCostEstimate(1))
	}
	switch overload {
	case "cidr_contains_ip_string", "cidr_contains_cidr_string":
		cost = cost.Add(scans(argument, 1))
	}
	return cost
}

// estimateEquality knows the types of this package. A format's name is taken for up
// to 64 bytes, a URL for as long as the text that it was made of.
func estimateEquality(a, b checker.AstNode) *checker.CallEstimate {
	if a.Type().Equal(b.Type()) != types.True {
		return nil
	}
	switch a.Type().TypeName() {
	case ipType.TypeName(), cidrType.TypeName(), quantityType.TypeName(), semverType.TypeName(),
		AuthorizerType.TypeName(), pathCheckType.TypeName(), groupCheckType.TypeName(), ResourceCheckType.TypeName(), decisionType.TypeName():
		return estimated(checker.FixedCostEstimate(1))
	case formatType.TypeName():
		return estimated(scans(checker.SizeEstimate{Min: 1, Max: 64}, 1))
	case urlType.TypeName():
		longest := uint64(1)
		if size := b.ComputedSize(); size != nil {
			longest = size.Max
		}
		return estimated(scans(checker.SizeEstimate{Min: 1, Max: longest}, 1))
	}
	return nil
}

// literalInt gives the int that stands in the expression itself.
func literalInt(node checker.AstNode) (int64, bool) {
	if node.Expr() == nil || node.Expr().Kind() != ast.LiteralKind {
		return 0, false
	}
	return integer(node.Expr().AsLiteral())
}

// itemNode stands for the items of a list that is part of an expression.
type itemNode struct {
	path     []string
	itemType *cel.Type
}

func itemOf(list checker.AstNode) checker.AstNode {
	item := itemNode{itemType: list.Type().Parameters()[0]}
	if path := list.Path(); path != nil {
		item.path = append(path[:len(path):len(path)], "@items")
	}
	return item
}

func (n itemNode) Path() []string                      { return n.path }
func (n itemNode) Type() *cel.Type                     { return n.itemType }
func (n itemNode) Expr() ast.Expr                      { return nil }
func (n itemNode) ComputedSize() *checker.SizeEstimate { return nil }
