package gc_test

import (
	"testing"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/stretchr/testify/require"
)

func TestRemovable(t *testing.T) {
	tests := []struct {
		name     string
		metadata map[string]any
		want     bool
	}{
		{name: "not being deleted", metadata: map[string]any{}},
		{name: "held by a finalizer", metadata: map[string]any{"deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(0), "finalizers": list("example.com/a")}},
		{name: "within its grace period", metadata: map[string]any{"deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(30)}},
		{name: "nothing holds it", metadata: map[string]any{"deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(0)}, want: true},
		{name: "no grace period was ever set", metadata: map[string]any{"deletionTimestamp": stamp}, want: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, gc.Removable(configMap(tt.metadata)))
		})
	}
}
