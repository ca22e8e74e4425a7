package apply_test

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
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

func ExampleMerger() {
	configMap, _ := schema.Parse(object.Object{"type": "object", "properties": map[string]any{
		"data": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}},
	}})
	configMapType := apply.NewType(configMap)
	m := &apply.Merger{
		Kind: object.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Type: func(apiVersion string) *apply.Type { return configMapType },
	}
	config := func(color string) object.Object {
		return object.Object{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"color": color}}
	}
	live, _, _ := m.Apply(nil, config("blue"), apply.Writer{Manager: "painter"}, false)
	_, _, err := m.Apply(live, config("red"), apply.Writer{Manager: "printer"}, false)
	fmt.Println(err)
	live, _, _ = m.Apply(live, config("red"), apply.Writer{Manager: "printer"}, true)
	for _, owner := range live.ManagedFields() {
		fmt.Printf("%s owns %s\n", owner.Manager, owner.FieldsV1)
	}
	// Output:
	// Apply failed with 1 conflict: conflict with "painter": .data.color
	// printer owns {"f:data":{"f:color":{}}}
}
