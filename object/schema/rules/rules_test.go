package rules_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

func decode(t testing.TB, text string) object.Object {
	doc, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	return doc
}

// holds says whether a rule on an object with the given properties holds for a value.
func holds(t *testing.T, properties, value, rule string) bool {
	t.Helper()
	doc := decode(t, "{type: object, properties: "+properties+"}")
	doc["x-kubernetes-validations"] = []any{map[string]any{"rule": rule}}
	var language expr.Language
	of := rules.For(&language, parseSchema(t, doc))
	verdict := of.Validate(map[string]any(decode(t, value)), nil, "", expr.Budget)
	if len(verdict.Errors) == 0 {
		return true
	}
	require.Equal(t, "<nil>: Invalid value: failed rule: "+rule, verdict.Errors.Error())
	return false
}

func TestListsInRules(t *testing.T) {
	const properties = `{
		sets: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: set, items: {type: string}}},
		maps: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a-b],
			items: {type: object, properties: {a-b: {type: string}, v: {type: integer}}}}},
		pairs: {type: object, additionalProperties: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a-b, v],
			items: {type: object, properties: {a-b: {type: string}, v: {type: integer}}}}},
		plain: {type: array, items: {type: string}}}`
	const value = `{
		sets: {one: [p, q], other: [q, p]},
		maps: {one: [{a-b: m, v: 1}, {a-b: o, v: 2}], other: [{a-b: o, v: 2}, {a-b: m, v: 1}], changed: [{a-b: m, v: 9}]},
		pairs: {one: [{a-b: m, v: 1}, {a-b: m, v: 2}], other: [{a-b: m, v: 2}, {a-b: m, v: 1}], more: [{a-b: m, v: 3}, {a-b: m, v: 2}]},
		plain: [p, q]}`
	for rule, want := range map[string]bool{
		"self.sets.one == self.sets.other":                                       true,
		"self.sets.one + ['q', 'r'] == ['r', 'q', 'p']":                          true,
		"((self.sets.one + ['r']) + ['r', 's']).size() == 4":                     true,
		"self.sets.one + ['r'] == self.sets.other":                               false,
		"self.sets.one.map(x, x + x).isSorted()":                                 true,
		"'p' in self.sets.one && !('x' in self.plain)":                           true,
		"self.plain == ['q', 'p']":                                               false,
		"self.plain + ['q'] == ['p', 'q', 'q']":                                  true,
		"self.plain.join('-') == 'p-q'":                                          true,
		"self.plain.all(i, x, i < 2)":                                            true,
		"self.plain.transformMapEntry(i, v, {v: i}) == {'p': 0, 'q': 1}":         true,
		"self.maps.one == self.maps.other":                                       true,
		"self.maps.one[0] == self.maps.other[0]":                                 false,
		"(self.maps.one + self.maps.other).size() == 2":                          true,
		"(self.maps.one + self.maps.changed)[0].v == 9":                          true,
		"(self.maps.one + self.maps.changed) + self.maps.one == self.maps.one":   true,
		"self.maps.changed + self.maps.one == self.maps.other":                   true,
		"self.maps.one == self.maps.changed":                                     false,
		"self.maps.one.exists(m, m.a__dash__b == 'o' && m.v == 2)":               true,
		"self.pairs.one == self.pairs.other":                                     true,
		"(self.pairs.one + self.pairs.more).size() == 3":                         true,
		"self.pairs.one == self.pairs.more":                                      false,
		"type(self.plain) == list && type(self) == map && self.maps.size() == 3": true,
	} {
		t.Run(rule, func(t *testing.T) {
			require.Equal(t, want, holds(t, properties, value, rule))
		})
	}
}

func TestValuesInRules(t *testing.T) {
	const properties = `{
		bytes: {type: string, format: byte}, day: {type: string, format: date}, time: {type: string, format: date-time},
		span: {type: string, format: duration}, words: {type: string, format: duration},
		number: {type: number}, whole: {type: number}, either: {x-kubernetes-int-or-string: true},
		none: {type: string, nullable: true}, labels: {type: object, additionalProperties: {type: string, nullable: true}},
		open: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}}},
		inner: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}`
	const value = `{
		bytes: aGk=, day: "2024-02-29", time: "2024-02-29T12:00:00+01:00", span: 90s, words: 2 hours,
		number: 1.5, whole: 2, either: "10%", none: null, labels: {a: null, b: x},
		open: [{a: x, more: [1, {b: 2}]}, {a: x, more: [1, {b: 2}]}, {a: x, more: [1, {b: 3}]}],
		inner: {apiVersion: v1, kind: Pod, metadata: {name: it, labels: {a: b}}, spec: {}}}`
	for rule, want := range map[string]bool{
		"self.bytes == b'hi'": true,
		"self.day < self.time && self.day.getDayOfMonth() == 28":           true,
		"self.time == timestamp('2024-02-29T11:00:00Z')":                   true,
		"self.span == duration('1m30s') && self.words == duration('120m')": true,
		"self.number + self.whole == 3.5":                                  true,
		"type(self.either) == string && self.either.endsWith('%')":         true,
		"has(self.none)": false,
		"self.labels.size() == 2 && dyn(self.labels['a']) == null":     true,
		"self.labels.all(k, k in ['a', 'b'])":                          true,
		"self.open[0] == self.open[1] && self.open[0].a == 'x'":        true,
		"self.open[0] == self.open[2]":                                 false,
		"self.inner.kind == 'Pod' && self.inner.metadata.name == 'it'": true,
		"has(self.inner.metadata.generateName)":                        false,
	} {
		t.Run(rule, func(t *testing.T) {
			require.Equal(t, want, holds(t, properties, value, rule))
		})
	}
}

