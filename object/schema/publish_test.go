package schema

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const bell = `{"type":"object","description":"Bell rings.","required":["spec"],"properties":{"spec":{"type":"object","required":["maybe","tone"],"properties":{
	"tone":{"type":"string","enum":["low","high"],"default":"low"},"loose":{"x-kubernetes-int-or-string":true},
	"loose2":{"x-kubernetes-int-or-string":true,"anyOf":[{"minimum":1}]},"maybe":{"type":"string","nullable":true},
	"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"x":{"type":"string"}}},
	"raw":{"type":"object","required":["kind"],"x-kubernetes-embedded-resource":true,"properties":{"spec":{"type":"object"}}},
	"list":{"type":"array","nullable":true,"items":{"type":"string"}},
	"ruled":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","message":"positive, please"}]}}}}}`

func withoutDescriptions(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "description")
		for _, x := range v {
			withoutDescriptions(x)
		}
	case []any:
		for _, x := range v {
			withoutDescriptions(x)
		}
	}
	return v
}

func TestAppendOpenAPI(t *testing.T) {
	s := parse(t, bell)
	p := Published{Kind: object.GroupVersionKind{Group: "g.io", Version: "v1", Kind: "Bell"}, SelectableFields: []string{"spec.tone"}}
	const extensions = `"x-kubernetes-group-version-kind":[{"group":"g.io","version":"v1","kind":"Bell"}]`
	const meta3 = `"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"allOf":[{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]}`
	const meta2 = `"apiVersion":{"type":"string"},"kind":{"type":"string"},"metadata":{"$ref":"#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}`
	const either = `"anyOf":[{"type":"integer"},{"type":"string"}]`
	require.Equal(t, document(t, `{"type":"object","required":["spec"],"properties":{`+meta3+`,"spec":{"type":"object","required":["maybe","tone"],"properties":{
		"tone":{"type":"string","enum":["low","high"],"default":"low"},"loose":{"x-kubernetes-int-or-string":true,`+either+`},
		"loose2":{"x-kubernetes-int-or-string":true,"anyOf":[{"minimum":1}],"allOf":[{`+either+`}]},"maybe":{"type":"string","nullable":true},
		"open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,"properties":{"x":{"type":"string"}}},
		"raw":{"type":"object","required":["kind","apiVersion"],"x-kubernetes-embedded-resource":true,"properties":{`+meta3+`,"spec":{"type":"object"}}},
		"list":{"type":"array","nullable":true,"items":{"type":"string"}},
		"ruled":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","message":"positive, please"}]}}}},`+extensions+`,
		"x-kubernetes-selectable-fields":[{"fieldPath":"spec.tone"}]}`),
		withoutDescriptions(document(t, string(s.AppendOpenAPIV3(nil, p)))))
	require.Equal(t, document(t, `{"type":"object","required":["spec"],"properties":{`+meta2+`,"spec":{"type":"object","required":["tone"],"properties":{
		"tone":{"type":"string","enum":["low","high"]},"loose":{"x-kubernetes-int-or-string":true},
		"loose2":{"x-kubernetes-int-or-string":true},"maybe":{},"open":{"x-kubernetes-preserve-unknown-fields":true},
		"raw":{"type":"object","required":["kind","apiVersion"],"x-kubernetes-embedded-resource":true,"properties":{`+meta2+`,"spec":{"type":"object"}}},
		"list":{},"ruled":{"type":"integer","x-kubernetes-validations":[{"rule":"self > 0","message":"positive, please"}]}}}},`+extensions+`,
		"x-kubernetes-selectable-fields":[{"fieldPath":"spec.tone"}]}`),
		withoutDescriptions(document(t, string(s.AppendOpenAPIV2(nil, p)))))
}

func TestAppendOpenAPIOfUnknownForm(t *testing.T) {
	p := Published{Kind: object.GroupVersionKind{Group: "g.io", Version: "v1", Kind: "Bell"}}
	want := `{"type":"object","x-kubernetes-group-version-kind":[{"group":"g.io","kind":"Bell","version":"v1"}]}`
	require.Equal(t, want, string((*Schema)(nil).AppendOpenAPIV3(nil, p)))
	require.Equal(t, want, string(parse(t, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`).AppendOpenAPIV2(nil, p)))
}

func TestAppendJSONKeepsEverything(t *testing.T) {
	for _, text := range []string{typical, bell, `{"$ref":"x","$schema":"y","additionalItems":false,"additionalProperties":{"type":"string"},"allOf":[{"maxLength":1}],
		"definitions":{"d":{"type":"string"}},"dependencies":{"a":["b"],"c":{"type":"string"}},"enum":[null,1.5],"example":{"a":[]},"exclusiveMaximum":true,"exclusiveMinimum":true,
		"externalDocs":{"description":"d","url":"u"},"id":"i","items":[{"type":"string"}],"maximum":1.5,"minimum":-3,"multipleOf":2,"not":{},"oneOf":[{}],
		"patternProperties":{"p":{}},"title":"t","uniqueItems":true,"x-kubernetes-list-type":"","x-kubernetes-map-type":"","x-kubernetes-preserve-unknown-fields":false,
		"x-kubernetes-validations":[{"rule":"r","messageExpression":"m","fieldPath":".a","optionalOldSelf":false,"reason":"FieldValueInvalid"}]}`} {
		doc := document(t, text)
		s := parse(t, text)
		require.Equal(t, doc, s.Document())
		again, err := Parse(s.Document())
		require.NoError(t, err)
		require.Equal(t, string(s.AppendJSON(nil)), string(again.AppendJSON(nil)))
	}
}
