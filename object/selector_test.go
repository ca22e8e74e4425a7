package object_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// encodedWith is an object with these labels and selectable fields.
func encodedWith(t testing.TB, labels, fields map[string]string) *object.Encoded {
	t.Helper()
	o := object.Object{"metadata": map[string]any{"name": "a"}}
	o.SetLabels(labels)
	e, err := object.Encode(o, fields)
	require.NoError(t, err)
	return &e
}

func TestLabelSelectorMatches(t *testing.T) {
	labels := map[string]string{"app": "web", "n": "5", "empty": "", "x.y/z": "1", "in": "here"}
	for selector, want := range map[string]bool{
		"":                            true,
		"app=web":                     true,
		"app==web":                    true,
		"app=db":                      false,
		"app!=db":                     true,
		"app!=web":                    false,
		"missing!=x":                  true,
		"app in (db,web)":             true,
		"app in (db)":                 false,
		"app notin (db)":              true,
		"app notin (web)":             false,
		"missing notin (a)":           true,
		"missing in (a)":              false,
		"empty in ()":                 true,
		"empty=":                      true,
		"app=":                        false,
		"app":                         true,
		"missing":                     false,
		"!app":                        false,
		"!missing":                    true,
		"n>4":                         true,
		"n>5":                         false,
		"n<6":                         true,
		"n<5":                         false,
		"app>1":                       false,
		"app<1":                       false,
		"missing<9":                   false,
		"in":                          true,
		"in in (here)":                true,
		"x.y/z=1,app=web":             true,
		"x.y/z=1,app=db":              false,
		"  app   in ( web ,  ) , n  ": true,
		"app=web,app=web":             true,
	} {
		s, err := object.ParseLabelSelector(selector)
		require.NoError(t, err, selector)
		require.Equal(t, want, s.Matches(labels), selector)
		require.Equal(t, want, s.MatchesEncoded(encodedWith(t, labels, nil)), selector)
	}
}

func TestLabelSelectorComparesOnlyNumbers(t *testing.T) {
	s, err := object.ParseLabelSelector("n>4")
	require.NoError(t, err)
	for value, want := range map[string]bool{
		"5": true, "+5": true, "007": true, "9223372036854775807": true, "9223372036854775808": false,
		"4": false, "-5": false, "-9223372036854775808": false, "": false, "-": false, "5x": false, "5.0": false,
	} {
		require.Equal(t, want, s.Matches(map[string]string{"n": value}), value)
	}
}

func TestLabelSelectorString(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"b=1,a":                  "a,b=1",
		"a==1":                   "a==1",
		"a in (y,x,x)":           "a in (x,y)",
		"a notin (,)":            "a notin ()",
		"! a , b<3 , c>1,d!=":    "!a,b<3,c>1,d!=",
		"notin in (in,notin),in": "in,notin in (in,notin)",
	} {
		s, err := object.ParseLabelSelector(text)
		require.NoError(t, err, text)
		require.Equal(t, want, s.String(), text)
		again, err := object.ParseLabelSelector(s.String())
		require.NoError(t, err, text)
		require.Equal(t, s, again, text)
	}
}

func TestLabelSelectorErrors(t *testing.T) {
	long := strings.Repeat("k", 64)
	for text, want := range map[string]string{
		",":                    "found ',', expected: !, identifier, or 'end of string'",
		",a":                   "found ',', expected: !, identifier, or 'end of string'",
		"a,":                   "found '', expected: identifier after ','",
		"a,,b":                 "found ',', expected: identifier after ','",
		"a b":                  "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
		"a (b)":                "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt",
		"a in x":               "unable to parse requirement: found 'x' expected: '('",
		"a in (x":              "unable to parse requirement: found '', expected: ',' or ')'",
		"a in (x y)":           "unable to parse requirement: found 'y', expected: ',' or ')'",
		"a in (x,":             "unable to parse requirement: found '', expected: ',', or identifier",
		"a in (=":              "unable to parse requirement: found '=', expected: ',', ')' or identifier",
		"a===b":                "unable to parse requirement: found '=', expected: identifier",
		"a=x y":                "found 'y', expected: ',' or 'end of string'",
		"!a=b":                 "found '=', expected: ',' or 'end of string'",
		"!":                    "unable to parse requirement: found '', expected: identifier",
		"a>ten":                `unable to parse requirement: values[0]: Invalid value: "ten": for 'Gt', 'Lt' operators, the value must be an integer`,
		"a>(1)":                "unable to parse requirement: found '(', expected: identifier",
		long:                   `unable to parse requirement: <nil>: Invalid value: "` + long + `": name part must be no more than 63 bytes`,
		"k=" + long:            `unable to parse requirement: values[0][k]: Invalid value: "` + long + `": must be no more than 63 bytes`,
		"k in (," + long + ")": `unable to parse requirement: values[1][k]: Invalid value: "` + long + `": must be no more than 63 bytes`,
	} {
		_, err := object.ParseLabelSelector(text)
		require.EqualError(t, err, want, text)
	}
}

