package watch

import (
	"context"
	"testing"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	b := New(Options{})
	k := object.Key{GroupResource: object.GroupResource{Resource: "configmaps"}, Namespace: "a", Name: "b"}
	w, err := b.Watch(context.Background(), WatchOptions{Collection: object.Key{GroupResource: k.GroupResource}})
	require.NoError(t, err)
	go b.Publish([]object.Event{{Type: object.Added, Key: k, Version: 1, Object: &object.Encoded{}}})
	ev, err := w.Next(context.Background())
	require.NoError(t, err)
	require.EqualValues(t, 1, ev.Version)
}
