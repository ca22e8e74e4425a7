package apply_test

import (
	"testing"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// TestMergePatchOfRFC7386 holds the test cases of appendix A for documents that are objects.
func TestMergePatchOfRFC7386(t *testing.T) {
	checkPatches(t, apply.MergePatch, []patchCase{
		{"a member is replaced", `{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{"a member is added", `{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{"a member is removed", `{"a":"b"}`, `{"a":null}`, `{}`},
		{"one of two is removed", `{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{"a list by a text", `{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{"a text by a list", `{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{"objects are merged", `{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{"lists are replaced", `{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{"null stays where nothing says otherwise", `{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{"nulls in what is added are dropped", `{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	})
}

func TestMergePatch(t *testing.T) {
	checkPatches(t, apply.MergePatch, []patchCase{
		{"nothing", `{"a":1}`, `{}`, `{"a":1}`},
		{"a missing member is removed", `{"a":1}`, `{"b":null}`, `{"a":1}`},
		{"an object for null", `{"a":null}`, `{"a":{"b":1,"c":null}}`, `{"a":{"b":1}}`},
		{"an object for a text", `{"a":"s"}`, `{"a":{"b":1,"c":null}}`, `{"a":{"b":1}}`},
		{"nulls in a list stay, in its objects not", `{"a":[]}`, `{"a":[null,{"x":null,"y":[{"z":null}]}]}`, `{"a":[null,{"y":[{}]}]}`},
		{"a list for an object is taken as it is", `{"a":{"b":1}}`, `{"a":[null,{"x":null}]}`, `{"a":[null,{"x":null}]}`},
		{"the last of repeated members", `{}`, `{"a":1,"a":2}`, `{"a":2}`},
	})
}

func TestMergePatchThatIsNone(t *testing.T) {
	tests := []struct{ name, patch, want string }{
		{"nothing", ``, "invalid JSON patch"},
		{"broken", `{`, "invalid JSON patch"},
		{"YAML", `data: {y: z}`, "invalid JSON patch"},
		{"null", `null`, "Invalid JSON Patch"},
		{"a list", `[]`, "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"a text", `"text"`, "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := apply.Patch(object.Object{}, apply.MergePatch, []byte(tt.patch))
			requireBadRequest(t, err, tt.want)
		})
	}
}

// FuzzMergePatch holds of a merge patch what [FuzzJSONPatch] holds of a JSON Patch.
func FuzzMergePatch(f *testing.F) {
	f.Add(`{"a":{"b":[1,null]},"l":["x",{"y":1.5}]}`, []byte(`{"a":{"b":null,"c":[null,{"d":null}]},"l":{}}`))
	f.Add(`{"a":null}`, []byte(`{"a":{"b":null}}`))
	f.Fuzz(func(t *testing.T, text string, patch []byte) { checkAnyPatch(t, apply.MergePatch, text, patch) })
}
