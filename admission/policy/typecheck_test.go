package policy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// servedKinds are kinds by their resources; those of the schemas that are named have one.
type servedKinds struct {
	kinds   map[string]string
	schemas map[string]*schema.Schema
}

func (s servedKinds) KindOf(r object.GroupVersionResource) (object.GroupVersionKind, bool) {
	kind, ok := s.kinds[r.Resource]
	return object.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: kind}, ok
}

func (s servedKinds) SchemaOf(kind object.GroupVersionKind) *schema.Schema {
	return s.schemas[kind.Kind]
}

func parseSchema(t testing.TB, text string) *schema.Schema {
	document, err := object.Decode([]byte(text))
	require.NoError(t, err)
	s, err := schema.Parse(document)
	require.NoError(t, err)
	return s
}

func workload(t testing.TB) servedKinds {
	const texts = `{"type": "object", "additionalProperties": {"type": "string"}}`
	return servedKinds{
		kinds: map[string]string{"deployments": "Deployment", "configmaps": "ConfigMap", "secrets": "Secret", "pods": "Pod", "unknowns": "Unknown"},
		schemas: map[string]*schema.Schema{
			"Deployment": parseSchema(t, `{"type": "object", "properties": {
				"spec": {"type": "object", "properties": {
					"replicas": {"type": "integer"}, "paused": {"type": "boolean"}, "port": {"x-kubernetes-int-or-string": true},
					"template": {"type": "object", "properties": {"spec": {"type": "object", "properties": {
						"containers": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "image": {"type": "string"}}}}}}}}}}}}`),
			"ConfigMap": parseSchema(t, `{"type": "object", "properties": {"data": `+texts+`}}`),
			"Secret":    parseSchema(t, `{"type": "object", "properties": {"data": `+texts+`, "stringData": `+texts+`}}`),
			"Pod":       parseSchema(t, `{"type": "object", "properties": {"metadata": {"type": "object"}}}`),
		},
	}
}

