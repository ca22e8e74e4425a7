package apply_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestOwnersOfAScale(t *testing.T) {
	s := apply.Scale{APIVersion: "apps/v1", Replicas: func(v string) (string, bool) { return "spec.replicas", v == "apps/v1" }}
	o := decode(t, `{"metadata":{"managedFields":[
		{"manager":"owner","operation":"Apply","apiVersion":"apps/v1","time":"2030-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{},"f:paused":{}}}},
		{"manager":"old","operation":"Update","apiVersion":"apps/v0","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}},
		{"manager":"hand","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:selector":{}}}}]}}`)
	shown, err := s.Show(o)
	require.NoError(t, err)
	scale := object.Object{"metadata": map[string]any{"managedFields": shown}}
	require.Equal(t, `owner Apply .spec.replicas`, ownersOf(scale))
	require.Equal(t, "autoscaling/v1", scale.ManagedFields()[0].APIVersion)

	stored, err := s.Store(o, shown)
	require.NoError(t, err)
	require.Equal(t, "owner Apply .spec.paused .spec.replicas\nhand Update .spec.selector", ownersOf(object.Object{"metadata": map[string]any{"managedFields": stored}}),
		"who has it keeps it; who wrote in a version that is gone is forgotten")

	taken := decode(t, `{"metadata":{"managedFields":[
		{"manager":"scaler","operation":"Update","subresource":"scale","apiVersion":"autoscaling/v1","time":"2030-01-01T00:00:01Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]}}`)
	stored, err = s.Store(o, taken.Metadata()["managedFields"].([]any))
	require.NoError(t, err)
	after := object.Object{"metadata": map[string]any{"managedFields": stored}}
	require.Equal(t, "owner Apply .spec.paused\nhand Update .spec.selector\nscaler/scale Update .spec.replicas", ownersOf(after))
	require.Nil(t, after.ManagedFields()[2].Time)

	_, err = s.Show(decode(t, `{"metadata":{"managedFields":[{"manager":"x"}]}}`))
	require.ErrorContains(t, err, "operation must be `Apply` or `Update`")
}

func TestManagerOfAUserAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"kubectl/v1.37.2 (linux/amd64)": "kubectl",
		"":                              "",
		"a\x00b c":                      "ab c",
		strings.Repeat("m", 200):        strings.Repeat("m", 128),
		strings.Repeat("ü", 100) + "/1": strings.Repeat("ü", 64),
	} {
		require.Equal(t, want, apply.ManagerOf(agent))
	}
}