func TestBudgetIsSharedByAllRules(t *testing.T) {
	var language expr.Language
	of := rules.For(&language, parseSchema(t, decode(t, `
type: object
properties:
  a: {type: integer, x-kubernetes-validations: [{rule: "self + self > 0"}, {rule: "self < 5"}]}
  b: {type: integer, x-kubernetes-validations: [{rule: "self > 1", message: b}]}
`)))
	value := map[string]any{"a": int64(9), "b": int64(0)}
	verdict := of.Validate(value, nil, "spec", expr.Budget)
	require.Equal(t, `[spec.a: Invalid value: 9: failed rule: self < 5, spec.b: Invalid value: 0: b]`, verdict.Errors.Error())
	cost := expr.Budget - verdict.Budget
	require.Positive(t, cost)

	verdict = of.Validate(value, nil, "", cost-1)
	require.Equal(t, `[a: Invalid value: 9: failed rule: self < 5, b: Invalid value: "integer": validation failed due to running out of cost budget, no further validation rules will be run]`, verdict.Errors.Error())
	require.Negative(t, verdict.Budget)
}

func TestWarningsForWhatWasWrongBefore(t *testing.T) {
	var language expr.Language
	of := rules.For(&language, parseSchema(t, decode(t, `
type: object
properties:
  spec:
    type: object
    properties:
      num: {type: integer, x-kubernetes-validations: [{rule: self < 5, message: small}]}
      list: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self < 5, message: small item}]}}
      kind: {type: string, x-kubernetes-validations: [{rule: "self == 'a'", message: a}]}
  kind: {type: string, x-kubernetes-validations: [{rule: "self == 'A'", message: A}]}
`)))
	old := decode(t, `{kind: B, spec: {num: 9, list: [8, 1], kind: b}}`)
	for name, c := range map[string]struct {
		value            string
		errors, warnings []string
	}{
		"all the same": {`{kind: B, spec: {num: 9, list: [8, 1], kind: b}}`,
			[]string{`kind: Invalid value: "B": A`},
			[]string{`spec.kind: Invalid value: "b": a`, `spec.list[0]: Invalid value: 8: small item`, `spec.num: Invalid value: 9: small`}},
		"another bad value": {`{kind: A, spec: {num: 10, list: [8, 1], kind: a}}`,
			[]string{`spec.num: Invalid value: 10: small`}, []string{`spec.list[0]: Invalid value: 8: small item`}},
		"another item of a list without keys": {`{kind: A, spec: {list: [8, 2]}}`,
			[]string{`spec.list[0]: Invalid value: 8: small item`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			verdict := of.Validate(map[string]any(decode(t, c.value)), map[string]any(old), "", expr.Budget)
			var errs []string
			for _, e := range verdict.Errors {
				errs = append(errs, e.Error())
			}
			require.Equal(t, c.errors, errs)
			require.Equal(t, c.warnings, verdict.Warnings)
		})
	}
}

func TestRulesThatDoNotCompileAreErrorsOfObjects(t *testing.T) {
	var language expr.Language
	of := rules.For(&language, parseSchema(t, decode(t, `{type: object, x-kubernetes-validations: [{rule: self.x}, {rule: " "}]}`)))
	verdict := of.Validate(map[string]any{}, nil, "", expr.Budget)
	require.Equal(t, "<nil>: Invalid value: \"object\": rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x\n | ....^", verdict.Errors.Error())
}

func TestNoRulesSayNothing(t *testing.T) {
	var language expr.Language
	of := rules.For(&language, parseSchema(t, object.Object{"type": "object"}))
	require.Nil(t, of)
	require.Equal(t, rules.Verdict{Budget: 7}, of.Validate(map[string]any{}, nil, "", 7))
}

