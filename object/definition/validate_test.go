package definition_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

// minimal is a valid definition that others in tests differ from.
const minimal = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pins.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: pins, kind: Pin}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {color: {type: string}, size: {type: number}, list: {type: array, items: {type: string}}}}}}}}
`

// edited gives minimal with parts replaced: pairs of old and new text.
func edited(t testing.TB, pairs ...string) object.Object {
	t.Helper()
	text := minimal
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, text, pairs[i])
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return form(t, document(t, text))
}

func messages(errs object.FieldErrors) []string {
	var texts []string
	for _, e := range errs {
		texts = append(texts, e.Error())
	}
	return texts
}

const v1 = "{name: v1, served: true, storage: true,"

func TestDefinitionsAreChecked(t *testing.T) {
	const dns1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character" +
		" (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	for _, test := range []struct {
		name  string
		edits []string
		want  []string
	}{
		{"a good one", nil, nil},
		{"another name than its names say", []string{"name: pins.", "name: nails."}, []string{
			`metadata.name: Invalid value: "nails.example.com": must be spec.names.plural+"."+spec.group`,
		}},
		{"a group without dots", []string{"pins.example.com", "pins.example", "group: example.com", "group: example"}, []string{
			`spec.group: Invalid value: "example": should be a domain with at least one dot`,
		}},
		{"no scope", []string{"scope: Namespaced", "scope: ''"}, []string{"spec.scope: Required value"}},
		{"another scope", []string{"Namespaced", "Galaxy"}, []string{
			`spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"`,
		}},
		{"kind and list kind alike", []string{"kind: Pin}", "kind: Pin, listKind: Pin}"}, []string{
			`spec.names.listKind: Invalid value: "Pin": kind and listKind may not be the same`,
		}},
		{"names malformed", []string{"kind: Pin}", "kind: Pin.s, singular: Pin, shortNames: [p, P], categories: [a_b]}"}, []string{
			`spec.names.singular: Invalid value: "Pin": ` + dns1035,
			`spec.names.kind: Invalid value: "Pin.s": may have mixed case, but should otherwise match: ` + dns1035,
			`spec.names.listKind: Invalid value: "Pin.sList": may have mixed case, but should otherwise match: ` + dns1035,
			`spec.names.shortNames[1]: Invalid value: "P": ` + dns1035,
			`spec.names.categories[0]: Invalid value: "a_b": ` + dns1035,
		}},
		{"no schema", []string{v1 + " schema", v1 + " other"}, []string{
			"spec.versions[0].schema.openAPIV3Schema: Required value",
		}},
		{"no version is stored", []string{"storage: true, schema", "storage: false, other"}, []string{
			"spec.versions[0].schema.openAPIV3Schema: Required value",
			`spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,` +
				`"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version`,
			"status.storedVersions: Invalid value: null: must have at least one stored version",
		}},
		{"two versions with one name, of which the second is stored", []string{"versions:", "versions: [{name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}, {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]\n  former:"}, []string{
			`spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null},` +
				`{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must contain unique version names`,
			`status.storedVersions: Invalid value: ["v1"]: must have the storage version v1`,
		}},
		{"a warning without deprecation", []string{v1, v1 + " deprecationWarning: old,"}, []string{
			`spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions`,
		}},
		{"a warning in two lines", []string{v1, v1 + ` deprecated: true, deprecationWarning: "a\nb",`}, []string{
			`spec.versions[0].deprecationWarning: Invalid value: "a\nb": must only contain printable UTF-8 characters; non-printable character found at index 1`,
		}},
		{"a schema that is not structural", []string{"size: {type: number}", "size: {}"}, []string{
			"spec.validation.openAPIV3Schema.properties[spec].properties[size].type: Required value: must not be empty for specified object fields",
		}},
		{"a rule that doesn't compile", []string{"color: {type: string}", "color: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: self > 1}]}"}, []string{
			`spec.validation.openAPIV3Schema.properties[spec].properties[color].x-kubernetes-validations[0].rule: Invalid value: ` +
				`{"Rule":"self \u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
				"compilation failed: ERROR: <input>:1:6: found no matching overload for '_>_' applied to '(string, int)'\n | self > 1\n | .....^",
		}},
		{"scale paths elsewhere", []string{v1, v1 + " subresources: {scale: {specReplicasPath: .status.n, statusReplicasPath: status.n, labelSelectorPath: .metadata.s}},"}, []string{
			`spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec`,
			`spec.subresources.scale.statusReplicasPath: Invalid value: "status.n": must be a simple json path starting with .`,
			`spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.s": should be a json path under either .spec or .status`,
		}},
		{"columns malformed", []string{v1, v1 + " additionalPrinterColumns: [{}, {name: a, type: float, format: money, jsonPath: spec}],"}, []string{
			"spec.additionalPrinterColumns[0].name: Required value",
			"spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
			"spec.additionalPrinterColumns[0].JSONPath: Required value",
			`spec.additionalPrinterColumns[1].type: Invalid value: "float": must be one of boolean,date,integer,number,string`,
			`spec.additionalPrinterColumns[1].format: Invalid value: "money": must be one of byte,date,date-time,double,float,int32,int64,password`,
			`spec.additionalPrinterColumns[1].JSONPath: Invalid value: "spec": must be a simple json path starting with .`,
		}},
		{"selectable fields malformed", []string{v1, v1 + " selectableFields: [{}, {jsonPath: .spec.size}, {jsonPath: .spec.gone}, {jsonPath: '.spec.list[0]'}, {jsonPath: .spec.color}, {jsonPath: .spec.color}],"}, []string{
			"spec.selectableFields[0].jsonPath: Required value",
			`spec.selectableFields[1].jsonPath: Invalid value: ".spec.size": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.`,
			`spec.selectableFields[2].jsonPath: Invalid value: ".spec.gone": is an invalid path: does not refer to a valid field`,
			`spec.selectableFields[3].jsonPath: Invalid value: ".spec.list[0]": is an invalid path: array notation is not allowed`,
			`spec.selectableFields[5].jsonPath: Duplicate value: ".spec.color"`,
		}},
		{"another conversion", []string{"  names:", "  conversion: {strategy: Magic, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x'}}}\n  names:"}, []string{
			`spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"`,
			"spec.conversion.webhookClientConfig: Forbidden: should not be set when strategy is not set to Webhook",
			"spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
		}},
		{"a webhook with a bad URL", []string{"  names:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v7, v7], clientConfig: {url: 'http://u@x/?a#b'}}}\n  names:"}, []string{
			"spec.conversion.webhookClientConfig.url: Invalid value: \"http\": 'https' is the only allowed URL scheme; desired format: https://host[/path]",
			`spec.conversion.webhookClientConfig.url: Invalid value: "u": user information is not permitted in the URL`,
			`spec.conversion.webhookClientConfig.url: Invalid value: "b": fragments are not permitted in the URL`,
			`spec.conversion.webhookClientConfig.url: Invalid value: "a": query parameters are not permitted in the URL`,
			`spec.conversion.conversionReviewVersions[1]: Invalid value: "v7": duplicate version`,
			`spec.conversion.conversionReviewVersions: Invalid value: ["v7","v7"]: must include at least one of v1, v1beta1`,
		}},
		{"a webhook with a bad service", []string{"  names:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: a, name: b, path: c//d, port: 70000}}}}\n  names:"}, []string{
			"spec.conversion.webhookClientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
			`spec.conversion.webhookClientConfig.service.path: Invalid value: "c//d": must start with a '/'`,
			`spec.conversion.webhookClientConfig.service.path: Invalid value: "c//d": segment[0] may not be empty`,
			`spec.conversion.webhookClientConfig.service.path: Invalid value: "c//d": segment[1] may not be empty`,
		}},
		{"unknown fields preserved everywhere", []string{"  names:", "  preserveUnknownFields: true\n  names:"}, []string{
			"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
		}},
		{"a group of the community", []string{"pins.example.com", "pins.x.k8s.io", "group: example.com", "group: x.k8s.io"}, []string{
			`metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`,
		}},
		{"an approved group of the community", []string{"{name: pins.example.com}", "{name: pins.x.k8s.io, annotations: {api-approved.kubernetes.io: 'https://x/1'}}", "group: example.com", "group: x.k8s.io"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, messages(new(definition.Shared).Validate(edited(t, test.edits...), nil)))
		})
	}
}

