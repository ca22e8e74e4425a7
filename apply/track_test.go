package apply_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestTooManyUpdatersBecomeOne(t *testing.T) {
	b := newBox(t)
	labels := map[string]any{}
	for i := range 14 {
		labels[fmt.Sprintf("l%02d", i)] = "x"
		body := object.Object{"metadata": map[string]any{"labels": labels}}
		_, err := b.do(t, op{verb: "update", by: fmt.Sprintf("m%02d", i), body: string(object.AppendJSON(nil, body))})
		require.NoError(t, err)
	}
	lines := strings.Split(ownersOf(b.object), "\n")
	require.Len(t, lines, 10)
	require.Equal(t, "ancient-changes Update .metadata.labels .metadata.labels.l00 .metadata.labels.l01 .metadata.labels.l02 .metadata.labels.l03 .metadata.labels.l04", lines[0])
	require.Equal(t, "m05 Update .metadata.labels.l05", lines[1])
}

func TestFieldsThatAnEndpointCannotChange(t *testing.T) {
	m := boxes(t, "v1")
	w := apply.Writer{Manager: "one", Filter: apply.Except("status"), Now: time.Unix(0, 0)}
	o := decode(t, `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"size":1},"status":{"ready":true}}`)
	require.NoError(t, m.Track(nil, o, w))
	require.Equal(t, "one Update .spec .spec.size", ownersOf(o))
}

func TestManagedFieldsOfAClient(t *testing.T) {
	const entry = `{"manager":"w","operation":"Update","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}`
	with := func(entry, change string) string {
		return strings.Replace(entry, change[:strings.Index(change, "=>")], change[strings.Index(change, "=>")+2:], 1)
	}
	const kept = "one Update .spec .spec.size"
	tests := []struct{ name, list, subresource, want string }{
		{"a valid list counts", `[` + entry + `]`, "", "w Update .spec.size"},
		{"a list written to a subresource doesn't", `[` + entry + `]`, "status", kept},
		{"an empty list forgets the owners", `[]`, "", ""},
		{"an empty entry forgets the owners", `[{}]`, "", ""},
		{"null is none", `null`, "", kept},
		{"unknown operation", `[` + with(entry, "Update=>Guess") + `]`, "", kept},
		{"no version", `[` + with(entry, `"apiVersion":"example.com/v1",=>`) + `]`, "", kept},
		{"unknown type of fields", `[` + with(entry, "FieldsV1=>FieldsV9") + `]`, "", kept},
		{"no type of fields", `[` + with(entry, `"fieldsType":"FieldsV1",=>`) + `]`, "", kept},
		{"fields that are a list", `[` + with(entry, `{"f:spec":{"f:size":{}}}=>[1]`) + `]`, "", kept},
		{"a malformed step", `[` + with(entry, `f:size=>f`) + `]`, "", kept},
		{"a malformed key", `[` + with(entry, `f:size=>k:{`) + `]`, "", kept},
		{"something behind a value", `[` + with(entry, `f:size=>v:1 2`) + `]`, "", kept},
		{"an unknown kind of step is forgotten", `[` + with(entry, `"f:size":{}=>"f:size":{},"x:y":{}`) + `]`, "", "w Update .spec.size"},
		{"an entry of a version that is gone is forgotten", `[` + entry + `,` + with(entry, "example.com/v1=>example.com/v0") + `]`, "", "w Update .spec.size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBox(t)
			_, err := b.do(t, op{verb: "update", by: "one", body: `{"spec":{"size":1}}`})
			require.NoError(t, err)
			b.object.SetUID("u")
			_, err = b.do(t, op{verb: "update", by: "two/" + tt.subresource, body: `{"metadata":{"managedFields":` + tt.list + `},"spec":{"size":1}}`})
			require.NoError(t, err)
			require.Equal(t, tt.want, ownersOf(b.object))
		})
	}
}

