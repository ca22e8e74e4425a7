package server

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// TestCreatesOfClientsThatAreGone: they end, unless others rely on the write being over.
func TestCreatesOfClientsThatAreGone(t *testing.T) {
	for name, namespaces := range map[string][]Resource{
		"no namespaces": nil,
		"namespaces":    {namespaces()},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, leave := context.WithCancel(t.Context())
			kind := widgets()
			kind.Validate = func(object.Object, object.Object) object.FieldErrors { leave(); return nil }
			s := newWorld(t, append(namespaces, kind)...)
			if namespaces != nil {
				require.NoError(t, createNamespace(t, s, "default"))
			}
			_, err := s.Create(ctx, target(""), widget("a"), WriteOptions{})
			if namespaces != nil {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, context.Canceled)
			require.True(t, isGone(t, s, target("a")))
		})
	}
}