func TestUpdatesOfDefinitionsAreChecked(t *testing.T) {
	established := func(o object.Object) {
		definition.SetCondition(o, definition.Condition{Type: "Established", Status: "True"}, start)
	}
	twoVersions := []string{"  versions:", "  versions:\n  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}"}
	for _, test := range []struct {
		name      string
		old, next []string
		change    func(old object.Object)
		want      []string
	}{
		{name: "nothing changes"},
		{"scope and kind may change at first", nil, []string{"Namespaced", "Cluster", "kind: Pin", "kind: Nail"}, nil, nil},
		{"scope and kind stay once established", nil, []string{"Namespaced", "Cluster", "kind: Pin", "kind: Nail"}, established, []string{
			`spec.scope: Invalid value: "Cluster": field is immutable`,
			`spec.names.kind: Invalid value: "Nail": field is immutable`,
		}},
		{"group and plural always stay", nil, []string{"group: example.com", "group: other.com", "plural: pins", "plural: nails"}, nil, []string{
			`spec.group: Invalid value: "other.com": field is immutable`,
			`spec.names.plural: Invalid value: "nails": field is immutable`,
		}},
		{"a stored version stays", twoVersions, append(twoVersions[:1:1], "  versions:\n  - {name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}\n# ", "  - "+v1, "#"), nil, []string{
			"status.storedVersions[0]: Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions" +
				" until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions",
		}},
		{"an unapproved group may stay so", []string{"pins.example.com", "pins.x.k8s.io", "group: example.com", "group: x.k8s.io"},
			[]string{"pins.example.com", "pins.x.k8s.io", "group: example.com", "group: x.k8s.io"}, nil, nil},
		{"a list of keys that was lax may stay so", []string{"list: {type: array, items: {type: string}}", laxKeys}, []string{"list: {type: array, items: {type: string}}", laxKeys}, nil, nil},
		{"a new list of keys may not be lax", nil, []string{"list: {type: array, items: {type: string}}", laxKeys}, nil, []string{
			"spec.validation.openAPIV3Schema.properties[spec].properties[list].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			old, next := edited(t, test.old...), edited(t, test.next...)
			if test.change != nil {
				test.change(old)
			}
			definition.Prepare(next, old)
			require.Equal(t, test.want, messages(new(definition.Shared).Validate(next, old)))
		})
	}
}

const laxKeys = "list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}"

func TestCertificatesAreCheckedOnceInUse(t *testing.T) {
	conversion := []string{"  names:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://x', caBundle: Y2E=}}}\n  names:"}
	next, old := edited(t, conversion...), edited(t)
	shared := new(definition.Shared)
	require.Empty(t, shared.Validate(next, nil))
	require.Empty(t, shared.Validate(next, old))
	definition.SetCondition(old, definition.Condition{Type: "Established", Status: "True"}, start)
	require.Equal(t, []string{
		`spec.conversion.webhookClientConfig.caBundle: Invalid value: "Y2E=": unable to load root certificates: unable to parse bytes as PEM block`,
	}, messages(shared.Validate(next, old)))
}

func TestWarningsTellOfWhatIsNew(t *testing.T) {
	odd := []string{"color: {type: string}", "color: {type: string, format: colour}",
		"items: {type: string}", "x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}"}
	all := []string{
		`unrecognized format "colour"`,
		`x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules`,
	}
	require.Equal(t, all, definition.Warnings(edited(t, odd...), nil))
	require.Equal(t, all, definition.Warnings(edited(t, odd...), edited(t)))
	require.Empty(t, definition.Warnings(edited(t, odd...), edited(t, odd...)))
}
