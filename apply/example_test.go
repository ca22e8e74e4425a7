package apply_test

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func ExamplePatch() {
	doc := object.Object{"kind": "ConfigMap", "data": map[string]any{"color": "blue", "size": "7"}}
	next, err := apply.Patch(doc, apply.MergePatch, []byte(`{"data":{"color":"red","size":null}}`))
	fmt.Println(next["data"], err)
	_, err = apply.Patch(doc, apply.JSONPatch, []byte(`[{"op":"test","path":"/data/color","value":"green"}]`))
	fmt.Println(object.IsInvalid(err))
	// Output:
	// map[color:red] <nil>
	// true
}
