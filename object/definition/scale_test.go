package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object/definition"
)

func TestScaleOfAnObject(t *testing.T) {
	s := parse(t, clockDefinition).Version("v1").Scale
	o := document(t, clock)
	o.SetResourceVersion("5")
	scale, err := s.Of(o)
	require.NoError(t, err)
	require.Equal(t, document(t, `{apiVersion: autoscaling/v1, kind: Scale, metadata: {name: tower, namespace: town, resourceVersion: "5"},
  spec: {replicas: 2}, status: {replicas: 2, selector: a=b}}`), scale)

	scale["spec"].(map[string]any)["replicas"] = int64(3)
	next, err := s.Apply(o, scale)
	require.NoError(t, err)
	count, _ := next.Field("spec", "hands", "count")
	require.Equal(t, int64(3), count)
	before, _ := o.Field("spec", "hands", "count")
	require.Equal(t, int64(2), before, "the object itself stays as it is")
}

func TestScaleWithoutReplicas(t *testing.T) {
	s := parse(t, clockDefinition).Version("v1").Scale
	o := document(t, `{metadata: {name: a}}`)
	_, err := s.Of(o)
	require.EqualError(t, err, `Internal error occurred: the spec replicas field ".spec.hands.count" does not exist`)

	scale, err := s.Begin(o)
	require.NoError(t, err)
	_, err = s.Apply(o, scale)
	require.EqualError(t, err, `the spec replicas field ".spec.hands.count" cannot be empty`)

	scale["spec"].(map[string]any)["replicas"] = int64(1)
	next, err := s.Apply(o, scale)
	require.NoError(t, err)
	require.Equal(t, document(t, `{spec: {hands: {count: 1}}}`)["spec"], next["spec"])

	_, err = s.Apply(document(t, `{spec: {hands: 1}}`), scale)
	require.EqualError(t, err, "value cannot be set because .spec.hands is not a map[string]interface{}")
}

func TestScaleOfWrongTypes(t *testing.T) {
	s := &definition.Scale{SpecReplicas: ".spec.k", StatusReplicas: ".status.k", LabelSelector: ".status.s"}
	for text, want := range map[string]string{
		`{spec: {k: x}}`:        ".spec.k accessor error: x is of the type string, expected int64",
		`{spec: x}`:             ".spec.k accessor error: x is of the type string, expected map[string]interface{}",
		`{status: {k: 1.5}}`:    ".status.k accessor error: 1.5 is of the type float64, expected int64",
		`{status: {s: {a: b}}}`: ".status.s accessor error: map[a:b] is of the type map[string]interface {}, expected string",
		`{status: {k: null}}`:   ".status.k accessor error: <nil> is of the type <nil>, expected int64",
	} {
		_, err := s.Of(document(t, text))
		require.EqualError(t, err, want)
	}
}