func TestLabelsEqualAndAnd(t *testing.T) {
	s := object.LabelsEqual(map[string]string{"b": "2", "a": "1"})
	require.Equal(t, "a=1,b=2", s.String())
	more, err := object.ParseLabelSelector("aa")
	require.NoError(t, err)
	require.Equal(t, "a=1,aa,b=2", s.And(more).String())
	require.Equal(t, "a=1,b=2", s.String(), "unchanged")
	require.True(t, object.LabelsEqual(nil).Empty())
}

func TestLabelSelectorSpec(t *testing.T) {
	spec := object.LabelSelectorSpec{
		MatchLabels: map[string]string{"z": "1"},
		MatchExpressions: []object.LabelExpression{
			{Key: "b", Operator: "In", Values: []string{"y", "x"}},
			{Key: "a", Operator: "Exists"},
			{Key: "c", Operator: "DoesNotExist"},
			{Key: "d", Operator: "NotIn", Values: []string{"q"}},
		},
	}
	s, err := spec.Selector()
	require.NoError(t, err)
	require.Equal(t, "a,b in (x,y),!c,d notin (q),z=1", s.String())
	require.Equal(t, []string{"y", "x"}, spec.MatchExpressions[0].Values, "unchanged")
	require.Empty(t, spec.Validate("spec.selector"))

	all, err := object.LabelSelectorSpec{}.Selector()
	require.NoError(t, err)
	require.True(t, all.Empty())
}

func TestLabelSelectorSpecErrors(t *testing.T) {
	for want, e := range map[string]object.LabelExpression{
		`"Like" is not a valid label selector operator`:                                                 {Key: "a", Operator: "Like"},
		"values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty":           {Key: "a", Operator: "In"},
		`values: Invalid value: ["x"]: values set must be empty for exists and does not exist`:          {Key: "a", Operator: "Exists", Values: []string{"x"}},
		`key: Invalid value: "a/": name part must be non-empty; name part must consist of alphanumeric`: {Key: "a/", Operator: "Exists"},
	} {
		_, err := object.LabelSelectorSpec{MatchExpressions: []object.LabelExpression{e}}.Selector()
		require.ErrorContains(t, err, want)
	}
	errs := object.LabelSelectorSpec{
		MatchExpressions: []object.LabelExpression{{Key: "a", Operator: "In"}, {Key: "a", Operator: "Exists", Values: []string{"x"}}, {Key: "a", Operator: "<"}},
	}.Validate("spec.selector")
	require.EqualError(t, errs, "[spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn', "+
		"spec.selector.matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist', "+
		`spec.selector.matchExpressions[2].operator: Invalid value: "\u003c": not a valid selector operator]`)
}

func TestFieldSelectorMatches(t *testing.T) {
	key := object.Key{Name: "a", Namespace: "ns"}
	e := encodedWith(t, map[string]string{"l": "1"}, map[string]string{"spec.x": "1,2", "type": "t"})
	for selector, want := range map[string]bool{
		"":                                       true,
		",":                                      true,
		"metadata.name=a":                        true,
		"metadata.name==b":                       false,
		"metadata.name!=b":                       true,
		"metadata.namespace=ns,metadata.name=a":  true,
		"metadata.namespace=ns,metadata.name!=a": false,
		`spec.x=1\,2`:                            true,
		"type=t,":                                true,
		"unknown=":                               true,
		"unknown!=":                              false,
		"unknown=x":                              false,
		"metadata.name=a,metadata.name=b":        false,
		"metadata.name =a":                       false,
	} {
		s, err := object.ParseFieldSelector(selector)
		require.NoError(t, err, selector)
		require.Equal(t, want, object.Selector{Fields: s}.Matches(key, e), selector)
	}
	labels, err := object.ParseLabelSelector("l=2")
	require.NoError(t, err)
	require.False(t, object.Selector{Labels: labels, Fields: object.FieldEquals("metadata.name", "a")}.Matches(key, e))
}

func TestFieldSelectorErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a":     "invalid selector: 'a'; can't understand 'a'",
		"b=1,a": "invalid selector: 'b=1,a'; can't understand 'a'",
		`a=\x`:  `invalid field selector: invalid escape sequence: \x`,
		`a=\`:   `invalid field selector: invalid escape sequence: \`,
		"a=b=c": "invalid field selector: unescaped character in value: 61",
		`a=\\=`: "invalid field selector: unescaped character in value: 61",
	} {
		_, err := object.ParseFieldSelector(text)
		require.EqualError(t, err, want, text)
	}
}

func TestFieldSelectorStringAndParts(t *testing.T) {
	s, err := object.ParseFieldSelector(`z!=1,a==b\,c\=\\,,=`)
	require.NoError(t, err)
	require.Equal(t, `a=b\,c\=\\,z!=1`, s.String())
	require.Equal(t, []object.FieldRequirement{{Field: "a", Value: `b,c=\`}, {Field: "z", Value: "1", Not: true}}, s.Requirements())
	value, ok := s.Exact("a")
	require.True(t, ok)
	require.Equal(t, `b,c=\`, value)
	_, ok = s.Exact("z")
	require.False(t, ok)
}

func TestMatchingAllocatesNothing(t *testing.T) {
	s := benchmarkSelector(t)
	e := encodedWith(t, map[string]string{"app": "web", "n": "no number", "x": "1"}, map[string]string{"type": "t"})
	key := object.Key{Name: "a", Namespace: "ns"}
	require.True(t, s.Matches(key, e))
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Matches(key, e) }))
}

func benchmarkSelector(t testing.TB) object.Selector {
	t.Helper()
	labels, err := object.ParseLabelSelector("app in (db,web),x>0,!missing,n!=1")
	require.NoError(t, err)
	fields, err := object.ParseFieldSelector("metadata.namespace=ns,type!=u")
	require.NoError(t, err)
	return object.Selector{Labels: labels, Fields: fields}
}

func BenchmarkSelectorMatches(b *testing.B) {
	s := benchmarkSelector(b)
	e := encodedWith(b, map[string]string{"app": "web", "n": "2", "x": "1", "other": "label"}, map[string]string{"type": "t"})
	key := object.Key{Name: "a", Namespace: "ns"}
	b.ReportAllocs()
	for b.Loop() {
		s.Matches(key, e)
	}
}

func FuzzLabelSelector(f *testing.F) {
	for _, text := range []string{"a=b,c!=d,e in (f,g),!h,i>5", "a in (,),b notin ()", "in notin (in)", "a,,", "=,", "x.y/z<-1", "a\x00b"} {
		f.Add(text, "a", "b")
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		s, err := object.ParseLabelSelector(text)
		if err != nil {
			return
		}
		again, err := object.ParseLabelSelector(s.String())
		require.NoError(t, err, "%q", s.String())
		require.Equal(t, s.String(), again.String())
		labels := map[string]string{"a": "b", name: value}
		require.Equal(t, s.Matches(labels), again.Matches(labels))
		require.Equal(t, s.Matches(labels), s.MatchesEncoded(encodedWith(t, labels, nil)))
	})
}

func FuzzFieldSelector(f *testing.F) {
	for _, text := range []string{"a=b,c!=d,e==f", `a=\,\=\\`, ",,=,", "=a", "a!=="} {
		f.Add(text, "a", "b")
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		s, err := object.ParseFieldSelector(text)
		if err != nil {
			return
		}
		again, err := object.ParseFieldSelector(s.String())
		require.NoError(t, err, "%q", s.String())
		require.ElementsMatch(t, s.Requirements(), again.Requirements())
		fields := maps.Clone(map[string]string{"a": "b", name: value})
		e := encodedWith(t, nil, fields)
		key := object.Key{Name: value}
		require.Equal(t, object.Selector{Fields: s}.Matches(key, e), object.Selector{Fields: again}.Matches(key, e))
	})
}
