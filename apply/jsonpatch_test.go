package apply_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

func decode(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := object.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

// rejected is what a test expects of a patch that does not fit.
const rejected = "422"

type patchCase struct{ name, doc, patch, want string }

func checkPatches(t *testing.T, kind apply.PatchType, tests []patchCase) {
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc := decode(t, tt.doc)
			got, err := apply.Patch(doc, kind, []byte(tt.patch))
			require.Equal(t, decode(t, tt.doc), doc, "the document given is not changed")
			if tt.want != rejected {
				require.NoError(t, err)
				require.Equal(t, decode(t, tt.want), got)
				return
			}
			requireRejected(t, err)
		})
	}
}

func requireRejected(t *testing.T, err error) {
	t.Helper()
	status := object.AsStatus(err)
	require.Equal(t, 422, status.Code)
	require.Equal(t, object.ErrInvalid, status.Reason)
	require.Equal(t, "the server rejected our request due to an error in our request", status.Message)
	require.Equal(t, &object.StatusDetails{}, status.Details)
}

// TestJSONPatchOfRFC6902 holds the examples of appendix A, by their numbers.
func TestJSONPatchOfRFC6902(t *testing.T) {
	checkPatches(t, apply.JSONPatch, []patchCase{
		{"A.1 adding an object member", `{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"baz":"qux","foo":"bar"}`},
		{"A.2 adding an array element", `{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{"A.3 removing an object member", `{"baz":"qux","foo":"bar"}`, `[{"op":"remove","path":"/baz"}]`, `{"foo":"bar"}`},
		{"A.4 removing an array element", `{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{"A.5 replacing a value", `{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":"boo"}]`, `{"baz":"boo","foo":"bar"}`},
		{"A.6 moving a value", `{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`, `[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`, `{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{"A.7 moving an array element", `{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`, `{"foo":["all","cows","eat","grass"]}`},
		{"A.8 testing a value: success", `{"baz":"qux","foo":["a",2,"c"]}`, `[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]`, `{"baz":"qux","foo":["a",2,"c"]}`},
		{"A.9 testing a value: error", `{"baz":"qux"}`, `[{"op":"test","path":"/baz","value":"bar"}]`, rejected},
		{"A.10 adding a nested member object", `{"foo":"bar"}`, `[{"op":"add","path":"/child","value":{"grandchild":{}}}]`, `{"foo":"bar","child":{"grandchild":{}}}`},
		{"A.11 ignoring unrecognized elements", `{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux","xyz":123}]`, `{"foo":"bar","baz":"qux"}`},
		{"A.12 adding to a nonexistent target", `{"foo":"bar"}`, `[{"op":"add","path":"/baz/bat","value":"qux"}]`, rejected},
		{"A.14 tilde escape ordering", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10}]`, `{"/":9,"~1":10}`},
		{"A.15 comparing strings and numbers", `{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":"10"}]`, rejected},
		{"A.16 adding an array value", `{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},
	})
}

func TestJSONPatch(t *testing.T) {
	const doc = `{"m":{"a":1,"n":null},"l":["x","y","z"],"s":"text","":{"":0}}`
	with := func(change string) string { return strings.Replace(doc, `"s":"text"`, change, 1) }
	checkPatches(t, apply.JSONPatch, []patchCase{
		{"no operations", doc, `[]`, doc},
		{"null for the list", doc, `null`, doc},
		{"add overwrites a member", doc, `[{"op":"add","path":"/s","value":{"k":[]}}]`, with(`"s":{"k":[]}`)},
		{"add without a value", doc, `[{"op":"add","path":"/s"}]`, with(`"s":null`)},
		{"add behind the last element", doc, `[{"op":"add","path":"/l/3","value":"w"}]`, `{"m":{"a":1,"n":null},"l":["x","y","z","w"],"s":"text","":{"":0}}`},
		{"add from the end", doc, `[{"op":"add","path":"/l/-1","value":"w"},{"op":"add","path":"/l/-5","value":"v"}]`, `{"m":{"a":1,"n":null},"l":["v","x","y","z","w"],"s":"text","":{"":0}}`},
		{"add far behind the last element", doc, `[{"op":"add","path":"/l/4","value":"w"}]`, rejected},
		{"add far before the first element", doc, `[{"op":"add","path":"/l/-5","value":"w"}]`, rejected},
		{"add at a huge index", doc, `[{"op":"add","path":"/l/99999999999999999999","value":"w"}]`, rejected},
		{"add at no index", doc, `[{"op":"add","path":"/l/x","value":"w"}]`, rejected},
		{"add below a text", doc, `[{"op":"add","path":"/s/x","value":"w"}]`, rejected},
		{"add below null", doc, `[{"op":"add","path":"/m/n/x","value":"w"}]`, rejected},
		{"add the whole document", doc, `[{"op":"add","path":"","value":{}}]`, rejected},
		{"add with the text before the slash passed over", doc, `[{"op":"add","path":"m/s","value":0}]`, with(`"s":0`)},
		{"add without a slash", doc, `[{"op":"add","path":"s","value":0}]`, rejected},
		{"add to empty names", doc, `[{"op":"add","path":"//","value":1}]`, `{"m":{"a":1,"n":null},"l":["x","y","z"],"s":"text","":{"":1}}`},
		{"remove null", doc, `[{"op":"remove","path":"/m/n"}]`, `{"m":{"a":1},"l":["x","y","z"],"s":"text","":{"":0}}`},
		{"remove a missing member", doc, `[{"op":"remove","path":"/m/b"}]`, rejected},
		{"remove from the end", doc, `[{"op":"remove","path":"/l/-1"}]`, `{"m":{"a":1,"n":null},"l":["x","y"],"s":"text","":{"":0}}`},
		{"remove behind the end", doc, `[{"op":"remove","path":"/l/3"}]`, rejected},
		{"remove at the dash", doc, `[{"op":"remove","path":"/l/-"}]`, rejected},
		{"remove the whole document", doc, `[{"op":"remove","path":""}]`, rejected},
		{"replace a missing member", doc, `[{"op":"replace","path":"/m/b","value":2}]`, `{"m":{"a":1,"b":2,"n":null},"l":["x","y","z"],"s":"text","":{"":0}}`},
		{"replace from the end", doc, `[{"op":"replace","path":"/l/-3","value":2}]`, `{"m":{"a":1,"n":null},"l":[2,"y","z"],"s":"text","":{"":0}}`},
		{"replace behind the end", doc, `[{"op":"replace","path":"/l/3","value":2}]`, rejected},
		{"replace without a value", doc, `[{"op":"replace","path":"/s"}]`, with(`"s":null`)},
		{"replace below a missing member", doc, `[{"op":"replace","path":"/x/y","value":2}]`, rejected},
		{"replace the whole document", doc, `[{"op":"replace","path":"","value":{"a":1}},{"op":"add","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{"replace the whole document by a list and back", doc, `[{"op":"replace","path":"","value":[]},{"op":"add","path":"/-","value":2},{"op":"replace","path":"","value":{}}]`, `{}`},
		{"replace the whole document by a list", doc, `[{"op":"replace","path":"","value":[]}]`, rejected},
		{"replace the whole document by a text", doc, `[{"op":"replace","path":"","value":"text"}]`, rejected},
		{"replace the whole document by null", doc, `[{"op":"replace","path":"","value":null}]`, rejected},
		{"replace the whole document by nothing", doc, `[{"op":"replace","path":""}]`, rejected},
		{"move over itself", doc, `[{"op":"move","from":"/s","path":"/s"}]`, doc},
		{"move into itself", doc, `[{"op":"move","from":"/m","path":"/m/x"}]`, rejected},
		{"move a missing member", doc, `[{"op":"move","from":"/x","path":"/y"}]`, rejected},
		{"move from nowhere", doc, `[{"op":"move","path":"/y"}]`, rejected},
		{"move from below a text", doc, `[{"op":"move","from":"/s/x","path":"/y"}]`, rejected},
		{"copy a missing member", doc, `[{"op":"copy","from":"/x","path":"/s"}]`, with(`"s":null`)},
		{"copy into itself", doc, `[{"op":"copy","from":"/m","path":"/m/n"}]`, `{"m":{"a":1,"n":{"a":1,"n":null}},"l":["x","y","z"],"s":"text","":{"":0}}`},
		{"copies are independent", doc, `[{"op":"copy","from":"/l","path":"/s"},{"op":"replace","path":"/s/0","value":"v"}]`, with(`"s":["v","y","z"]`)},
		{"values are independent", `{}`, `[{"op":"add","path":"/a","value":{"l":[]}},{"op":"add","path":"/a/l/-","value":1}]`, `{"a":{"l":[1]}}`},
		{"test null against a missing member", doc, `[{"op":"test","path":"/x","value":null}]`, doc},
		{"test nothing against a missing member", doc, `[{"op":"test","path":"/x"}]`, doc},
		{"test nothing against a value", doc, `[{"op":"test","path":"/s"}]`, rejected},
		{"test a value against a missing member", doc, `[{"op":"test","path":"/x","value":1}]`, rejected},
		{"test the whole document", doc, `[{"op":"test","path":"","value":` + doc + `}]`, doc},
		{"test numbers by value", `{"a":1,"b":1.5}`, `[{"op":"test","path":"/a","value":1.0},{"op":"test","path":"","value":{"b":15e-1,"a":1}}]`, `{"a":1,"b":1.5}`},
		{"test lists in order", doc, `[{"op":"test","path":"/l","value":["y","x","z"]}]`, rejected},
		{"test beyond a list", doc, `[{"op":"test","path":"/l/3","value":null}]`, rejected},
		{"unknown op", doc, `[{"op":"merge","path":"/s","value":1}]`, rejected},
		{"no op", doc, `[{"path":"/s","value":1}]`, rejected},
		{"no path", doc, `[{"op":"add","value":1}]`, rejected},
		{"null for an operation", doc, `[null,null]`, rejected},
		{"the last of repeated members", doc, `[{"op":"remove","op":"add","path":"/s","value":1}]`, with(`"s":1`)},
	})
}

func TestJSONPatchThatIsNone(t *testing.T) {
	tests := []struct{ name, patch, want string }{
		{"nothing", ``, "invalid JSON patch"},
		{"broken", `[{"op"`, "invalid JSON patch"},
		{"an object", `{"op":"add"}`, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{"a list of numbers", `[1]`, "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
		{"a number for an op", `[{"op":1}]`, "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"},
		{"a list for a path", `[{"op":"add","path":[]}]`, "error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := apply.Patch(object.Object{}, apply.JSONPatch, []byte(tt.patch))
			requireBadRequest(t, err, tt.want)
		})
	}
}

func requireBadRequest(t *testing.T, err error, message string) {
	t.Helper()
	status := object.AsStatus(err)
	require.Equal(t, 400, status.Code)
	require.Equal(t, message, status.Message)
}

func TestJSONPatchThatDoesNotFitSaysWhyInTheWordsOfTheAPI(t *testing.T) {
	doc := object.Object{"data": map[string]any{"a": "b", "list": []any{"x"}}}
	for patch, why := range map[string]string{
		`{"op":"remove","path":"/data/missing"}`:                  `error in remove for path: '/data/missing': Unable to remove nonexistent key: missing: missing value`,
		`{"op":"add","path":"/none/0/name","value":1}`:            `add operation does not apply: doc is missing path: "/none/0/name": missing value`,
		`{"op":"add","path":"slashless","value":1}`:               `add operation does not apply: doc is missing path: "slashless": missing value`,
		`{"op":"twist","path":"/data"}`:                           `Unexpected kind: twist`,
		`{"path":"/data"}`:                                        `Unexpected kind: unknown`,
		`{"op":"add","value":1}`:                                  `add operation failed to decode path: missing value`,
		`{"op":"test","path":"/data/a","value":"c"}`:              `testing value /data/a failed: test failed`,
		`{"op":"test","path":"slashless","value":1}`:              `test operation does not apply: is missing path: slashless: missing value`,
		`{"op":"test","path":"/data/list/3","value":1}`:           `error in test for path: '/data/list/3': Unable to access invalid index: 3: invalid index referenced`,
		`{"op":"replace","path":"/data/list/3","value":1}`:        `replace operation does not apply: doc is missing key: /data/list/3: missing value`,
		`{"op":"replace","path":"/none/a","value":1}`:             `replace operation does not apply: doc is missing path: /none/a: missing value`,
		`{"op":"replace","path":"slashless","from":"","value":1}`: `replace operation does not apply: doc is missing path: slashless: missing value`,
		`{"op":"add","path":"/data/list/3","value":1}`:            `error in add for path: '/data/list/3': Unable to access invalid index: 3: invalid index referenced`,
		`{"op":"add","path":"/data/list/x","value":1}`:            `error in add for path: '/data/list/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
		`{"op":"move","path":"/data/c"}`:                          `move operation failed to decode from: operation, missing from field: missing value`,
		`{"op":"move","from":"/data/none","path":"/data/c"}`:      `error in move for path: 'none': Unable to remove nonexistent key: none: missing value`,
		`{"op":"move","from":"/none/a","path":"/data/c"}`:         `move operation does not apply: doc is missing from path: /none/a: missing value`,
		`{"op":"copy","from":"/data/a","path":"/none/c"}`:         `copy operation does not apply: doc is missing destination path: /none/c: missing value`,
		`{"op":"copy","from":"/data/list/7","path":"/data/c"}`:    `error in copy for from: '/data/list/7': Unable to access invalid index: 7: invalid index referenced`,
		`{"op":"copy","from":"/data/a","path":"/data/list/7"}`:    `error while adding value during copy: Unable to access invalid index: 7: invalid index referenced`,
		`{"op":"copy","from":"slashless","path":"/data/list/7"}`:  `copy operation does not apply: doc is missing from path: slashless: missing value`,
	} {
		_, err := apply.Patch(doc, apply.JSONPatch, []byte("["+patch+"]"))
		require.ErrorIs(t, err, object.ErrInvalid, patch)
		require.EqualError(t, errors.Unwrap(err), why, patch)
		require.Equal(t, strings.Contains(why, "test failed"), apply.IsFailedTest(err), patch)
	}
}

func TestJSONPatchLimitsItself(t *testing.T) {
	t.Run("in operations", func(t *testing.T) {
		nulls := func(n int) []byte { return []byte("[" + strings.Repeat("null,", n-1) + "null]") }
		_, err := apply.Patch(object.Object{}, apply.JSONPatch, nulls(10_001))
		status := object.AsStatus(err)
		require.Equal(t, 413, status.Code)
		require.Equal(t, "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001", status.Message)
		require.Nil(t, status.Details)
		_, err = apply.Patch(object.Object{}, apply.JSONPatch, nulls(10_000))
		requireRejected(t, err)
	})
	t.Run("in copies", func(t *testing.T) {
		doc := object.Object{"l": []any{strings.Repeat("x", 1000)}}
		double := `{"op":"copy","from":"/l","path":"/l/-"},`
		patch := func(n int) []byte { return []byte("[" + strings.TrimSuffix(strings.Repeat(double, n), ",") + "]") }
		_, err := apply.Patch(doc, apply.JSONPatch, patch(11))
		require.NoError(t, err)
		_, err = apply.Patch(doc, apply.JSONPatch, patch(12))
		requireRejected(t, err)
	})
	t.Run("in depth", func(t *testing.T) {
		nested := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
		shallow := fmt.Sprintf(`[{"op":"add","path":"/a","value":%s}]`, nested)
		deep := fmt.Sprintf(`[{"op":"add","path":"/a","value":%s},{"op":"copy","from":"/a","path":"/a%s/0"}]`, nested, strings.Repeat("/0", 8_999))
		_, err := apply.Patch(object.Object{}, apply.JSONPatch, []byte(shallow))
		require.NoError(t, err)
		_, err = apply.Patch(object.Object{}, apply.JSONPatch, []byte(deep))
		requireRejected(t, err)
	})
	t.Run("but not in moves that stay flat", func(t *testing.T) {
		doc := object.Object{"a": []any{[]any{}}, "m": map[string]any{}}
		there := `{"op":"move","from":"/a","path":"/m/a"},{"op":"move","from":"/m/a","path":"/a"},`
		patch := "[" + strings.TrimSuffix(strings.Repeat(there, 5_000), ",") + "]"
		got, err := apply.Patch(doc, apply.JSONPatch, []byte(patch))
		require.NoError(t, err)
		require.Equal(t, doc, got)
	})
}

func TestChangeMayBeAppliedAgain(t *testing.T) {
	c, err := apply.Parse(apply.JSONPatch, []byte(`[{"op":"add","path":"/a","value":{"l":[]}},{"op":"add","path":"/a/l/-","value":1}]`))
	require.NoError(t, err)
	for range 2 {
		got, err := c.Apply(object.Object{})
		require.NoError(t, err)
		require.Equal(t, decode(t, `{"a":{"l":[1]}}`), got)
	}
}

func TestUnknownPatchType(t *testing.T) {
	_, err := apply.Patch(object.Object{}, "application/frob-patch+json", []byte(`{}`))
	require.ErrorIs(t, err, object.ErrUnsupportedMediaType)
}

// FuzzJSONPatch holds that any patch gives a document, which encodes and decodes
// again, or a status, and leaves what it was applied to alone.
func FuzzJSONPatch(f *testing.F) {
	for _, patch := range []string{
		`[null,null]`, `[{"op":"replace","path":""}]`, `[{"op":"test","path":"/a"}]`,
		`[{"op":"copy","from":"/a","path":"/a/x"},{"op":"move","from":"/a/x","path":"/l/-"}]`,
		`[{"op":"add","path":"/l/-1","value":[{}]},{"op":"remove","path":"/l/0"}]`,
	} {
		f.Add(`{"a":{"b":[1,null]},"l":["x",{"y":1.5}]}`, []byte(patch))
	}
	f.Fuzz(func(t *testing.T, text string, patch []byte) { checkAnyPatch(t, apply.JSONPatch, text, patch) })
}

func checkAnyPatch(t *testing.T, kind apply.PatchType, text string, patch []byte) {
	doc, err := object.Decode([]byte(text))
	if err != nil {
		t.Skip()
	}
	before := doc.DeepCopy()
	got, err := apply.Patch(doc, kind, patch)
	require.Equal(t, before, doc)
	if err != nil {
		var status *object.StatusError
		require.ErrorAs(t, err, &status)
		return
	}
	again, err := object.Decode(object.AppendJSON(nil, got))
	require.NoError(t, err)
	require.True(t, got.Equal(again))
}

func TestOperationsThatMoveHugeListsAreBounded(t *testing.T) {
	operations := strings.Repeat(`{"op":"add","path":"/l/0","value":1},`, 500)
	patch := []byte("[" + strings.TrimSuffix(operations, ",") + "]")
	_, err := apply.Patch(object.Object{"l": make([]any, 400_000)}, apply.JSONPatch, patch)
	require.ErrorIs(t, err, object.ErrInvalid)

	_, err = apply.Patch(object.Object{"l": make([]any, 4_000)}, apply.JSONPatch, patch)
	require.NoError(t, err)
}
