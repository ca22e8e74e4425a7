package definition_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// start is when time begins in tests.
var start = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

// clockDefinition has a bit of everything.
const clockDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clocks.example.com, uid: d1}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: clocks, kind: Clock, shortNames: [ck], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.hands.count, statusReplicasPath: .status.hands, labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.zone}, {jsonPath: .spec.chimes}]
    additionalPrinterColumns:
    - {name: Zone, type: string, jsonPath: .spec.zone, description: where}
    - {name: Hands, type: integer, jsonPath: .spec.hands.count, priority: 1}
    - {name: Drift, type: number, jsonPath: .spec.drift}
    - {name: Chimes, type: boolean, jsonPath: .spec.chimes}
    - {name: Wound, type: date, jsonPath: .status.wound}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: First, type: string, jsonPath: '.spec.alarms[0]'}
    - {name: Spec, type: string, jsonPath: .spec.hands}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: self.zone != 'Mars', message: no clocks on Mars}
            - {rule: self.zone == oldSelf.zone, message: a clock stays where it is, fieldPath: .zone}
            properties:
              zone: {type: string, maxLength: 20, default: UTC}
              drift: {type: number}
              chimes: {type: boolean}
              hands:
                type: object
                properties: {count: {type: integer, maximum: 3}}
              alarms: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties:
              hands: {type: integer, minimum: 0}
              selector: {type: string}
              wound: {type: string, format: date-time}
              conditions: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

const clock = `
apiVersion: example.com/v1
kind: Clock
metadata: {name: tower, namespace: town}
spec: {zone: CET, drift: 0.5, chimes: true, hands: {count: 2}, alarms: ["07:00", "08:00"]}
status: {hands: 2, selector: a=b, wound: "2024-05-06T07:00:00Z", conditions: [{type: Lit, status: "False"}, {type: Ready, status: "True"}]}
`

// document reads YAML.
func document(t testing.TB, text string) object.Object {
	t.Helper()
	o, err := yaml.Decode([]byte(text))
	require.NoError(t, err)
	return o
}

// form gives a definition the form that a server has of a new one.
func form(t testing.TB, o object.Object) object.Object {
	t.Helper()
	_, err := definition.Decode(o)
	require.NoError(t, err)
	definition.SetDefaults(o)
	definition.Prepare(o, nil)
	return o
}

func decode(t testing.TB, data []byte) object.Object {
	t.Helper()
	o, err := object.Decode(data)
	require.NoError(t, err)
	return form(t, o)
}

// parse makes a definition of YAML, which has to be valid.
func parse(t testing.TB, text string) *definition.Definition {
	t.Helper()
	o := form(t, document(t, text))
	shared := new(definition.Shared)
	require.Empty(t, shared.Validate(o, nil))
	d, err := shared.Parse(o)
	require.NoError(t, err)
	return d
}
