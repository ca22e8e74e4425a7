package expr

import (
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// regexes are the functions that find matches. Patterns are those of package regexp.
func regexes() []function {
	return []function{
		fn("find", cel.MemberOverload("string_find_string", args(cel.StringType, cel.StringType), cel.StringType,
			cel.BinaryBinding(func(s, pattern ref.Val) ref.Val { return withPattern(findFirst, s, pattern) }))),
		fn("findAll",
			cel.MemberOverload("string_find_all_string", args(cel.StringType, cel.StringType), cel.ListType(cel.StringType),
				cel.BinaryBinding(func(s, pattern ref.Val) ref.Val { return withPattern(findAll, s, pattern) })),
			cel.MemberOverload("string_find_all_string_int", args(cel.StringType, cel.StringType, cel.IntType), cel.ListType(cel.StringType),
				cel.FunctionBinding(func(values ...ref.Val) ref.Val { return withPattern(findAll, values...) }))),
	}
}

// constantPatterns lets find and findAll compile a pattern once, when the program is
// made, if it stands in the expression.
func constantPatterns() []*interpreter.RegexOptimization {
	return []*interpreter.RegexOptimization{
		interpreter.MatchesRegexOptimization, constantPattern("find", findFirst), constantPattern("findAll", findAll),
	}
}

func constantPattern(function string, find finder) *interpreter.RegexOptimization {
	return &interpreter.RegexOptimization{
		Function:   function,
		RegexIndex: 1,
		Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
			re, err := regexp.Compile(pattern)
			if err != nil {
				return nil, err
			}
			return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
				return find(re, values...)
			}), nil
		},
	}
}

// finder takes the text, the pattern (which it has in another form already) and, maybe, a limit.
type finder func(re *regexp.Regexp, values ...ref.Val) ref.Val

func withPattern(find finder, values ...ref.Val) ref.Val {
	pattern, ok := text(values[1])
	if !ok {
		return types.MaybeNoSuchOverloadErr(values[1])
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return types.NewErr("Illegal regex: %v", err.Error())
	}
	return find(re, values...)
}

func findFirst(re *regexp.Regexp, values ...ref.Val) ref.Val {
	s, ok := text(values[0])
	if !ok {
		return types.MaybeNoSuchOverloadErr(values[0])
	}
	return types.String(re.FindString(s))
}

func findAll(re *regexp.Regexp, values ...ref.Val) ref.Val {
	s, ok := text(values[0])
	if !ok {
		return types.MaybeNoSuchOverloadErr(values[0])
	}
	limit := int64(-1)
	if len(values) == 3 {
		if limit, ok = integer(values[2]); !ok {
			return types.MaybeNoSuchOverloadErr(values[2])
		}
	}
	return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(s, int(limit)))
}
