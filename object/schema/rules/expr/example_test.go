package expr_test

import (
	"fmt"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

func Example() {
	var language expr.Language
	scope, err := language.Scope(nil, expr.Variable{Name: "address", Type: cel.StringType})
	if err != nil {
		fmt.Println(err)
		return
	}
	checked, err := language.Check(scope, "cidr('10.0.0.0/8').containsIP(ip(address))")
	if err != nil {
		fmt.Println(err)
		return
	}
	program, err := checked.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	inside, cost, err := program.Evaluate(expr.Variables(func(name string) (any, bool) {
		return "10.1.2.3", name == "address"
	}))
	fmt.Println(checked.Type(), inside.Value(), cost, err)
	// Output: bool true 4 <nil>
}
