package expr

import (
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// alternative is "or" or "orValue" of an optional value. Its second operand is
// evaluated only if it is needed, so that it is no function.
type alternative struct {
	interpreter.InterpretableV2 // the call that it stands for, which has the identifier
	optional, otherwise         interpreter.InterpretableV2
	unpack                      bool // whether the result is what the optional value holds
}

// planAlternative puts an alternative in the place of such a call.
func planAlternative(step interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
	call, ok := step.(interpreter.InterpretableCall)
	if !ok || len(call.Args()) != 2 {
		return step, nil
	}
	a := &alternative{InterpretableV2: step, optional: call.Args()[0], otherwise: call.Args()[1]}
	switch call.Function() {
	case "or":
		ok = call.OverloadID() == "" || call.OverloadID() == "optional_or_optional"
	case "orValue":
		a.unpack = true
		ok = call.OverloadID() == "" || call.OverloadID() == "optional_orValue_value"
	default:
		ok = false
	}
	if !ok {
		return step, nil
	}
	return a, nil
}

// Exec implements interpreter.InterpretableV2.
func (a *alternative) Exec(frame *interpreter.ExecutionFrame) ref.Val {
	switch v := a.optional.Exec(frame).(type) {
	case *types.Err, *types.Unknown:
		return v
	case *types.Optional:
		switch {
		case !v.HasValue():
			return a.otherwise.Exec(frame)
		case a.unpack:
			return v.GetValue()
		}
		return v
	}
	return types.NoSuchOverloadErr()
}

// Eval implements interpreter.InterpretableV2.
func (a *alternative) Eval(variables interpreter.Activation) ref.Val {
	return a.Exec(interpreter.AsFrame(variables))
}
