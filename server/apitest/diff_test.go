package apitest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

func TestDiffNamesEachField(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                []string
	}{
		{"nothing", "a: 1", "a: 1", nil},
		{"a value", "spec: {replicas: 1}", "spec: {replicas: 2}", []string{"spec.replicas: 1 -> 2"}},
		{"a field more and one less", "{a: 1, b: x}", "{a: 1, c: true}", []string{`- b: "x"`, "+ c: true"}},
		{"whole branches", "{}", "spec: {a: 1, b: {c: 2}}", []string{"+ spec.a: 1", "+ spec.b.c: 2"}},
		{"an empty map", "{}", "spec: {}", []string{"+ spec: {}"}},
		{"another type", "a: 1", "a: {b: 1}", []string{`a: 1 -> {"b":1}`}},
		{"names that need quotes", "{}", "metadata: {labels: {app.io/name: a}}", []string{`+ metadata.labels["app.io/name"]: "a"`}},
		{"items with names", "c: [{name: a, image: x}, {name: b, image: w}]", "c: [{name: a, image: z}, {name: c, image: w}]",
			[]string{`c[a].image: "x" -> "z"`, `- c[b]: {"image":"w","name":"b"}`, `+ c[c]: {"image":"w","name":"c"}`}},
		{"conditions", "c: [{type: Ready, status: 'False'}]", "c: [{type: Ready, status: 'True'}]", []string{`c[Ready].status: "False" -> "True"`}},
		{"another order", "c: [{name: a}, {name: b}]", "c: [{name: b}, {name: a}]", []string{`c[0].name: "a" -> "b"`, `c[1].name: "b" -> "a"`}},
		{"items without names", "c: [{port: 1}, {port: 2}]", "c: [{port: 1}, {port: 3}]", []string{"c[1].port: 2 -> 3"}},
		{"more items without names", "c: [{port: 1}]", "c: [{port: 1}, {port: 3}]", []string{`c: [{"port":1}] -> [{"port":1},{"port":3}]`}},
		{"lists of values", "f: [a]", "f: [a, b]", []string{`f: ["a"] -> ["a","b"]`}},
		{"what the server keeps account of", "metadata: {resourceVersion: '1', managedFields: []}", "metadata: {resourceVersion: '2'}", nil},
		{"large values", "{}", "a: " + strings.Repeat("é", 200), []string{`+ a: "` + strings.Repeat("é", 79) + "…"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := parsed(t, test.before), parsed(t, test.after)
			var got []string
			for _, c := range apitest.Diff(before, after) {
				got = append(got, c.String())
			}
			require.Equal(t, test.want, got)
			require.Equal(t, parsed(t, test.before), before)
		})
	}
	require.Equal(t, "+ a: 1", apitest.Diff(nil, object.Object{"a": int64(1)})[0].String())
}

func parsed(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	return o
}