func TestOwnersInSeveralVersions(t *testing.T) {
	b := newBox(t)
	v1, v2 := b.merger, boxes(t, "v2")
	do := func(m *apply.Merger, o op) error {
		b.merger = m
		_, err := b.do(t, o)
		return err
	}
	require.NoError(t, do(v2, op{verb: "apply", by: "one", body: `{"spec":{"length":1}}`}))
	require.EqualError(t, do(v1, op{verb: "apply", by: "two", body: `{"spec":{"size":2}}`}), `Apply failed with 1 conflict: conflict with "one": .spec.length`,
		"the field has the name that its owner knows")
	require.NoError(t, do(v1, op{verb: "force", by: "two", body: `{"spec":{"size":2}}`}))
	require.Equal(t, "two Apply .spec.size", ownersOf(b.object))
	require.NoError(t, do(v2, op{verb: "apply", by: "two", body: `{"spec":{"length":2,"colour":"red"}}`}))
	require.Equal(t, "two Apply .spec.colour .spec.length", ownersOf(b.object), "who applies has one entry for all versions")
	require.NoError(t, do(v1, op{verb: "apply", by: "two", body: `{"spec":{"colour":"red"}}`}))
	require.Equal(t, `{"colour":"red"}`, string(object.AppendJSON(nil, b.object["spec"])), "a field that is given up in another version goes")
}

func TestHandOverFromClientSideApply(t *testing.T) {
	config := func(size string) string {
		return `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"colour":"red","size":` + size + `}}`
	}
	body := func(size string) string {
		o := decode(t, config(size))
		o.SetAnnotations(map[string]string{"kubectl.kubernetes.io/last-applied-configuration": config(size)})
		return string(object.AppendJSON(nil, o))
	}
	created := op{verb: "update", by: "kubectl-client-side-apply", body: body("1")}

	t.Run("fields as they were applied are handed over", func(t *testing.T) {
		b := newBox(t)
		_, err := b.do(t, created)
		require.NoError(t, err)
		_, err = b.do(t, op{verb: "apply", by: "kubectl", body: config("2")})
		require.NoError(t, err)
		require.Equal(t, config("2")+"\n", b.object.Annotations()["kubectl.kubernetes.io/last-applied-configuration"], "and back, if kubectl goes back")
		require.True(t, strings.HasPrefix(ownersOf(b.object), "kubectl Apply .spec.colour .spec.size\n"))
	})
	t.Run("other managers conflict", func(t *testing.T) {
		b := newBox(t)
		_, err := b.do(t, created)
		require.NoError(t, err)
		_, err = b.do(t, op{verb: "apply", by: "robot", body: config("2")})
		require.EqualError(t, err, `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using example.com/v1: .spec.size`)
	})
	t.Run("fields that changed since conflict", func(t *testing.T) {
		b := newBox(t)
		_, err := b.do(t, created)
		require.NoError(t, err)
		changed := decode(t, body("1"))
		changed["spec"].(map[string]any)["size"] = int64(7)
		_, err = b.do(t, op{verb: "update", by: "hand", body: string(object.AppendJSON(nil, changed))})
		require.NoError(t, err)
		_, err = b.do(t, op{verb: "apply", by: "kubectl", body: config("2")})
		require.EqualError(t, err, `Apply failed with 1 conflict: conflict with "hand" using example.com/v1: .spec.size`)
	})
}

func TestTrackThatFails(t *testing.T) {
	m := boxes(t, "v1")
	live := decode(t, `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"size":1}}`)
	require.NoError(t, m.Track(nil, live, apply.Writer{Manager: "one"}))
	next := decode(t, `{"apiVersion":"example.com/v1","kind":"Box","metadata":{"name":"a"},"spec":{"weight":1}}`)
	require.ErrorContains(t, m.Track(live, next, apply.Writer{Manager: "two"}), ".spec.weight: field not declared in schema")
	require.Equal(t, ownersOf(live), ownersOf(next), "the owners stay")
}
