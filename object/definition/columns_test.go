package definition_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

func TestCellsOfColumns(t *testing.T) {
	columns := parse(t, clockDefinition).Versions[0].Columns
	full, empty, wrong := document(t, clock), document(t, `{metadata: {name: a}}`), document(t,
		`{spec: {zone: null, hands: {count: x}, drift: true, chimes: 1, alarms: {}}, status: {wound: 1, conditions: none}}`)
	for i, test := range []struct {
		name        string
		full, wrong any
	}{
		{"Zone", "CET", "<no value>"},
		{"Hands", int64(2), nil},
		{"Drift", 0.5, nil},
		{"Chimes", true, nil},
		{"Wound", "2024-05-06T07:00:00Z", nil},
		{"Ready", "True", nil},
		{"First", "07:00", nil},
		{"Spec", `{"count":2}`, `{"count":"x"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.name, columns[i].Name)
			require.Equal(t, test.full, columns[i].Value(full))
			require.Nil(t, columns[i].Value(empty))
			require.Equal(t, test.wrong, columns[i].Value(wrong))
		})
	}
	require.Equal(t, "where", columns[0].Description)
	require.Equal(t, "Custom resource definition column (in JSONPath format): .spec.hands.count", columns[1].Description)
}

// columnOf gives the column of a path, if it can be read.
func columnOf(t testing.TB, kind, path string) (definition.Column, bool) {
	o := edited(t, v1, fmt.Sprintf("%s additionalPrinterColumns: [{name: a, type: %s, jsonPath: %q}],", v1, kind, path))
	d, err := new(definition.Shared).Parse(o)
	require.NoError(t, err)
	if len(d.Versions[0].Columns) == 0 {
		return definition.Column{}, false
	}
	return d.Versions[0].Columns[0], true
}

func TestPathsOfColumns(t *testing.T) {
	o := document(t, `
metadata: {annotations: {example.com/note: noted}}
list: [{k: 1, t: a, f: true, x: 1.5}, {k: 2, t: b, f: false, x: 2.5}, {k: 3, t: c}]
nested: {deep: {k: 9}, other: [1, [2, 3]]}
text: abc
nothing: null
`)
	for _, test := range []struct {
		path string
		want any
	}{
		{".text", "abc"},
		{"$.text", "abc"},
		{"@.text", "abc"},
		{`.metadata.annotations.example\.com/note`, "noted"},
		{".metadata.annotations['example\\.com/note']", "noted"},
		{".list[0].k", "1"},
		{".list[-1].k", "3"},
		{".list[1:].k", "2"},
		{".list[:2].t", "a"},
		{".list[::2].t", "a"},
		{".list[-2:].t", "b"},
		{".list[2,0].k", "3"},
		{".list[*].t", "a"},
		{".list[5].k", nil},
		{".list[2:1].k", nil},
		{".list[0:0].k", nil},
		{".list[::0].k", nil},
		{".list[0]", `{"f":true,"k":1,"t":"a","x":1.5}`},
		{`.list[?(@.t=="b")].k`, "2"},
		{`.list[?(@.t!='a')].k`, "2"},
		{`.list[?(@.k>1)].t`, "b"},
		{`.list[?(@.k>=3)].t`, "c"},
		{`.list[?(@.k<=1)].t`, "a"},
		{`.list[?(@.x<2.0)].t`, "a"},
		{`.list[?(@.f==false)].t`, "b"},
		{`.list[?(@.f<false)].t`, nil},
		{`.list[?(@.f)].t`, "a"},
		{`.list[?(@.k==@.x)].t`, nil},
		{`.list[?(@.t=="x)")].k`, nil},
		{`.list[?(@.k=="1")].t`, nil},
		{".nested.*.k", "9"},
		{"..k", "1"},
		{".nested..k", "9"},
		{".nested.other[1][0]", "2"},
		{".text.more", nil},
		{".text[0]", nil},
		{".nothing", "<no value>"},
		{".nothing.more", nil},
		{".gone.more", nil},
		{".", nil},
	} {
		t.Run(test.path, func(t *testing.T) {
			c, ok := columnOf(t, "string", test.path)
			require.True(t, ok)
			require.Equal(t, test.want, c.Value(o))
		})
	}
}

func TestPathsThatCannotBeReadEndTheColumns(t *testing.T) {
	for _, path := range []string{
		".a[", ".a[x]", ".a[?(@.b]", ".a[?(@.b==)]", "....a", ".a{", `.a["b"]`, ".a[?(@.b=='c)]", ".a\n", ".a[?(@.b)",
	} {
		_, ok := columnOf(t, "string", path)
		require.False(t, ok, path)
	}
}

func TestDatesOfColumns(t *testing.T) {
	c, _ := columnOf(t, "date", ".since")
	require.Equal(t, "soon", c.Value(document(t, `{since: soon}`)))
	require.Equal(t, "", c.Value(document(t, `{since: "null"}`)))
	require.Nil(t, c.Value(document(t, `{since: null}`)))
	require.Nil(t, c.Value(document(t, `{since: 1}`)))
}

func TestSelectableFieldsAreText(t *testing.T) {
	fields := parse(t, clockDefinition).Versions[0].SelectableFields
	require.Equal(t, "spec.zone", fields[0].Name)
	require.Equal(t, "CET", fields[0].Value(document(t, clock)))
	require.Equal(t, "true", fields[1].Value(document(t, clock)))
	require.Empty(t, fields[0].Value(document(t, `{spec: {zone: null}}`)))
	require.Empty(t, fields[0].Value(document(t, `{}`)))
}

func TestColumnsThatSeeOwners(t *testing.T) {
	for path, sees := range map[string]bool{
		".spec.replicas":                        false,
		".status.conditions[*].type":            false,
		".metadata.creationTimestamp":           false,
		".metadata.labels['managedFields']":     false,
		".metadata.managedFields[0].manager":    true,
		".metadata['managedFields'][0].manager": true,
		".metadata":                             true,
		".metadata.*":                           true,
		"..manager":                             true,
		".*.name":                               true,
	} {
		c, ok := columnOf(t, "string", path)
		require.True(t, ok, path)
		require.Equal(t, sees, c.SeesOwners(), path)
	}
}
