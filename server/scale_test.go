package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScalesAreReadAsTheirTypeInGo: the errors are those of the real server for patched scales.
func TestScalesAreReadAsTheirTypeInGo(t *testing.T) {
	for document, want := range map[string]string{
		`{"metadata":1}`:                               "number into Go struct field Scale.metadata of type v1.ObjectMeta",
		`{"metadata":{"labels":1}}`:                    "number into Go struct field ObjectMeta.metadata.labels of type map[string]string",
		`{"metadata":{"generation":1.5}}`:              "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64",
		`{"metadata":{"ownerReferences":[1]}}`:         "number into Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference",
		`{"metadata":{"ownerReferences":[{"uid":1}]}}`: "number into Go struct field OwnerReference.metadata.ownerReferences.uid of type types.UID",
		`{"metadata":{"managedFields":[{"time":1}]}}`:  "number into Go struct field ManagedFieldsEntry.metadata.managedFields.time of type string",
		`{"spec":1.5}`:                                 "number into Go struct field Scale.spec of type v1.ScaleSpec",
		`{"spec":{"replicas":1.5}}`:                    "number 1.5 into Go struct field ScaleSpec.spec.replicas of type int32",
		`{"spec":{"replicas":3000000000}}`:             "number 3000000000 into Go struct field ScaleSpec.spec.replicas of type int32",
		`{"spec":{"replicas":[]}}`:                     "array into Go struct field ScaleSpec.spec.replicas of type int32",
		`{"status":{"replicas":"x"}}`:                  "string into Go struct field ScaleStatus.status.replicas of type int32",
		`{"status":{"selector":1}}`:                    "number into Go struct field ScaleStatus.status.selector of type string",
	} {
		_, _, err := scaleCodec{}.DecodeJSON([]byte(document))
		require.EqualError(t, err, "json: cannot unmarshal "+want, document)
	}
}

func TestAScaleHasBothItsParts(t *testing.T) {
	o, strict, err := scaleCodec{}.DecodeJSON([]byte(`{"x":1,"spec":{"replicas":0,"y":1},"metadata":{"name":"a","z":1}}`))
	require.NoError(t, err)
	require.Equal(t, []string{`unknown field "metadata.z"`, `unknown field "spec.y"`, `unknown field "x"`}, strict)
	require.Equal(t, map[string]any{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{}, "status": map[string]any{"replicas": int64(0)}}, map[string]any(o))
}
