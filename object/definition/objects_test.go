package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestParsedDefinitions(t *testing.T) {
	d := parse(t, clockDefinition)
	require.Equal(t, object.GroupResource{Group: "example.com", Resource: "clocks"}, d.Resource())
	require.Equal(t, "None", d.Conversion.Strategy)
	require.Equal(t, []string{"v1"}, d.StoredVersions)
	require.Same(t, d.Versions[0], d.StorageVersion())
	require.Nil(t, d.Version("v3"))
	require.Empty(t, d.Version("v1").DeprecationWarning)
	require.Equal(t, "example.com/v1beta1 Clock is deprecated; use example.com/v1 Clock", d.Version("v1beta1").DeprecationWarning)
	require.True(t, d.Version("v1").Status)
	require.Nil(t, d.Version("v1beta1").Scale)
}

func TestObjectsOfClientsTakeTheirForm(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	o := document(t, `{apiVersion: example.com/v1, kind: Clock, metadata: {name: a, frob: 1},
  spec: {zone: null, colour: red, template: {apiVersion: v1, kind: Pod, metadata: {name: p, frob: 1}, spec: {any: thing}}}}`)
	unknown, err := v.Decode(o)
	require.NoError(t, err)
	require.Equal(t, []string{"metadata.frob", "spec.colour", "spec.template.metadata.frob"}, unknown)
	require.Equal(t, document(t, `{apiVersion: example.com/v1, kind: Clock, metadata: {name: a},
  spec: {zone: UTC, template: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {any: thing}}}}`), o)

	_, err = v.Decode(document(t, `{metadata: {name: 1}}`))
	require.EqualError(t, err, "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string")
	_, err = v.Decode(document(t, `{spec: {template: {apiVersion: 1}}}`))
	require.EqualError(t, err, "spec.template.apiVersion: Invalid value: 1: must be a string")
}

func TestMergedObjectsKeepWhatDoesNotFit(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	o := document(t, `{apiVersion: example.com/v1, kind: Clock, metadata: {name: a, labels: null},
  spec: {zone: UTC, template: {apiVersion: v1, kind: null, metadata: null}}}`)
	require.NoError(t, v.Complete(o))
	require.Equal(t, document(t, `{apiVersion: example.com/v1, kind: Clock, metadata: {name: a},
  spec: {zone: UTC, template: {apiVersion: v1, kind: null, metadata: null}}}`), o)
	require.Contains(t, messages(v.Validate(o, nil)), "spec.template.kind: Invalid value: null: must be a string")
}

func TestStoredObjectsAreReadWhateverTheyAre(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	o := document(t, `{metadata: {name: a, labels: 1, annotations: {a: b}}, spec: {colour: red, template: {apiVersion: 1, metadata: 3}}}`)
	v.Read(o)
	require.Equal(t, "a", o.Name())
	require.Equal(t, map[string]string{"a": "b"}, o.Annotations())
	require.Nil(t, o.Labels())
	require.Equal(t, int64(1), o.Generation())
	spec, _ := o.Field("spec")
	require.NotContains(t, spec, "colour")
	require.Equal(t, "UTC", spec.(map[string]any)["zone"])
	again := o.DeepCopy()
	v.Read(again)
	require.Equal(t, o, again)
}

func TestObjectsAreChecked(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	old := document(t, clock)
	onMars := document(t, clock)
	onMars["spec"] = map[string]any{"zone": "Mars"}
	for _, test := range []struct {
		name, spec, status string
		old                object.Object
		want               []string
	}{
		{"a good one", "{zone: CET}", "{}", nil, nil},
		{"wrong by the schema", "{zone: 1}", "{}", nil, []string{
			`spec.zone: Invalid value: "integer": spec.zone in body must be of type string: "integer"`,
			"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
		}},
		{"wrong by a rule", "{zone: Mars}", "{}", nil, []string{`spec: Invalid value: no clocks on Mars`}},
		{"wrong by a rule, as before", "{zone: Mars}", "{}", onMars, nil},
		{"wrong by a rule that compares", "{zone: EST}", "{}", old, []string{`spec.zone: Invalid value: a clock stays where it is`}},
		{"negative replicas", "{zone: CET, hands: {count: -1}}", "{hands: -1}", nil, []string{
			"status.hands: Invalid value: -1: status.hands in body should be greater than or equal to 0",
			".spec.hands.count: Invalid value: -1: should be a non-negative integer",
			".status.hands: Invalid value: -1: should be a non-negative integer",
		}},
		{"an item twice in a set", "{zone: CET, alarms: [a, b, a]}", "{}", nil, []string{`spec.alarms[2]: Duplicate value: "a"`}},
		{"an embedded resource without kind", "{zone: CET, template: {apiVersion: v1}}", "{}", nil, []string{
			"spec.template.kind: Required value",
			"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			next := document(t, clock)
			next["spec"], next["status"] = map[string]any(document(t, test.spec)), map[string]any(document(t, test.status))
			require.Equal(t, test.want, messages(v.Validate(next, test.old)))
		})
	}
}

func TestStatusIsASubresource(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	old := document(t, clock)

	created := document(t, clock)
	v.Prepare(created, nil)
	require.NotContains(t, created, "status")

	next := document(t, clock)
	next["status"] = map[string]any{"hands": int64(9)}
	v.Prepare(next, old)
	require.Equal(t, old["status"], next["status"])

	next = document(t, `{metadata: {name: other, managedFields: [{manager: me, operation: Update, fieldsType: FieldsV1}]}, spec: {zone: EST}, status: {hands: 3}}`)
	v.PrepareStatus(next, old)
	require.Equal(t, old["spec"], next["spec"])
	require.Equal(t, map[string]any{"hands": int64(3)}, next["status"])
	require.Equal(t, "tower", next.Name())
	require.Equal(t, []any{map[string]any{"manager": "me", "operation": "Update", "fieldsType": "FieldsV1"}}, next.Metadata()["managedFields"])
	require.Empty(t, v.ValidateStatus(next, old))

	next["status"] = map[string]any{"hands": "three"}
	require.Equal(t, []string{
		`status.hands: Invalid value: "string": hands in body must be of type integer: "string"`,
		".status.hands: Invalid value: 0: .status.hands accessor error: three is of the type string, expected int64",
		"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}, messages(v.ValidateStatus(next, old)))
}

func TestWarningsOfObjects(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	old := document(t, clock)
	old["spec"].(map[string]any)["zone"] = "Mars"
	next := old.DeepCopy()
	next.SetFinalizers([]string{"plain", "with.dot", "example.com/fine", "orphan"})
	require.Equal(t, []string{
		"spec: Invalid value: no clocks on Mars",
		`metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
		`metadata.finalizers: "with.dot": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
	}, v.Warnings(next, old))
	require.Empty(t, v.Warnings(next, next)[1:])
}

func TestRulesAreNotAskedOfAnObjectWithoutAName(t *testing.T) {
	v := parse(t, clockDefinition).Version("v1")
	o := document(t, clock)
	o["spec"] = map[string]any{"zone": "Mars"}
	o.SetName("")
	require.Equal(t, []string{
		"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}, messages(v.Validate(o, nil)))
}
