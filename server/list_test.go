package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestFieldsThatCanBeSelected(t *testing.T) {
	typed := struct{ Codec }{} // a Go type is there; nothing is decoded
	own := map[string]func(object.Object) string{"spec.color": colorOf}
	const notSupported = "field label not supported: "
	const notKnown = ` is not a known field selector: only "metadata.name", "metadata.namespace"`
	tests := map[string]struct {
		codec      Codec
		fields     map[string]func(object.Object) string
		namespaced bool
		selector   string
		err        string
	}{
		"a name":                                          {selector: "metadata.name=a"},
		"a namespace":                                     {namespaced: true, selector: "metadata.namespace=a"},
		"a namespace, of a typed kind":                    {codec: typed, selector: "metadata.namespace=a"},
		"a namespace that the kind has not":               {selector: "metadata.namespace=a", err: notSupported + "metadata.namespace"},
		"a namespace that a kind with fields has not":     {codec: typed, fields: own, selector: "metadata.namespace=a", err: notSupported + "metadata.namespace"},
		"a field of the kind":                             {fields: own, selector: "spec.color=a"},
		"another field":                                   {selector: "spec.size=a", err: notSupported + "spec.size"},
		"another field, of a typed kind":                  {codec: typed, selector: "spec.size=a", err: `"spec.size"` + notKnown},
		"another field, of a typed kind that has its own": {codec: typed, fields: own, selector: "spec.size=a", err: notSupported + "spec.size"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := newResourceSet(Resource{
				Plural: "things", Kind: "Thing", Namespaced: tc.namespaced, Fields: tc.fields,
				Versions: []Version{{Name: "v1", Codec: tc.codec}},
			})
			require.NoError(t, err)
			c := &call{served: set.byPath[object.GroupVersionResource{Version: "v1", Resource: "things"}]}
			_, err = c.selector(ListOptions{FieldSelector: tc.selector})
			if tc.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tc.err)
		})
	}
}

// TestFieldsOfAVersionSelect: what a version has instead of the fields of its resource
// finds objects, whichever version wrote them.
func TestFieldsOfAVersionSelect(t *testing.T) {
	kind := widgets()
	kind.Versions = append(kind.Versions, Version{Name: "v2", Fields: map[string]func(object.Object) string{
		"spec.shape": func(o object.Object) string {
			shape, _ := o.Field("spec", "shape")
			text, _ := shape.(string)
			return text
		},
	}})
	s := newWorld(t, kind)
	second := target("")
	second.Resource.Version = "v2"
	for name, in := range map[string]Target{"a": target(""), "b": second} {
		_, err := s.Create(t.Context(), in, widget(name, "color", "red", "shape", "round"), WriteOptions{})
		require.NoError(t, err)
	}
	items, _, err := s.List(t.Context(), second, ListOptions{FieldSelector: "spec.shape=round"})
	require.NoError(t, err)
	require.Len(t, items, 2)
	items, _, err = s.List(t.Context(), target(""), ListOptions{FieldSelector: "spec.color=red"})
	require.NoError(t, err)
	require.Len(t, items, 2)
	_, _, err = s.List(t.Context(), second, ListOptions{FieldSelector: "spec.color=red"})
	require.ErrorIs(t, err, object.ErrBadRequest, "which is none of the version")
}
