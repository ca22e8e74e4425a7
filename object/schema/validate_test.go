package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func messages(errs object.FieldErrors) []string {
	texts := []string{}
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name, schema, value string
		errs                []string
	}{
		{"a wrong type", `{"properties":{"a":{"type":"string"}}}`, `{"a":1}`,
			[]string{`a: Invalid value: "integer": a in body must be of type string: "integer"`}},
		{"null where none is allowed", `{"properties":{"a":{"type":"string"},"b":{"type":"string","nullable":true}}}`, `{"a":null,"b":null}`,
			[]string{`a: Invalid value: "null": a in body must be of type string: "null"`}},
		{"whole numbers are integers", `{"properties":{"a":{"type":"integer"},"b":{"type":"number"}}}`, `{"a":3.0,"b":3}`, nil},
		{"a fraction is no integer, twice over", `{"properties":{"a":{"type":"integer"}}}`, `{"a":2.5}`,
			[]string{`a: Invalid value: "number": a in body must be of type integer: "number"`,
				`<nil>: Invalid value: "": Checked value must be of type integer (default format) in a`}},
		{"int32 has a range", `{"properties":{"a":{"type":"integer","format":"int32"}}}`, `{"a":2147483648}`,
			[]string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a`}},
		{"large integers stay exact", `{"properties":{"a":{"type":"integer","minimum":9007199254740992,"exclusiveMinimum":true}}}`, `{"a":9007199254740993}`, nil},
		{"limits of numbers come in an order", `{"properties":{"a":{"type":"integer","maximum":9,"multipleOf":2}}}`, `{"a":11}`,
			[]string{`a: Invalid value: 11: a in body should be a multiple of 2`, `a: Invalid value: 11: a in body should be less than or equal to 9`}},
		{"of a text's limits the first counts", `{"properties":{"a":{"type":"string","maxLength":2,"pattern":"^b"}}}`, `{"a":"äöü"}`,
			[]string{`a: Too long: may not be more than 2 bytes`}},
		{"lengths count characters", `{"properties":{"a":{"type":"string","maxLength":3,"minLength":3}}}`, `{"a":"äöü"}`, nil},
		{"a format gets in front of the type", `{"properties":{"a":{"type":"string","format":"date"}}}`, `{"a":[]}`, nil},
		{"a format that is none", `{"properties":{"a":{"type":"string","format":"colour"}}}`, `{"a":"red"}`, nil},
		{"enum", `{"properties":{"a":{"enum":["x",1,{"b":2}]}}}`, `{"a":"y"}`,
			[]string{`a: Unsupported value: "y": supported values: "x", "1", "{\"b\":2}"`}},
		{"null is in no enum", `{"properties":{"a":{"nullable":true,"enum":["x",null]}}}`, `{"a":null}`,
			[]string{`a: Unsupported value: null: supported values: "x", "null"`}},
		{"items, then the length of the list", `{"properties":{"a":{"type":"array","maxItems":1,"items":{"type":"string"}}}}`, `{"a":["x",1]}`,
			[]string{`a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"`, `a: Too many: 2: must have at most 1 item`}},
		{"the keys of maps", `{"properties":{"a":{"additionalProperties":{"type":"integer"}}}}`, `{"a":{"k.e/y":true}}`,
			[]string{`a.k.e/y: Invalid value: "boolean": a.k.e/y in body must be of type integer: "boolean"`}},
		{"no additional properties", `{"properties":{"a":{"properties":{"x":{}},"additionalProperties":false}}}`, `{"a":{"x":1,"y":2}}`,
			[]string{`a: Invalid value: "y": a.y in body is a forbidden property`}},
		{"required fields come last, in their order", `{"required":["z","b"],"properties":{"a":{"type":"string"}}}`, `{"a":1}`,
			[]string{`a: Invalid value: "integer": a in body must be of type string: "integer"`, `z: Required value`, `b: Required value`}},
		{"int or string", `{"properties":{"a":{"x-kubernetes-int-or-string":true,"maximum":5,"maxLength":1}}}`, `{"a":1.5}`,
			[]string{`a: Invalid value: "number": a in body must be of type integer,string: "number"`}},
		{"oneOf blames the best alternative", `{"properties":{"a":{"oneOf":[{"required":["x"]},{"required":["y"]}]}}}`, `{"a":{}}`,
			[]string{`<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid`, `a.x: Required value`}},
		{"oneOf with two", `{"properties":{"a":{"oneOf":[{"required":["x"]},{"required":["y"]}]}}}`, `{"a":{"x":1,"y":1}}`,
			[]string{`<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives`}},
		{"anyOf", `{"anyOf":[{"properties":{"a":{"minimum":5},"b":{"minimum":5}}},{"properties":{"a":{"minimum":2}}}]}`, `{"a":1,"b":6}`,
			[]string{`<nil>: Invalid value: "": "" must validate at least one schema (anyOf)`, `a: Invalid value: 1: a in body should be greater than or equal to 5`}},
		{"allOf", `{"allOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1}`,
			[]string{`b: Required value`, `<nil>: Invalid value: "": "" must validate all the schemas (allOf)`}},
		{"not", `{"not":{"required":["a"]}}`, `{"a":1}`,
			[]string{`<nil>: Invalid value: "": "" must not validate the schema (not)`}},
		{"the same twice is said once", `{"allOf":[{"required":["a"]},{"required":["a"]}]}`, `{}`,
			[]string{`a: Required value`, `<nil>: Invalid value: "": "" must validate all the schemas (allOf). None validated`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := parse(t, c.schema).Validate(document(t, c.value), "")
			if c.errs == nil {
				c.errs = []string{}
			}
			require.Equal(t, c.errs, messages(errs))
		})
	}
}

