package definition_test

import (
	"fmt"
	"log"

	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// What would a server say to this object? None is needed to know.
func ExampleDefinition_Check() {
	o, err := yaml.Decode([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clocks.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: clocks, kind: Clock}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              zone: {type: string, default: UTC}
              hands: {type: integer, maximum: 3}
            x-kubernetes-validations:
            - {rule: "self.zone != 'Mars'", message: no clocks on Mars}
`))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := definition.Decode(o); err != nil {
		log.Fatal(err)
	}
	definition.SetDefaults(o)
	shared := new(definition.Shared)
	if errs := shared.Validate(o, nil); len(errs) > 0 {
		log.Fatal(errs)
	}
	clocks, err := shared.Parse(o)
	if err != nil {
		log.Fatal(err)
	}

	for _, text := range []string{"{hands: 2, colour: red}", "{hands: 4}", "{zone: Mars}"} {
		clock, err := yaml.Decode([]byte("{apiVersion: example.com/v1, kind: Clock, metadata: {name: tower, namespace: town}, spec: " + text + "}"))
		if err != nil {
			log.Fatal(err)
		}
		stored, verdict, err := clocks.Check("v1", clock, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(stored["spec"], verdict.Unknown, verdict.Errors)
	}
	// Output:
	// map[hands:2 zone:UTC] [spec.colour] []
	// map[hands:4 zone:UTC] [] spec.hands: Invalid value: 4: spec.hands in body should be less than or equal to 3
	// map[zone:Mars] [] spec: Invalid value: no clocks on Mars
}
