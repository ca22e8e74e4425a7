package expr_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// evaluate gives the result of an expression as text, or the error of whatever step.
func evaluate(l *expr.Language, text string) (result string, cost uint64) {
	scope, err := l.Scope(nil)
	if err != nil {
		return "scope: " + err.Error(), 0
	}
	checked, err := l.Check(scope, text)
	if err != nil {
		return "check: " + err.Error(), 0
	}
	program, err := checked.Program()
	if err != nil {
		return "program: " + err.Error(), 0
	}
	value, cost, err := program.Evaluate(noVariables)
	if err != nil {
		return "error: " + err.Error(), cost
	}
	return show(value), cost
}

var noVariables = expr.Variables(func(string) (any, bool) { return nil, false })

// show writes a value like the expression that gives it.
func show(v ref.Val) string {
	switch v := v.(type) {
	case types.String:
		return fmt.Sprintf("%q", string(v))
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "optional " + show(v.GetValue())
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, show(it.Next()))
		}
		return "[" + strings.Join(items, " ") + "]"
	case traits.Mapper:
		return fmt.Sprintf("map of %v", v.Size().Value())
	}
	return fmt.Sprint(v.Value())
}

func TestFunctions(t *testing.T) {
	var l expr.Language
	for _, c := range []struct {
		text, result string
		cost         uint64
	}{
		{`[1, 3].sum()`, `4`, 2},
		{`[duration('1m'), duration('1s')].sum() == duration('61s')`, `true`, 3},
		{`['a', 'c', 'b'].isSorted()`, `false`, 0},
		{`[2.5, 1.0].max()`, `2.5`, 2},
		{`[1].filter(x, x > 1).min()`, `error: min called on empty list`, 3},
		{`[1, 2, 1].lastIndexOf(1)`, `2`, 3},
		{`'abcabd'.find('ab[d]')`, `"abd"`, 2},
		{`'abcabc'.findAll('[ab]', 3)`, `["a" "b" "a"]`, 1},
		{`'abc'.find('(' + '')`, "error: Illegal regex: error parsing regexp: missing closing ): `(`", 2},
		{`url('https://u@h.example:80/a%20b?k=1&k=2#f').getEscapedPath()`, `"/a%20b"`, 5},
		{`url('https://h/?k=1&k=2').getQuery()['k']`, `["1" "2"]`, 5},
		{`url('../relative')`, `error: URL parse error during conversion from string: parse "../relative": invalid URI for request`, 2},
		{`isURL('/absolute')`, `true`, 1},
		{`ip('::1').isLoopback() && ip('10.0.0.1').isGlobalUnicast()`, `true`, 4},
		{`ip('::ffff:1.2.3.4')`, `error: IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed`, 2},
		{`ip('fe80::1%eth0')`, `error: IP address "fe80::1%eth0" with zone value is not allowed`, 2},
		{`ip.isCanonical('FE80::1')`, `false`, 2},
		{`string(cidr('10.1.2.3/8').masked())`, `"10.0.0.0/8"`, 3},
		{`cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')`, `true`, 6},
		{`cidr('10.0.0.0/8').containsIP('no')`, `error: no such overload`, 3},
		{`quantity('1.5Gi').isInteger()`, `false`, 2},
		{`quantity('1Gi').asInteger()`, `1073741824`, 2},
		{`quantity('50k').add('20k') == quantity('70k')`, "check: ERROR: <input>:1:20: found no matching overload for 'add' applied to 'kubernetes.Quantity.(string)'\n | quantity('50k').add('20k') == quantity('70k')\n | ...................^", 0},
		{`quantity('50k').sub(20).compareTo(quantity('49980'))`, `0`, 4},
		{`quantity('three')`, `error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`, 1},
		{`quantity('1X')`, `error: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`, 1},
		{`quantity('1mm')`, `error: unable to parse quantity's suffix`, 1},
		{`semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))`, `true`, 3},
		{`semver('v1.2', true).minor()`, `2`, 2},
		{`semver('1.02.3')`, `error: Minor number must not contain leading zeroes "02"`, 1},
		{`format.dns1123Label().validate('a.b').value()`, `["must not contain dots"]`, 10},
		{`format.named('uuid').value().validate('123e4567-e89b-12d3-a456-426614174000')`, `none`, 74},
		{`format.named('other')`, `none`, 1},
		{`[3, 1, 2].sort()`, `[1 2 3]`, 29},
		{`[1, 1, 2].distinct()`, `[1 2]`, 29},
		{`sets.contains([1, 2], [2])`, `true`, 3},
		{`{'a': 1}.transformList(k, v, k + string(v))`, `["a1"]`, 17},
		{`{'a': 1}[?'b'].orValue(2)`, `2`, 1},
		{`optional.of(1).or(optional.of(1 / 0)).value()`, `1`, 2},
		{`1 < 1.5`, `true`, 1},
		{`[1, 'a']`, "check: ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a']\n | ....^", 0},
		{`duration('1x')`, "check: ERROR: <input>:1:10: invalid duration argument\n | duration('1x')\n | .........^", 0},
		{`timestamp('2024-02-29T23:30:00Z').getHours()`, `23`, 1},
		{`'%s has %d'.format(['a', 2])`, `"a has 2"`, 1},
		{`includes([1], 1)`, "check: ERROR: <input>:1:9: undeclared reference to 'includes' (in container '')\n | includes([1], 1)\n | ........^", 0},
	} {
		t.Run(c.text, func(t *testing.T) {
			result, cost := evaluate(&l, c.text)
			require.Equal(t, c.result, result)
			require.Equal(t, c.cost, cost, "cost")
		})
	}
}