func TestValidateBelowAField(t *testing.T) {
	s := parse(t, `{"type":"object","required":["a"],"not":{"required":["b"]}}`)
	require.Equal(t, []string{
		`status: Invalid value: "": "" must not validate the schema (not)`, `status.a: Required value`,
	}, messages(s.Validate(document(t, `{"b":1}`), "status")))
}

func TestValidateUpdateAcceptsWhatIsLeftAlone(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"name":{"type":"string","pattern":"^[a-z]+$"},"need":{"type":"object","required":["x"],"properties":{"y":{"type":"string"}}},
		"map":{"type":"object","additionalProperties":{"type":"integer","maximum":9}},
		"plain":{"type":"array","items":{"type":"integer","maximum":9}},
		"keyed":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],
			"items":{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer","maximum":9}}}}}}`)
	for _, c := range []struct {
		name, value, old string
		errs             []string
	}{
		{"an invalid field stays", `{"name":"X","map":{"a":1}}`, `{"name":"X"}`, nil},
		{"an invalid field changes", `{"name":"Y"}`, `{"name":"X"}`, []string{`name: Invalid value: "Y": name in body should match '^[a-z]+$'`}},
		{"what is missing was missing", `{"need":{}}`, `{"need":{}}`, nil},
		{"what is missing is so in a part that changed", `{"need":{"y":"b"}}`, `{"need":{"y":"a"}}`, []string{`need.x: Required value`}},
		{"keys of maps", `{"map":{"a":10,"b":1}}`, `{"map":{"a":10}}`, nil},
		{"items of lists are not told apart", `{"plain":[10,2]}`, `{"plain":[10]}`, []string{`plain[0]: Invalid value: 10: plain[0] in body should be less than or equal to 9`}},
		{"but the list may stay", `{"plain":[10],"name":"a"}`, `{"plain":[10]}`, nil},
		{"items with keys are found again", `{"keyed":[{"id":"new"},{"id":"a","n":10}]}`, `{"keyed":[{"id":"a","n":10}]}`, nil},
		{"items with keys that changed", `{"keyed":[{"id":"a","n":11}]}`, `{"keyed":[{"id":"a","n":10}]}`, []string{`keyed[0].n: Invalid value: 11: keyed[0].n in body should be less than or equal to 9`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.errs == nil {
				c.errs = []string{}
			}
			require.Equal(t, c.errs, messages(s.ValidateUpdate(document(t, c.value), document(t, c.old), "")))
		})
	}
}

