package apply_test

import (
	"testing"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/stretchr/testify/require"
)

func TestStrictNamesWhatPatchesShouldNotHave(t *testing.T) {
	tests := []struct {
		name  string
		kind  apply.PatchType
		patch string
		want  []string
	}{
		{"a clean JSON Patch", apply.JSONPatch, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/c","value":{"any":1}}]`, nil},
		{"an unknown member", apply.JSONPatch, `[{"op":"remove","path":"/b"},{"op":"remove","path":"/b","comment":1,"a":2}]`, []string{`json patch unknown field "[1].a"`, `json patch unknown field "[1].comment"`}},
		{"a repeated member", apply.JSONPatch, `[{"op":"add","op":"add","path":"/b","value":{"x":1,"x":2}}]`, []string{`json patch duplicate field "[0].op"`, `json patch duplicate field "[0].value.x"`}},
		{"a clean merge patch", apply.MergePatch, `{"a":{"b":1}}`, nil},
		{"a repeated field", apply.MergePatch, `{"data":{"k":1,"k":2}}`, []string{`duplicate field "data.k"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := apply.Parse(tt.kind, []byte(tt.patch))
			require.NoError(t, err)
			require.ElementsMatch(t, tt.want, c.Strict())
		})
	}
}
