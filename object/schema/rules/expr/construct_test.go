package expr_test

import (
	"fmt"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// construct evaluates an expression without variables in a scope of mutations.
func construct(t testing.TB, text string) (value any, kind *cel.Type, err error) {
	var language expr.Language
	scope, err := language.MutationScope(nil)
	require.NoError(t, err)
	checked, err := language.Check(scope, text)
	if err != nil {
		return nil, nil, err
	}
	program, err := checked.Program()
	require.NoError(t, err)
	v, _, err := program.Evaluate(expr.Variables(func(string) (any, bool) { return nil, false }))
	if err != nil {
		return nil, nil, err
	}
	switch kind = checked.Type(); {
	case kind.IsExactType(expr.ObjectType):
		value, err = expr.Configuration(v)
	case kind.IsExactType(cel.ListType(expr.JSONPatchType)):
		value, err = expr.PatchOperations(v)
	default:
		value = v.Value()
	}
	return value, kind, err
}

func TestExpressionsConstructObjectsAndPatches(t *testing.T) {
	type document = map[string]any
	for _, c := range []struct {
		text  string
		value any
	}{
		{`Object{}`, document{}},
		{`Object{spec: Object.spec{replicas: 3, ratio: 0.5, ready: true, ?none: optional.none(), ?some: optional.of("x")}}`,
			document{"spec": document{"replicas": int64(3), "ratio": 0.5, "ready": true, "some": "x"}}},
		{`Object{list: [Object.list{a: 1}], map: {"k": Object.map{b: 2}}, texts: ["a"]}`,
			document{"list": []any{document{"a": int64(1)}}, "map": document{"k": document{"b": int64(2)}}, "texts": []any{"a"}}},
		{`Object{spec: Object.spec{n: 3}}.spec.n`, int64(3)},
		{`Object{spec: Object.spec{n: 3}} == Object{spec: Object.spec{n: 1 + 2}}`, true},
		{`Object{a: 1} == Object{b: 1}`, false},
		{`dyn(Object{}) == dyn(Object.spec{})`, false},
		{`has(Object{a: 1}.a) && !has(Object{a: 1}.b) && !has(Object{a: Object.a{}}.a.b)`, true},
		{`Object{}.?a.hasValue() || optional.ofNonZeroValue(Object{}).hasValue()`, false},
		{`type(Object.spec{}) == type(Object.spec{}) && type(Object.spec{}) != type(Object{})`, true},
		{`JSONPatch{op: "add", path: "/a", value: 1} == JSONPatch{op: "add", path: "/a", value: 1}`, true},
		{`JSONPatch{op: "add", path: "/a"}.path`, "/a"},
		{`[JSONPatch{op: "copy", from: "/a", path: "/" + jsonpatch.escapeKey("b/c~d")}, JSONPatch{value: [1]}]`,
			[]any{document{"op": "copy", "from": "/a", "path": "/b~1c~0d"}, document{"op": "", "path": "", "value": []any{int64(1)}}}},
	} {
		value, _, err := construct(t, c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.value, value, c.text)
	}
}

func TestConstructionThatIsRefused(t *testing.T) {
	for text, message := range map[string]string{
		`Thing{}`:                        "undeclared reference to 'Thing'",
		`Objects{}`:                      "undeclared reference to 'Objects'",
		`JSONPatch{colour: 1}`:           "expected type of field 'colour' is '' but provided type is 'int'",
		`JSONPatch{op: 1}`:               "expected type of field 'op' is 'string' but provided type is 'int'",
		`[JSONPatch{op: dyn(1)}]`:        "type mismatch: op of a JSONPatch is of type int",
		`Object{spec: Object.status{}}`:  `type mismatch: unexpected type name "Object.status", expected "Object.spec"`,
		`Object{a: [{"k": Object.b{}}]}`: `expected "Object.a"`,
		`Object{a: {1: "x"}}`:            `fail to convert field "a": map key 1 is of type int, not string`,
	} {
		_, _, err := construct(t, text)
		require.ErrorContains(t, err, message, text)
	}
	var language expr.Language
	scope, err := language.Scope(nil)
	require.NoError(t, err)
	for _, text := range []string{`Object{}`, `JSONPatch{}`, `jsonpatch.escapeKey("a")`} {
		_, err := language.Check(scope, text)
		require.ErrorContains(t, err, "undeclared reference", text)
	}
}

func ExampleConfiguration() {
	var language expr.Language
	scope, _ := language.MutationScope(nil)
	checked, _ := language.Check(scope, `Object{metadata: Object.metadata{labels: {"a": "b"}}}`)
	program, _ := checked.Program()
	value, _, _ := program.Evaluate(expr.Variables(func(string) (any, bool) { return nil, false }))
	fmt.Println(expr.Configuration(value))
	// Output: map[metadata:map[labels:map[a:b]]] <nil>
}
