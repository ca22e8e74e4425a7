package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, schema string
		errs         []string
	}{
		{"a schema that is fine", typical, nil},
		{"types are missing", `{"properties":{"a":{},"b":{"type":"array"},"c":{"type":"array","items":{}}}}`, []string{
			`s.properties[a].type: Required value: must not be empty for specified object fields`,
			`s.properties[b].items: Required value: must be specified`,
			`s.properties[c].items.type: Required value: must not be empty for specified array items`,
			`s.type: Required value: must not be empty at the root`}},
		{"the root may not be null nor a map", `{"type":"object","nullable":true,"additionalProperties":{"type":"string"}}`, []string{
			`s.nullable: Forbidden: nullable cannot be true at the root`,
			`s.additionalProperties: Forbidden: must not be used at the root`}},
		{"types that don't exist", `{"type":"object","properties":{"a":{"type":"null"}}}`, []string{
			`s.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`s.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative`}},
		{"junctors say what values are", `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}},
			"anyOf":[{"description":"d","properties":{"x":{"type":"string"}}}],"not":{"x-kubernetes-int-or-string":true}}}}`, []string{
			`s.properties[a].anyOf[0].description: Forbidden: must be empty to be structural`,
			`s.properties[a].anyOf[0].properties[x].type: Forbidden: must be empty to be structural`,
			`s.properties[a].not.x-kubernetes-int-or-string: Forbidden: must be false to be structural`}},
		{"junctors speak of what is not there", `{"type":"object","anyOf":[{"properties":{"q":{"minimum":1}}}]}`, []string{
			`s.properties[q]: Required value: because it is defined in s.anyOf[0].properties[q]`}},
		{"int or string may be spelled out", `{"type":"object","properties":{"a":{"x-kubernetes-int-or-string":true,"anyOf":[{"type":"integer"},{"type":"string"}]},
			"b":{"x-kubernetes-int-or-string":true,"allOf":[{"anyOf":[{"type":"integer"},{"type":"string"}]},{"maxLength":3}]}}}`, nil},
		{"a pattern that is none", `{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}`, []string{
			"s.properties[a].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`"}},
		{"metadata says more than names", `{"type":"object","properties":{"metadata":{"type":"object","properties":{"name":{"type":"string"},"labels":{"type":"object"}}}}}`, []string{
			`s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`}},
		{"what is not supported", `{"type":"object","properties":{"a":{"type":"string","$ref":"x","id":"y"},"b":{"type":"array","items":[]}}}`, []string{
			`s.properties[a].id: Forbidden: id is not supported`, `s.properties[a].$ref: Forbidden: $ref is not supported`}},
		{"$schema is named if nothing else is wrong", `{"type":"object","$schema":"x"}`, []string{
			`s: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`}},
		{"extensions", `{"type":"object","properties":{"a":{"type":"string","x-kubernetes-list-type":"bag"},"b":{"type":"object","x-kubernetes-map-type":"fine"},
			"c":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object"}},"d":{"type":"object","x-kubernetes-preserve-unknown-fields":false}}}`, []string{
			`s.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
			`s.properties[a].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`,
			`s.properties[b].x-kubernetes-map-type: Unsupported value: "fine": supported values: "atomic", "granular"`,
			`s.properties[c].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
			`s.properties[d].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`}},
		{"keys of lists", `{"type":"object","properties":{"a":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k","k","gone"],
			"items":{"type":"object","nullable":true,"properties":{"k":{"type":"string"}}}}}}`, []string{
			`s.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","k","gone"]: must not contain duplicate entries`,
			`s.properties[a].x-kubernetes-list-map-keys: Invalid value: ["k","k","gone"]: entries must all be names of item properties`,
			`s.properties[a].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`,
			`s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
			`s.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`}},
		{"defaults", `{"type":"object","properties":{"a":{"type":"string","default":1},"b":{"type":"object","default":{"x":1},"properties":{"y":{"type":"string"}}},
			"metadata":{"type":"object","properties":{"name":{"type":"string","default":"n"}}}}}`, []string{
			`s.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
			`s.properties[b].default: Invalid value: {"x":1}: must not have unknown fields`,
			`s.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`}},
		{"defaults in the metadata of embedded resources", `{"type":"object","properties":{"raw":{"type":"object","x-kubernetes-embedded-resource":true,
			"properties":{"kind":{"type":"string","default":"9"},"metadata":{"type":"object","properties":{"labels":{"type":"object","default":{"a b":"c"},"additionalProperties":{"type":"string"}}}}}}}}`, []string{
			`s.properties[raw].properties[kind].default: Invalid value: "9": must result in valid metadata: kind: Invalid value: "9": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
			`s.properties[raw].properties[metadata].properties[labels].default: Invalid value: {"a b":"c"}: must result in valid metadata: metadata.labels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
		{"the form of rules", `{"type":"object","properties":{"a":{"type":"string"}},"x-kubernetes-validations":[{"rule":" "},{"rule":"a\nb"},{"rule":"x","message":"a\nb","reason":"Bad","fieldPath":".b"},{"rule":"x","fieldPath":".a","reason":""}]}`, []string{
			`s.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
			`s.x-kubernetes-validations[1].message: Required value: message must be specified if rule contains line breaks`,
			`s.x-kubernetes-validations[2].message: Invalid value: "a\nb": must not contain line breaks`,
			`s.x-kubernetes-validations[2].reason: Unsupported value: "Bad": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
			`s.x-kubernetes-validations[2].fieldPath: Invalid value: ".b": must be a valid path`,
			`s.x-kubernetes-validations[3].reason: Unsupported value: "": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.errs == nil {
				c.errs = []string{}
			}
			r := parse(t, c.schema).Check("s", CheckOptions{})
			errs := messages(r.Errors())
			if c.name == "keys of lists" || c.name == "defaults" {
				require.ElementsMatch(t, c.errs, errs)
				return
			}
			require.Equal(t, c.errs, errs)
		})
	}
}

func TestCheckWithStatus(t *testing.T) {
	status := CheckOptions{Status: true}
	r := parse(t, typical).Check("s", status)
	require.Empty(t, r.Errors())
	r = parse(t, `{"type":"array","items":{"type":"string"}}`).Check("s", status)
	require.Equal(t, `s.type: Invalid value: "array": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`, r.Errors()[0].Error())
	r = parse(t, `{"type":"object","properties":{"a":{"type":"string"}},"oneOf":[{"required":["a"]}]}`).Check("s", status)
	require.Contains(t, r.Errors().Error(), `s: Invalid value: {"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,`)
	require.Contains(t, r.Errors().Error(), `: only [Description Type Format Title Maximum`)
}

func TestReportTellsWhereRulesCanBeCompiled(t *testing.T) {
	r := parse(t, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","uniqueItems":true}}},"ab":{"type":"string"}}}`).Check("s", CheckOptions{})
	require.True(t, r.Structural())
	for field, clean := range map[string]bool{"s": false, "s.properties[a]": false, "s.properties[a].properties[b]": false, "s.properties[ab]": true} {
		require.Equal(t, clean, r.Clean(field), field)
	}
	r = parse(t, `{"type":"object","properties":{"a":{}}}`).Check("s", CheckOptions{})
	require.False(t, r.Structural())
	r = parse(t, `{"type":"object","properties":{"a":{}}}`).Check("s", CheckOptions{Relaxed: Relaxed{NonStructural: true}})
	require.False(t, r.Structural())
	require.Empty(t, r.Errors())
}

func TestDefaultRulesSeeDefaultsThatAreFine(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"a":{"type":"string","default":"x","x-kubernetes-validations":[{"rule":"r"}]},"b":{"type":"string","default":1,"x-kubernetes-validations":[{"rule":"r"}]},
		"c":{"type":"string","default":"y"},"d":{"type":"string","default":"z","x-kubernetes-validations":[{"rule":"r"}]}}}`)
	var seen []string
	rules := func(field string, s *Schema, root bool) (object.FieldErrors, bool) {
		require.False(t, root)
		seen = append(seen, field)
		return object.FieldErrors{object.InvalidField(field, s.Default, "failed rule")}, true
	}
	r := s.Check("s", CheckOptions{DefaultRules: rules})
	require.Equal(t, []string{"s.properties[a].default"}, seen, "and none after it said to stop")
	require.Equal(t, []string{`s.properties[a].default: Invalid value: "x": failed rule`}, messages(r.Errors()))
}

func TestRelax(t *testing.T) {
	require.Equal(t, Relaxed{}, Relax(nil, parse(t, typical)))
	require.Equal(t, Relaxed{AnyType: true, NonStructural: true, NonAtomicSets: true, NullableListMapKeys: true}, Relax(parse(t, `{"properties":{
		"a":{"type":"text"},"b":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"object","nullable":true}}}}`)))
}

func TestFieldPath(t *testing.T) {
	s := parse(t, `{"properties":{"a":{"properties":{"b.c":{"type":"string"}}},"m":{"additionalProperties":{"properties":{"x":{"type":"integer"}}}}}}`)
	for _, c := range []struct{ path, field, typeName, problem string }{
		{".a['b.c']", "a.b.c", "string", ""},
		{".m.key.x", "m[key].x", "integer", ""},
		{"['m']['it\\'s'].x", "m[it's].x", "integer", ""},
		{".z", "", "", "does not refer to a valid field"},
		{"a", "", "", "expected [ or . but got: a"},
		{".a[", "", "", "unexpected end of JSON path"},
		{".a[b]", "", "", "expected single quoted string but got b"},
		{".a['b.c'", "", "", "unexpected end of JSON path"},
		{".a['\\x']", "", "", "invalid string literal: invalid escape char \\x"},
		{".", "", "", "unexpected end of JSON path"},
	} {
		field, found, err := s.FieldPath(c.path)
		if c.problem != "" {
			require.EqualError(t, err, c.problem, c.path)
			continue
		}
		require.NoError(t, err, c.path)
		require.Equal(t, c.field, field)
		require.Equal(t, c.typeName, found.Type)
	}
}