func TestValidateLists(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{
		"set":{"type":"array","x-kubernetes-list-type":"set","items":{}},
		"one":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a"],"items":{"type":"object"}},
		"two":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object"}},
		"in":{"type":"object","additionalProperties":{"type":"array","x-kubernetes-list-type":"set","items":{}}}}}`)
	value := document(t, `{"set":[1,"1",1,1,{"x":1},{"x":1}],"one":[{"a":1},{"a":1.0},{"a":1},{},{}],
		"two":[{"a":1,"b":2},{"a":1},{"a":1.0,"b":2}],"in":{"k":["x","x"]}}`)
	want := []string{
		`in[k][1]: Duplicate value: "x"`,
		`one[2]: Duplicate value: {"a":1}`, `one[4]: Duplicate value: {}`,
		`set[2]: Duplicate value: 1`, `set[5]: Duplicate value: {"x":1}`,
		`two[2]: Duplicate value: {"a":1,"b":2}`,
	}
	require.Equal(t, want, messages(s.ValidateLists(value, "")))
	require.Empty(t, s.ValidateListsUpdate(value, document(t, `{"set":[1,1]}`), ""))
	require.Len(t, s.ValidateListsUpdate(value, document(t, `{"set":[1]}`), ""), len(want))
	require.Equal(t, []string{`one[1]: Invalid value: 5: must be an object for an array of list-type map`},
		messages(s.ValidateLists(document(t, `{"one":[null,5]}`), "")))
}

func TestLongListsFindTwinsToo(t *testing.T) {
	var list []any
	for i := range 100 {
		list = append(list, int64(i%60), map[string]any{"n": int64(i % 80)})
	}
	require.Len(t, twins(list), 40+20)
}

func TestEmbeddedResources(t *testing.T) {
	s := parse(t, `{"type":"object","properties":{"raw":{"type":"object","x-kubernetes-embedded-resource":true,"x-kubernetes-preserve-unknown-fields":true}}}`)
	o := document(t, `{"raw":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"},"colour":"red","creationTimestamp":null},"x":1}}`)
	unknown, err := s.Coerce(o, "", false)
	require.NoError(t, err)
	require.Equal(t, []string{"raw.metadata.colour"}, unknown)
	require.Equal(t, document(t, `{"raw":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"a":"b"}},"x":1}}`), o)
	require.Empty(t, s.ValidateEmbedded(o, ""))

	for _, c := range []struct{ name, raw, coerced, invalid string }{
		{"a kind that is no text", `{"apiVersion":"v1","kind":9}`, `raw.kind: Invalid value: 9: must be a string`, `raw.kind: Invalid value: 9: must be a string`},
		{"labels that are none", `{"apiVersion":"v1","kind":"A","metadata":{"labels":[]}}`,
			`raw.metadata: Invalid value: {"labels":[]}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string`,
			`raw.metadata: Invalid value: {"labels":[]}: json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string`},
		{"no kind", `{"apiVersion":"v1"}`, "", `raw.kind: Required value`},
		{"a group that is none", `{"apiVersion":"a/b/c","kind":"A"}`, "", `raw.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := map[string]any{"raw": document(t, c.raw)}
			s.CoerceFitting(o)
			require.Equal(t, map[string]any{"raw": document(t, c.raw)}, o, "what doesn't fit stays")
			require.Equal(t, []string{c.invalid}, messages(s.ValidateEmbedded(o, "")))
			_, err := s.Coerce(o, "", false)
			if c.coerced == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.coerced)
			_, err = s.Coerce(o, "", true)
			require.NoError(t, err, "what comes from the store is made the best of")
		})
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct{ format, good, bad string }{
		{"date", "2024-02-29", "2023-02-29"},
		{"date-time", "2024-02-28t23:59:59.5+99:99", "2024-02-28T24:00:00Z"},
		{"datetime", "2024-02-28T00:00:00Z", "2024-02-28 00:00:00"},
		{"duration", "3 days", "5 parsecs"},
		{"ipv4", "010.000.0.1", "256.0.0.1"},
		{"ipv6", "::1", "10.0.0.1"},
		{"cidr", "010.0.0.0/8", "fe80::/129"},
		{"mac", "01:23:45:67:89:ab", "01:23"},
		{"email", "A <a@b.c>", "nobody"},
		{"uri", "/path", "no scheme"},
		{"hostname", "www.exämple.com", "host_name"},
		{"hostname", "a-b", "a.b-c"},
		{"byte", "YWI=", "not base64!"},
		{"uuid", "6ba7b8109dad-11d1-80b4-00C04FD430C8", "6ba7b810-9dad-11d1-80b4"},
		{"uuid3", "6ba7b810-9dad-31d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"uuid4", "6ba7b810-9dad-41d1-80b4-00c04fd430c8", "6ba7b810-9dad-41d1-c0b4-00c04fd430c8"},
		{"uuid5", "6ba7b810-9dad-51d1-80b4-00c04fd430c8", "6ba7b810-9dad-41d1-80b4-00c04fd430c8"},
		{"isbn", "978-0321751041", "123"},
		{"isbn10", "0321751043", "0321751044"},
		{"isbn13", "9780321751041", "0321751043"},
		{"creditcard", "4111-1111-1111-1111", "4111111111111112"},
		{"ssn", "123-45-6789", "123456789"},
		{"hexcolor", "#FFFFFF", "#12345"},
		{"rgbcolor", "rgb(1, 2,255)", "rgb(1,2,256)"},
		{"bsonobjectid", "507f1f77bcf86cd799439011", "507f1f77"},
		{"k8s-short-name", "a-b", "Not-Short"},
		{"k8s-long-name", "a.b", "a..b"},
	} {
		s := parse(t, `{"type":"string","format":"`+c.format+`"}`)
		require.Empty(t, s.Validate(c.good, "x"), c.format)
		require.Equal(t, []string{`x: Invalid value: "` + c.bad + `":  in body must be of type ` + c.format + `: "` + c.bad + `"`},
			messages(s.Validate(c.bad, "x")))
	}
	require.Empty(t, parse(t, `{"type":"string","format":"password"}`).Validate("", ""))
}
