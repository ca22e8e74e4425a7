package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func document(t testing.TB, text string) map[string]any {
	t.Helper()
	o, err := object.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

func parse(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse(document(t, text))
	require.NoError(t, err)
	return s
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ name, doc, message string }{
		{"a type that is a number", `{"type":5}`,
			"json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string"},
		{"a number with a fraction where none is wanted", `{"type":1.5}`,
			"json: cannot unmarshal number into Go struct field JSONSchemaProps.type of type string"},
		{"a number with a fraction where a whole one is", `{"maxLength":1.5}`,
			"json: cannot unmarshal number 1.5 into Go struct field JSONSchemaProps.maxLength of type int64"},
		{"inside of rules", `{"properties":{"a":{"x-kubernetes-validations":[{"rule":1}]}}}`,
			"json: cannot unmarshal number into Go struct field ValidationRule.properties.x-kubernetes-validations.rule of type string"},
		{"the reason of a rule", `{"x-kubernetes-validations":[{"reason":{}}]}`,
			"json: cannot unmarshal object into Go struct field ValidationRule.x-kubernetes-validations.reason of type v1.FieldValueErrorReason"},
		{"inside of rules of items", `{"items":{"x-kubernetes-validations":[{"rule":1}]}}`,
			"json: cannot unmarshal number into Go struct field JSONSchemaProps.items.x-kubernetes-validations.rule of type string"},
		{"inside of externalDocs", `{"externalDocs":{"url":1}}`,
			"json: cannot unmarshal number into Go struct field ExternalDocumentation.externalDocs.url of type string"},
		{"inside of properties, whose names are left out", `{"properties":{"a":{"properties":{"b":{"type":[]}}}}}`,
			"json: cannot unmarshal array into Go struct field JSONSchemaProps.properties.properties.type of type string"},
		{"inside of items", `{"properties":{"a":{"items":{"maxLength":"x"}}}}`,
			"json: cannot unmarshal string into Go struct field JSONSchemaProps.properties.items.maxLength of type int64"},
		{"additional properties", `{"additionalProperties":"x"}`, "boolean or JSON schema expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse(document(t, c.doc))
			require.EqualError(t, err, c.message)
		})
	}
}

func TestParseListsUnknownFields(t *testing.T) {
	var pool Pool
	_, unknown, err := pool.Parse(document(t, `{"foo":1,"not":null,"bar":null,"properties":{"a":{"quux":1,"x-kubernetes-validations":[{"rule":"x","b":1}]},"l":{"items":{"hidden":1}}}}`))
	require.NoError(t, err)
	require.Equal(t, []string{"bar", "foo", "properties.a.quux", "properties.a.x-kubernetes-validations[0].b"}, unknown)
}

func TestEqualBranchesAreOneNode(t *testing.T) {
	var pool Pool
	text := `{"type":"object","properties":{"a":{"type":"string","pattern":"a+","maxLength":5},"b":{"type":"string","pattern":"a+","maxLength":5},"c":{"type":"string","pattern":"a+"}}}`
	s, _, err := pool.Parse(document(t, text))
	require.NoError(t, err)
	require.Same(t, s.Property("a"), s.Property("b"))
	require.NotSame(t, s.Property("a"), s.Property("c"))
	twin, _, err := pool.Parse(document(t, text))
	require.NoError(t, err)
	require.Same(t, s, twin)
}

func TestNodesThatDifferInOneThingAreShared(t *testing.T) {
	var members []string
	for i, more := range []string{`"x-kubernetes-int-or-string":true`, `"nullable":true`, `"example":1`, `"example":2`, `"enum":[]`, `"required":[]`, `"properties":{}`,
		`"additionalProperties":true`, `"additionalProperties":false`, `"externalDocs":{"url":"a"}`, `"exclusiveMaximum":true`,
		`"x-kubernetes-validations":[{"rule":"a"}]`, `"x-kubernetes-validations":[{"rule":"a","message":"b"}]`,
		`"x-kubernetes-validations":[{"rule":"a","optionalOldSelf":true}]`, `"x-kubernetes-validations":[{"rule":"a","optionalOldSelf":false}]`} {
		members = append(members, fmt.Sprintf(`"p%d":{%s}`, i, more))
	}
	text := `{"type":"object","properties":{` + strings.Join(members, ",") + `}}`
	var pool Pool
	s, _, err := pool.Parse(document(t, text))
	require.NoError(t, err)
	twin, _, err := pool.Parse(document(t, text))
	require.NoError(t, err)
	require.Same(t, s, twin)
}
