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

func TestUpdateKeepsMarks(t *testing.T) {
	marked := map[string]any{"deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(0), "finalizers": list("example.com/one", "example.com/two")}
	const finalizers = "metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers "
	tests := []struct {
		name      string
		old, next map[string]any
		want      string
	}{
		{name: "the marks left out", old: marked, next: map[string]any{}},
		{name: "the marks by null", old: marked, next: map[string]any{"deletionTimestamp": nil, "deletionGracePeriodSeconds": nil}},
		{name: "another time is passed over", old: marked, next: map[string]any{"deletionTimestamp": "2001-02-03T04:05:06Z"}},
		{
			name: "another grace period is not", old: marked, next: map[string]any{"deletionTimestamp": "2001-02-03T04:05:06Z", "deletionGracePeriodSeconds": int64(77)},
			want: "metadata.deletionGracePeriodSeconds: Invalid value: 77: field is immutable",
		},
		{name: "finalizers in another order and twice", old: marked, next: map[string]any{"finalizers": list("example.com/two", "example.com/one", "example.com/two")}},
		{name: "a new finalizer", old: marked, next: map[string]any{"finalizers": list("example.com/three", "example.com/one")}, want: finalizers + `[]string{"example.com/three"}`},
		{
			name: "several new finalizers", old: marked, next: map[string]any{"finalizers": list("example.com/five", "example.com/four", "example.com/five")},
			want: finalizers + `[]string{"example.com/five", "example.com/four"}`,
		},
		{name: "new finalizers before the deletion", old: map[string]any{}, next: map[string]any{"finalizers": list("example.com/a")}},
		{
			name: "a time before the deletion", old: map[string]any{}, next: map[string]any{"deletionTimestamp": "2001-02-03T04:05:06Z"},
			want: `metadata.deletionTimestamp: Invalid value: "2001-02-03T04:05:06Z": field is immutable`,
		},
		{
			name: "a grace period before the deletion", old: map[string]any{}, next: map[string]any{"deletionGracePeriodSeconds": int64(3)},
			want: `metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old, next := configMap(tt.old), configMap(tt.next)
			gc.KeepMarks(next, old)
			errs := gc.ValidateMarks(next, old)
			if tt.want != "" {
				require.EqualError(t, errs, tt.want)
				return
			}
			require.Empty(t, errs)
			require.Equal(t, old.DeletionTimestamp(), next.DeletionTimestamp())
			require.Equal(t, old.Metadata()["deletionGracePeriodSeconds"], next.Metadata()["deletionGracePeriodSeconds"])
		})
	}
}