func TestRulesCompileOnceForManyGoroutines(t *testing.T) {
	var language expr.Language
	of := rules.For(&language, manyRules(t, 20))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 10 {
				if v := of.Validate(manyValues(20), nil, "", expr.Budget); len(v.Errors) > 0 {
					t.Error(v.Errors)
				}
			}
		})
	}
	wait.Wait()
}

// manyRules is a schema with a rule on each of n properties.
func manyRules(t testing.TB, n int) *schema.Schema {
	properties := object.Object{}
	for i := range n {
		properties[fmt.Sprintf("p%d", i)] = map[string]any{
			"type": "object", "properties": map[string]any{
				"name":  map[string]any{"type": "string", "maxLength": int64(20 + i)},
				"items": map[string]any{"type": "array", "maxItems": int64(5), "items": map[string]any{"type": "integer"}},
			},
			"x-kubernetes-validations": []any{map[string]any{
				"rule": fmt.Sprintf("self.name.startsWith('n') && self.items.all(i, i < %d)", 1000+i),
			}},
		}
	}
	return parseSchema(t, object.Object{"type": "object", "properties": map[string]any(properties)})
}

func manyValues(n int) map[string]any {
	value := map[string]any{}
	for i := range n {
		value[fmt.Sprintf("p%d", i)] = map[string]any{"name": "n", "items": []any{int64(1), int64(2)}}
	}
	return value
}

func TestARuleTakesFewKilobytes(t *testing.T) {
	const n = 500
	var language expr.Language
	s := manyRules(t, n)
	rules.For(&language, s).Validate(manyValues(1), nil, "", expr.Budget) // makes the language
	before := heap()
	of := rules.For(&language, s)
	of.Validate(manyValues(n), nil, "", expr.Budget)
	perRule := (heap() - before) / n
	runtime.KeepAlive(of)
	t.Logf("%d bytes per rule", perRule)
	require.Less(t, perRule, int64(6_000))
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func FuzzCheck(f *testing.F) {
	for _, seed := range [][2]string{
		{"self.a == self.b.size()", "'x' + string(self.a)"}, {"oldSelf == self", "self"}, {"self.b.all(x, x.matches('['))", ""},
		{"self.c['k'].?x.hasValue()", "''"}, {"has(self.c.x) || self.d", "'%d'.format([self.a])"},
	} {
		f.Add(seed[0], seed[1], false)
	}
	var language expr.Language
	f.Fuzz(func(t *testing.T, rule, message string, optional bool) {
		doc := decode(t, `{type: object, properties: {a: {type: integer}, b: {type: array, items: {type: string}}, c: {type: object, additionalProperties: {type: object, properties: {x: {type: number}}}}, d: {x-kubernetes-int-or-string: true}}}`)
		doc["x-kubernetes-validations"] = []any{map[string]any{"rule": rule, "messageExpression": message, "optionalOldSelf": optional}}
		s := parseSchema(t, doc)
		report := s.Check("f", schema.CheckOptions{})
		rules.Check(&language, s, "f", &report, rules.CheckOptions{})
		value := decode(t, `{a: 1, b: [x, "y"], c: {k: {x: 1.5}}, d: 5}`)
		for _, old := range []any{nil, map[string]any(value)} {
			verdict := rules.For(&language, s).Validate(map[string]any(value), old, "", expr.Budget)
			require.NotContains(t, verdict.Errors.Error(), "internal error")
		}
	})
}

func BenchmarkCheck500Rules(b *testing.B) {
	var language expr.Language
	s := manyRules(b, 500)
	report := s.Check("f", schema.CheckOptions{})
	b.ReportAllocs()
	for b.Loop() {
		if errs := rules.Check(&language, s, "f", &report, rules.CheckOptions{}); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}

func BenchmarkCompile500Rules(b *testing.B) {
	var language expr.Language
	s := manyRules(b, 500)
	value := manyValues(500)
	b.ReportAllocs()
	for b.Loop() {
		rules.For(&language, s).Validate(value, nil, "", expr.Budget)
	}
}

func BenchmarkValidate5Rules(b *testing.B) {
	var language expr.Language
	of := rules.For(&language, manyRules(b, 5))
	value := manyValues(5)
	b.ReportAllocs()
	for b.Loop() {
		if v := of.Validate(value, nil, "", expr.Budget); len(v.Errors) > 0 {
			b.Fatal(v.Errors)
		}
	}
}

func BenchmarkValidateUpdate5Rules(b *testing.B) {
	var language expr.Language
	of := rules.For(&language, manyRules(b, 5))
	value, old := manyValues(5), manyValues(5)
	b.ReportAllocs()
	for b.Loop() {
		if v := of.Validate(value, old, "", expr.Budget); len(v.Errors) > 0 {
			b.Fatal(v.Errors)
		}
	}
}
