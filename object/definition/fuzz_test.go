package definition_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/object/yaml"
)

// FuzzDefinition takes whatever JSON or YAML it is through all that a server does
// with definitions.
func FuzzDefinition(f *testing.F) {
	f.Add(minimal)
	f.Add(clockDefinition)
	f.Add(`{spec: {versions: [null, {schema: {openAPIV3Schema: {items: [], dependencies: {a: 1}}}}]}, status: {conditions: [null]}}`)
	f.Add(`{spec: {conversion: {webhook: {clientConfig: {service: {}}}}, versions: [{subresources: {scale: {}}, additionalPrinterColumns: [{jsonPath: "."}], selectableFields: [{jsonPath: "["}]}]}}`)
	shared := new(definition.Shared)
	f.Fuzz(func(t *testing.T, text string) {
		o, err := yaml.Decode([]byte(text))
		if err != nil {
			return
		}
		if _, err := definition.Decode(o); err != nil {
			return
		}
		// Lists that schemas cannot have leave nulls behind, which go the next time.
		_, err = definition.Decode(o)
		require.NoError(t, err)
		again := o.DeepCopy()
		unknown, err := definition.Decode(again)
		require.NoError(t, err)
		require.Empty(t, unknown)
		require.True(t, reflect.DeepEqual(o, again), "decoding twice changes nothing:\n%s\n%s", object.AppendJSON(nil, o), object.AppendJSON(nil, again))

		definition.SetDefaults(o)
		definition.Prepare(o, nil)
		errs := shared.Validate(o, nil)
		_ = errs.Error()
		shared.Validate(o, again)
		definition.Warnings(o, again)
		definition.AcceptNames(o, nil, start)
		definition.Establish(o, start)
		definition.MarkSchema(o, start)
		definition.MarkApproval(o, start)
		d, err := shared.Parse(o)
		if err != nil || len(errs) > 0 {
			return
		}
		for _, v := range d.Versions {
			object := object.Object{"kind": v.Kind.Kind, "apiVersion": v.Kind.GroupVersion().String(), "spec": map[string]any{}}
			_, _, err := d.Check(v.Name, object, object)
			require.NoError(t, err)
		}
	})
}

// FuzzPath reads paths of columns and follows those that can be read.
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		".spec.a", ".a[0]", ".a[-1:]", ".a[*].b", "..b", `.a[?(@.b=="c")].d`, ".a['b','c']", `.a\.b`, ".a[::2]", ".a}{.b", ".a[?(@.b>1.5)]", ".a[?(@.b)]", `."x"`, ".*.*",
	} {
		f.Add(path)
	}
	o := document(f, `{a: [{b: c, d: 1}, {b: 2, d: [1, 2, 3]}, null, x], b: {a: 1.5, b: true, c: null}, spec: {a: text}}`)
	f.Fuzz(func(t *testing.T, path string) {
		for _, kind := range []string{"string", "integer"} {
			d, err := new(definition.Shared).Parse(object.Object{"spec": map[string]any{
				"group": "g", "names": map[string]any{"plural": "p"},
				"versions": []any{map[string]any{"name": "v1", "additionalPrinterColumns": []any{
					map[string]any{"name": "a", "type": kind, "jsonPath": path},
				}}},
			}})
			require.NoError(t, err)
			for _, c := range d.Versions[0].Columns {
				first := c.Value(o)
				require.Equal(t, first, c.Value(o))
			}
		}
	})
}