// TestTypesAreCheckedInTheWordsOfTheAPI is the recorded scenario vap/type-checking, and more.
func TestTypesAreCheckedInTheWordsOfTheAPI(t *testing.T) {
	rule := func(group string, resources ...string) string {
		list, _ := json.Marshal(resources)
		return fmt.Sprintf(`"matchConstraints": {"resourceRules": [{"apiGroups": [%q], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": %s}]}`, group, list)
	}
	for _, c := range []struct {
		name, spec string
		warnings   []policy.ExpressionWarning
	}{
		{"mistakes for one kind", rule("apps", "deployments") + `, "matchConditions": [{"name": "odd", "expression": "object.odd == 1"}],
			"variables": [{"name": "wrong", "expression": "object.spec.nothing"}, {"name": "right", "expression": "object.spec.replicas"}],
			"validations": [
				{"expression": "object.spec.replicas > 1"},
				{"expression": "object.spec.copies > 1", "messageExpression": "'copies ' + object.spec.copies"},
				{"expression": "object.spec.replicas == 'many'", "message": "many"},
				{"expression": "variables.right > 1 && oldObject.spec.template.spec.containers.all(c, c.picture != '')"},
				{"expression": "variables.wrong == 1 && variables.right == 'x'"}],
			"auditAnnotations": [{"key": "a", "valueExpression": "'x' + object.spec.paused"}]`,
			[]policy.ExpressionWarning{
				{FieldRef: "spec.validations[1].expression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'copies'\n | object.spec.copies > 1\n | ...........^\n"},
				{FieldRef: "spec.validations[1].messageExpression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:24: undefined field 'copies'\n | 'copies ' + object.spec.copies\n | .......................^\n"},
				{FieldRef: "spec.validations[2].expression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.replicas == 'many'\n | .....................^\n"},
				{FieldRef: "spec.validations[3].expression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:72: undefined field 'picture'\n | variables.right > 1 && oldObject.spec.template.spec.containers.all(c, c.picture != '')\n | .......................................................................^\n"},
				{FieldRef: "spec.validations[4].expression", Warning: "apps/v1, Kind=Deployment: ERROR: <input>:1:41: found no matching overload for '_==_' applied to '(int, string)'\n | variables.wrong == 1 && variables.right == 'x'\n | ........................................^\n"},
			}},
		{"no mistakes", rule("", "configmaps", "pods") + `, "validations": [{"expression": "object.metadata.name != '' && !('x' in object.metadata.labels) && object.metadata.creationTimestamp != oldObject.metadata.creationTimestamp"},
			{"expression": "authorizer.requestResource.check('get').allowed() && request.name == object.metadata.name && namespaceObject.metadata.name == 'a'"}]`, nil},
		{"two kinds", rule("", "secrets", "configmaps") + `, "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
			"validations": [{"expression": "object.stringData.size() < 3"}, {"expression": "params.items.size() < 3"}]`,
			[]policy.ExpressionWarning{
				{FieldRef: "spec.validations[0].expression", Warning: "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'stringData'\n | object.stringData.size() < 3\n | ......^\n"},
				{FieldRef: "spec.validations[1].expression", Warning: "/v1, Kind=ConfigMap: ERROR: <input>:1:7: undefined field 'items'\n | params.items.size() < 3\n | ......^\n\n/v1, Kind=Secret: ERROR: <input>:1:7: undefined field 'items'\n | params.items.size() < 3\n | ......^\n"},
			}},
		{"parameters of an unknown kind", rule("", "configmaps") + `, "paramKind": {"apiVersion": "example.com/v1", "kind": "Nothing"}, "validations": [{"expression": "params.anything == 1"}]`, nil},
		{"what may be a number or a text", rule("apps", "deployments") + `, "validations": [{"expression": "object.spec.port == 80 || object.spec.port == 'http'"}]`, nil},
		{"wildcards", `"matchConstraints": {"resourceRules": [{"apiGroups": ["*"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["*"]},
			{"apiGroups": [""], "apiVersions": ["v*"], "operations": ["CREATE"], "resources": ["pods"]},
			{"apiGroups": ["nothing.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["things", "unknowns", "pods/status", "*/scale"]}]},
			"validations": [{"expression": "object.foo == 1"}]`, nil},
		{"metadata", rule("", "pods") + `, "validations": [{"expression": "object.metadata.label == 1"}]`,
			[]policy.ExpressionWarning{{FieldRef: "spec.validations[0].expression", Warning: "/v1, Kind=Pod: ERROR: <input>:1:16: undefined field 'label'\n | object.metadata.label == 1\n | ...............^\n"}}},
		{"no constraints", `"validations": [{"expression": "object.foo == 1"}]`, nil},
		{"a spec that cannot be read", `"validations": 1`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			document := stored(t, "ValidatingAdmissionPolicy", "p", "{"+c.spec+"}")
			document.Metadata()["generation"] = int64(3)
			var compiler policy.Compiler
			status := compiler.CheckTypes(document, workload(t))
			require.Equal(t, policy.Status{ObservedGeneration: 3, TypeChecking: &policy.TypeChecking{ExpressionWarnings: c.warnings}}, status)
		})
	}
}

func TestTypesAreCheckedForTenKinds(t *testing.T) {
	kinds := servedKinds{kinds: map[string]string{}, schemas: map[string]*schema.Schema{}}
	var resources []string
	for i := range 12 {
		resource, kind := fmt.Sprintf("things%02d", i), fmt.Sprintf("Thing%02d", i)
		resources = append(resources, resource)
		kinds.kinds[resource] = kind
		kinds.schemas[kind] = parseSchema(t, `{"type": "object"}`)
	}
	list, err := json.Marshal(resources)
	require.NoError(t, err)
	document := stored(t, "ValidatingAdmissionPolicy", "p", `{"matchConstraints": {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": `+string(list)+`}]},
		"validations": [{"expression": "object.foo == 1"}]}`)
	var compiler policy.Compiler
	warnings := compiler.CheckTypes(document, kinds).TypeChecking.ExpressionWarnings
	require.Len(t, warnings, 1)
	require.Equal(t, 10, strings.Count(warnings[0].Warning, "undefined field 'foo'"))
	require.Contains(t, warnings[0].Warning, "Kind=Thing09")
}