func TestAuthorizerIsAskedWhatTheExpressionSays(t *testing.T) {
	var l expr.Language
	var asked []expr.AccessCheck
	authorizer := func(c expr.AccessCheck) (bool, string, error) {
		asked = append(asked, c)
		return c.Namespace == "mine", "by namespace", nil
	}
	scope, err := l.Scope(nil, expr.Variable{Name: "authorizer", Type: expr.AuthorizerType})
	require.NoError(t, err)
	checked, err := l.Check(scope, `authorizer.group('apps').resource('deployments').subresource('scale').namespace('mine').name('a').labelSelector('a=b').check('get').allowed()
		&& authorizer.serviceAccount('kube-system', 'robot').path('/healthz').check('get').reason() == 'by namespace'`)
	require.NoError(t, err)
	program, err := checked.Program()
	require.NoError(t, err)
	value, cost, err := program.Evaluate(expr.Variables(func(string) (any, bool) {
		return expr.AuthorizerFor(object.User{Name: "eve"}, authorizer), true
	}))
	require.NoError(t, err)
	require.Equal(t, types.True, value)
	require.Greater(t, cost, uint64(700_000))
	require.Equal(t, []expr.AccessCheck{
		{User: object.User{Name: "eve"}, Verb: "get", Group: "apps", Resource: "deployments", Subresource: "scale", Namespace: "mine", Name: "a", LabelSelector: "a=b"},
		{User: object.User{Name: "system:serviceaccount:kube-system:robot", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:kube-system"}}, Verb: "get", Path: "/healthz"},
	}, asked)
}

func TestEvaluationStopsAtTheLimit(t *testing.T) {
	var l expr.Language
	result, cost := evaluate(&l, `lists.range(2000).all(a, lists.range(2000).all(b, a + b >= 0))`)
	require.Equal(t, "error: "+expr.ErrTooCostly.Error(), result)
	require.Greater(t, cost, uint64(expr.CallLimit))
}

func TestExponentsMakeNothingSlow(t *testing.T) {
	var l expr.Language
	for _, text := range []string{
		`quantity('1e2147483647').isGreaterThan(quantity('1'))`,
		`quantity('1e2147483647').asApproximateFloat() > 0.0`,
		`!quantity('12345678901234567890e2000000000').isInteger()`,
		`quantity('1e-2000000000').isGreaterThan(quantity('0'))`,
	} {
		result, _ := evaluate(&l, text)
		require.Equal(t, "true", result, text)
	}
	result, _ := evaluate(&l, `quantity('1e2000000000').add(1)`)
	require.Equal(t, "error: quantities differ too much to be added", result)
}

func TestProgramsRunSideBySide(t *testing.T) {
	var l expr.Language
	scope, err := l.Scope(nil, expr.Variable{Name: "x", Type: cel.IntType})
	require.NoError(t, err)
	checked, err := l.Check(scope, `[1, 2, 3].exists(i, i == x)`)
	require.NoError(t, err)
	program, err := checked.Program()
	require.NoError(t, err)
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			for range 100 {
				value, _, err := program.Evaluate(expr.Variables(func(string) (any, bool) { return i, true }))
				if err != nil || value != types.Bool(1 <= i && i <= 3) {
					t.Errorf("%d: %v, %v", i, value, err)
				}
			}
		})
	}
	wait.Wait()
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		`[1, 2].sum() > quantity('1').asInteger()`, `'a'.find('[')`, `semver('1.0.0-a+b', true).major()`,
		`format.uri().validate('x')`, `cidr('::/0').containsIP('1.1.1.1')`, `{'a': [1]}.?a.orValue([])[0]`, `lists.range(9).map(x, x / 0)`,
	} {
		f.Add(text)
	}
	var l expr.Language
	f.Fuzz(func(t *testing.T, text string) {
		if result, _ := evaluate(&l, text); strings.HasPrefix(result, "error: internal error") {
			t.Fatal(result)
		}
	})
}

func FuzzQuantity(f *testing.F) {
	for _, text := range []string{"1", "1.5Gi", "-3e5", "100m", "1e-30", "00.10k", "9999999999999999999E"} {
		f.Add(text)
	}
	var l expr.Language
	scope, err := l.Scope(nil, expr.Variable{Name: "q", Type: cel.StringType})
	require.NoError(f, err)
	checked, err := l.Check(scope, `!isQuantity(q) || (quantity(q) == quantity(q) && sign(quantity(q).sub(quantity(q))) == 0)`)
	require.NoError(f, err)
	program, err := checked.Program()
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		value, _, err := program.Evaluate(expr.Variables(func(string) (any, bool) { return text, true }))
		require.NoError(t, err)
		require.Equal(t, types.True, value)
	})
}

func BenchmarkCheck(b *testing.B) {
	var l expr.Language
	scope, err := l.Scope(nil, expr.Variable{Name: "self", Type: cel.StringType})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Check(scope, `self.startsWith('a') && self.size() < 10`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScope(b *testing.B) {
	var l expr.Language
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.Scope(nil, expr.Variable{Name: "self", Type: cel.StringType}); err != nil {
			b.Fatal(err)
		}
	}
}
