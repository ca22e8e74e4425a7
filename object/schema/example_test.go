package schema_test

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

func Example() {
	doc, _ := object.Decode([]byte(`{"type": "object", "properties": {
		"spec": {"type": "object", "required": ["host"], "properties": {
			"host": {"type": "string", "format": "hostname"},
			"port": {"type": "integer", "minimum": 1, "default": 80}}}}}`))
	s, err := schema.Parse(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	report := s.Check("spec.versions[0].schema.openAPIV3Schema", schema.CheckOptions{})
	fmt.Println("wrong with the schema:", len(report.Errors()))

	o, _ := object.Decode([]byte(`{"apiVersion": "example.com/v1", "kind": "Site", "spec": {"colour": "red"}}`))
	fmt.Println("removed:", s.Prune(o, true))
	s.PruneNulls(o)
	s.SetDefaults(o)
	fmt.Println("spec:", o["spec"])
	for _, err := range s.Validate(o, "") {
		fmt.Println(err)
	}
	// Output:
	// wrong with the schema: 0
	// removed: [spec.colour]
	// spec: map[port:80]
	// spec.host: Required value
}
