package rules_test

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

func Example() {
	s, err := schema.Parse(map[string]any{
		"type": "object",
		"properties": map[string]any{
			"replicas": map[string]any{
				"type": "integer",
				"x-kubernetes-validations": []any{
					map[string]any{"rule": "self % 2 == 1", "message": "must be odd"},
					map[string]any{"rule": "self >= oldSelf", "messageExpression": "'may not shrink from %d'.format([oldSelf])"},
				},
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var language expr.Language
	report := s.Check("schema", schema.CheckOptions{})
	fmt.Println("definition:", len(rules.Check(&language, s, "schema", &report, rules.CheckOptions{})), "errors")

	of := rules.For(&language, s)
	verdict := of.Validate(map[string]any{"replicas": int64(2)}, map[string]any{"replicas": int64(3)}, "spec", expr.Budget)
	for _, e := range verdict.Errors {
		fmt.Println(e)
	}
	// Output:
	// definition: 0 errors
	// spec.replicas: Invalid value: 2: must be odd
	// spec.replicas: Invalid value: 2: may not shrink from 3
}
