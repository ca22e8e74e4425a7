package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

func TestDocumentsTakeTheFormOfTheirType(t *testing.T) {
	o := document(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a, labels: null, frob: 1}
spec:
  names: {plural: x, shortNames: [], singular: '', colour: red}
  preserveUnknownFields: false
  conversion: {strategy: Webhook, webhook: {}}
  versions:
  - name: v1
    additionalPrinterColumns: []
    subresources: {status: {a: 1}, scale: null}
    schema: {openAPIV3Schema: {type: object, nullable: false, required: [], minimum: 1.0, default: null, properties: {a: {typ: x}}}}
  - null
status: {conditions: [{type: A, status: "True", lastTransitionTime: "2024-05-06T09:08:09+02:00"}], storedVersions: [v1, null]}
`)
	unknown, err := definition.Decode(o)
	require.NoError(t, err)
	require.Equal(t, []string{
		"metadata.frob", "spec.names.colour",
		"spec.versions[0].schema.openAPIV3Schema.properties.a.typ", "spec.versions[0].subresources.status.a",
	}, unknown)
	want := document(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: a}
spec:
  group: ''
  scope: ''
  names: {plural: x, kind: ''}
  conversion: {strategy: Webhook}
  versions:
  - {name: v1, served: false, storage: false, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, minimum: 1, properties: {a: {}}}}}
  - {name: '', served: false, storage: false}
status:
  acceptedNames: {plural: '', kind: ''}
  conditions: [{type: A, status: "True", lastTransitionTime: "2024-05-06T07:08:09Z"}]
  storedVersions: [v1, '']
`)
	require.Equal(t, want, o)
	unknown, err = definition.Decode(o)
	require.NoError(t, err)
	require.Empty(t, unknown)
	require.Equal(t, want, o, "decoding again changes nothing")
}

func TestDocumentsOfWrongTypesAreRefused(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"text instead of a list", `spec: {names: {shortNames: a}}`,
			"json: cannot unmarshal string into Go struct field CustomResourceDefinitionNames.spec.names.shortNames of type []string"},
		{"number in a list of texts", `spec: {names: {shortNames: [1]}}`,
			"json: cannot unmarshal number into Go struct field CustomResourceDefinitionNames.spec.names.shortNames of type string"},
		{"list instead of a structure", `spec: {names: []}`,
			"json: cannot unmarshal array into Go struct field CustomResourceDefinitionSpec.spec.names of type v1.CustomResourceDefinitionNames"},
		{"text instead of a version", `spec: {versions: [v1]}`,
			"json: cannot unmarshal string into Go struct field CustomResourceDefinitionSpec.spec.versions of type v1.CustomResourceDefinitionVersion"},
		{"fraction instead of a number", `spec: {versions: [{additionalPrinterColumns: [{priority: 1.5}]}]}`,
			"json: cannot unmarshal number 1.5 into Go struct field CustomResourceColumnDefinition.spec.versions.additionalPrinterColumns.priority of type int32"},
		{"number too large", `spec: {versions: [{additionalPrinterColumns: [{priority: 3000000000}]}]}`,
			"json: cannot unmarshal number 3000000000 into Go struct field CustomResourceColumnDefinition.spec.versions.additionalPrinterColumns.priority of type int32"},
		{"number instead of a scope", `spec: {scope: 1}`,
			"json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope"},
		{"text in a schema", `spec: {versions: [{schema: {openAPIV3Schema: {properties: {a: {required: x}}}}}]}`,
			"json: cannot unmarshal string into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.required of type []string"},
		{"number as a label", `metadata: {labels: {a: 1}}`,
			"json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"},
		{"certificates that are no base64", `spec: {conversion: {webhook: {clientConfig: {caBundle: "a"}}}}`,
			"illegal base64 data at input byte 0"},
		{"time malformed", `status: {conditions: [{lastTransitionTime: soon}]}`,
			`parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := definition.Decode(document(t, test.text))
			require.EqualError(t, err, test.want)
		})
	}
}

func TestDefaultsFollowFromTheKind(t *testing.T) {
	o := document(t, `{spec: {group: g, names: {plural: pins, kind: Pin}, versions: [{name: v2}, {name: v1, storage: true}],
  conversion: {strategy: Webhook, webhook: {clientConfig: {service: {name: a, namespace: b}}}}}}`)
	_, err := definition.Decode(o)
	require.NoError(t, err)
	definition.SetDefaults(o)
	names, _ := o.Field("spec", "names")
	require.Equal(t, map[string]any{"plural": "pins", "singular": "pin", "kind": "Pin", "listKind": "PinList"}, names)
	port, _ := o.Field("spec", "conversion", "webhook", "clientConfig", "service", "port")
	require.Equal(t, int64(443), port)
	stored, _ := o.Field("status", "storedVersions")
	require.Equal(t, []any{"v1"}, stored)
}

func TestPrepareOwnsTheStatus(t *testing.T) {
	o := edited(t, "spec:", "status: {acceptedNames: {plural: stolen}, storedVersions: [v0]}\nspec:")
	want := map[string]any{"conditions": nil, "acceptedNames": map[string]any{"plural": "", "kind": ""}, "storedVersions": []any{"v1"}}
	require.Equal(t, want, o["status"])

	next := edited(t, "name: v1", "name: v2")
	definition.Prepare(next, o)
	stored, _ := next.Field("status", "storedVersions")
	require.Equal(t, []any{"v1", "v2"}, stored, "a version that was stored is not forgotten")
	require.Equal(t, want, o["status"], "the old one is left alone")

	next = edited(t, "Namespaced", "Cluster")
	definition.PrepareStatus(next, o)
	require.Equal(t, o["spec"], next["spec"])
	require.Equal(t, "pins.example.com", object.Object(next).Name())
}
