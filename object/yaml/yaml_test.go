package yaml_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

func TestToJSON(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"a map", "b: 1\na: x\n", `{"a":"x","b":1}`},
		{"JSON", `{"a": [1, "2", null]}`, `{"a":[1,"2",null]}`},
		{"the words of YAML 1.1", "a: yes\nb: off\nc: ~\nd: 0o7\ne: 010\n", `{"a":true,"b":false,"c":null,"d":7,"e":8}`},
		{"large numbers", "a: 9223372036854775807\nb: 9223372036854775808\nc: 1e3\nd: 1.5", `{"a":9223372036854775807,"b":9223372036854775808,"c":1000,"d":1.5}`},
		{"keys that are no texts", "1: a\ntrue: b\n1.5: c\n", `{"1":"a","1.5":"c","true":"b"}`},
		{"dates are texts", "a: 2001-02-03\n", `{"a":"2001-02-03"}`},
		{"block texts", "a: |\n  x\n  y\nb: >\n  x\n  y\n", `{"a":"x\ny\n","b":"x y\n"}`},
		{"aliases", "a: &x {b: 1}\nc: *x\n", `{"a":{"b":1},"c":{"b":1}}`},
		{"merge keys", "a: &x {b: 1, c: 2}\nd:\n  <<: *x\n  c: 3\n", `{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}`},
		{"only the first document", "a: 1\n---\nb: 2\n", `{"a":1}`},
		{"document marks", "---\na: 1\n...\n", `{"a":1}`},
		{"nothing", "", `null`},
		{"only a comment", "# nothing\n", `null`},
		{"plain text", "hello", `"hello"`},
		{"no escapes that JSON does not need", "a: <&>\n", `{"a":"<&>"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := yaml.ToJSON([]byte(tc.text))
			require.NoError(t, err)
			require.Equal(t, tc.want, string(got))
		})
	}
}

func TestToJSONErrors(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\n\tb: 2\n":           "yaml: line 2: found a tab character that violates indentation",
		"a: b: c":                  "yaml: mapping values are not allowed in this context",
		"a: .nan":                  "json: unsupported value: NaN",
		"a: -.inf":                 "json: unsupported value: -Inf",
		"? [1]\n: 2\n":             "yaml: invalid map key: []interface {}{1}",
		"~: 1":                     "unsupported map key of type: %!s(<nil>), key: <nil>, value: 1",
		"a: *nowhere":              "yaml: unknown anchor 'nowhere' referenced",
		strings.Repeat("[", 20000): "yaml: exceeded max depth of 10000",
	} {
		_, err := yaml.ToJSON([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

func TestToJSONStrictReportsKeysSetTwice(t *testing.T) {
	out, duplicates, err := yaml.ToJSONStrict([]byte("metadata:\n  name: a\n  name: b\nk: 1\nk: 2\n"))
	require.NoError(t, err)
	require.Equal(t, `{"k":2,"metadata":{"name":"b"}}`, string(out), "the last one holds")
	require.Equal(t, yaml.Duplicates{`line 3: key "name" already set in map`, `line 5: key "k" already set in map`}, duplicates)
	require.EqualError(t, duplicates, "yaml: unmarshal errors:\n  line 3: key \"name\" already set in map\n  line 5: key \"k\" already set in map")

	_, duplicates, err = yaml.ToJSONStrict([]byte("a: 1\nb: {a: 2}\n"))
	require.NoError(t, err)
	require.Empty(t, duplicates)
}

func TestAliasBombsAreRefused(t *testing.T) {
	var lists strings.Builder
	lists.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&lists, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 9), ","))
	}
	_, err := yaml.ToJSON([]byte(lists.String()))
	require.EqualError(t, err, "yaml: document contains excessive aliasing")

	long := "a: &a " + strings.Repeat("x", 1<<16) + "\nb: [" + strings.Repeat("*a,", 1<<12) + "]\n"
	_, err = yaml.ToJSON([]byte(long))
	require.EqualError(t, err, "yaml: document contains excessive aliasing")
}

func TestDecodeWantsAMap(t *testing.T) {
	o, err := yaml.Decode([]byte("kind: A\nsize: 9007199254740993\n"))
	require.NoError(t, err)
	require.Equal(t, object.Object{"kind": "A", "size": int64(9007199254740993)}, o)

	o, err = yaml.Decode([]byte("# nothing"))
	require.NoError(t, err)
	require.Equal(t, object.Object{}, o)

	_, err = yaml.Decode([]byte("hello"))
	require.EqualError(t, err, "json: cannot unmarshal string into Go value of type map[string]interface {}")
}

func TestEncode(t *testing.T) {
	out, err := yaml.Encode(object.Object{
		"b": []any{int64(1), 1.5, nil, true, "yes", "1", "two\nlines\n", ""},
		"a": map[string]any{}, "c": []any{},
	})
	require.NoError(t, err)
	require.Equal(t, "a: {}\nb:\n- 1\n- 1.5\n- null\n- true\n- \"yes\"\n- \"1\"\n- |\n  two\n  lines\n- \"\"\nc: []\n", string(out))
}

func TestFromJSON(t *testing.T) {
	out, err := yaml.FromJSON([]byte(`{"size":9223372036854775807,"n":"\ud83d\ude00"}`))
	require.NoError(t, err)
	require.Equal(t, "\"n\": \"\\U0001F600\"\nsize: 9223372036854775807\n", string(out))
	_, err = yaml.FromJSON([]byte(`{`))
	require.EqualError(t, err, "making YAML of JSON: unexpected end of JSON input")
}

func ExampleDecode() {
	o, err := yaml.Decode([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"))
	fmt.Println(o, err)
	// Output: ConfigMap a <nil>
}

func FuzzYAML(f *testing.F) {
	for _, text := range []string{
		"a: 1\nb: [x, 'y', \"z\"]\n", "a: &x {b: 1}\nc: *x\n", "a: 1\na: 2\n", "--- |\n text\n", "? a\n: b\n", "<<: {a: 1}\n",
		"a: !!binary aGVsbG8=\n", "a: 1e400\nb: 0x7f\nc: 1_000\nd: 12:30:45\n", "\ta: 1", "{", "a: .nan",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, duplicates, err := yaml.ToJSONStrict(data)
		lenient, lenientErr := yaml.ToJSON(data)
		require.Equal(t, lenientErr == nil, err == nil)
		if err != nil {
			return
		}
		v, err := object.DecodeValue(out)
		require.NoError(t, err, "%q", out)
		if len(duplicates) == 0 {
			require.Equal(t, string(lenient), string(out))
		}
		text, err := yaml.FromJSON(out)
		require.NoError(t, err)
		again, err := yaml.ToJSON(text)
		require.NoError(t, err, "%q", text)
		w, err := object.DecodeValue(again)
		require.NoError(t, err)
		require.Equal(t, string(object.AppendJSON(nil, v)), string(object.AppendJSON(nil, w)))
	})
}
