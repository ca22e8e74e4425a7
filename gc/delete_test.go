package gc_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/stretchr/testify/require"
)

var (
	noon  = time.Date(2026, 3, 4, 12, 0, 0, 700_000_000, time.UTC)
	hour  = noon.Add(time.Hour)
	stamp = "2026-03-04T12:00:00Z"
)

// configMap makes an object with the metadata given beside a few fields that every object has.
func configMap(metadata map[string]any) object.Object {
	metadata["name"], metadata["namespace"] = "p", "default"
	metadata["uid"], metadata["resourceVersion"] = "u1", "7"
	return object.Object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": map[string]any{"k": "v"}}
}

func list(names ...any) []any { return names }

func to[T any](v T) *T { return &v }

func TestBeginDelete(t *testing.T) {
	marked := func(names ...any) map[string]any {
		return map[string]any{"finalizers": list(names...), "deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(0)}
	}
	tests := []struct {
		name string
		have map[string]any
		opts gc.DeleteOptions
		want gc.Outcome
		next map[string]any // for Mark
	}{
		{name: "nothing holds it", have: map[string]any{}, want: gc.Remove},
		{name: "grace periods mean nothing", have: map[string]any{}, opts: gc.DeleteOptions{GracePeriodSeconds: to(int64(1800))}, want: gc.Remove},
		{name: "negative grace periods mean nothing either", have: map[string]any{}, opts: gc.DeleteOptions{GracePeriodSeconds: to(int64(-5))}, want: gc.Remove},
		{name: "a mark without finalizers is removed", have: map[string]any{"deletionTimestamp": stamp}, want: gc.Remove},
		{
			name: "a finalizer holds it", have: map[string]any{"finalizers": list("example.com/a")},
			want: gc.Mark, next: marked("example.com/a"),
		},
		{
			name: "a finalizer holds it whatever the grace period", have: map[string]any{"finalizers": list("example.com/a")},
			opts: gc.DeleteOptions{GracePeriodSeconds: to(int64(60))},
			want: gc.Mark, next: marked("example.com/a"),
		},
		{
			name: "the generation grows with the first mark", have: map[string]any{"finalizers": list("example.com/a"), "generation": int64(3)},
			want: gc.Mark, next: func() map[string]any { m := marked("example.com/a"); m["generation"] = int64(4); return m }(),
		},
		{name: "marked already", have: marked("example.com/a"), want: gc.Unchanged},
		{name: "marked already and less grace", have: marked("example.com/a"), opts: gc.DeleteOptions{GracePeriodSeconds: to(int64(0))}, want: gc.Unchanged},
		{
			name: "a mark in the future is moved to now",
			have: map[string]any{"finalizers": list("example.com/a"), "deletionTimestamp": "2026-03-04T13:00:00Z", "deletionGracePeriodSeconds": int64(3600), "generation": int64(3)},
			want: gc.Mark, next: func() map[string]any { m := marked("example.com/a"); m["generation"] = int64(3); return m }(),
		},
		{
			name: "foreground adds its finalizer", have: map[string]any{"finalizers": list("example.com/a")},
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Foreground)},
			want: gc.Mark, next: marked("example.com/a", "foregroundDeletion"),
		},
		{
			name: "foreground holds what nothing else holds", have: map[string]any{},
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Foreground)},
			want: gc.Mark, next: marked("foregroundDeletion"),
		},
		{
			name: "orphan adds its finalizer", have: map[string]any{},
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Orphan)},
			want: gc.Mark, next: marked("orphan"),
		},
		{
			name: "the old option for orphan", have: map[string]any{"finalizers": list("example.com/a")},
			opts: gc.DeleteOptions{OrphanDependents: to(true)},
			want: gc.Mark, next: marked("example.com/a", "orphan"),
		},
		{
			name: "the old option for background", have: map[string]any{"finalizers": list("example.com/a", "orphan")},
			opts: gc.DeleteOptions{OrphanDependents: to(false)},
			want: gc.Mark, next: marked("example.com/a"),
		},
		{
			name: "background takes both finalizers off", have: map[string]any{"finalizers": list("orphan", "foregroundDeletion")},
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Background)},
			want: gc.Remove,
		},
		{
			name: "without a policy the finalizer decides", have: map[string]any{"finalizers": list("foregroundDeletion", "example.com/a")},
			want: gc.Mark, next: marked("foregroundDeletion", "example.com/a"),
		},
		{
			name: "a second policy replaces the first", have: marked("example.com/a", "foregroundDeletion"),
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Orphan)},
			want: gc.Mark, next: marked("example.com/a", "orphan"),
		},
		{
			name: "the same policy again changes nothing", have: marked("orphan", "example.com/a"),
			opts: gc.DeleteOptions{PropagationPolicy: to(gc.Orphan)},
			want: gc.Unchanged,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := configMap(tt.have)
			before := o.DeepCopy()
			next, outcome, err := gc.BeginDelete(o, tt.opts, nil, noon)
			require.NoError(t, err)
			require.Equal(t, tt.want, outcome)
			require.Equal(t, before, o, "the object given is not changed")
			if tt.next != nil {
				require.Equal(t, configMap(tt.next), next)
				require.False(t, gc.Removable(next))
				_, again, err := gc.BeginDelete(next, tt.opts, nil, hour)
				require.NoError(t, err)
				require.Equal(t, gc.Unchanged, again, "the same DELETE again")
			} else {
				require.Equal(t, before, next)
			}
		})
	}
}

func TestBeginDeleteChecksPreconditions(t *testing.T) {
	tests := []struct {
		name string
		pre  *gc.Preconditions
		want string // after the common beginning; "" if it holds
	}{
		{name: "none", pre: &gc.Preconditions{}},
		{name: "both hold", pre: &gc.Preconditions{UID: to("u1"), ResourceVersion: to("7")}},
		{name: "another uid", pre: &gc.Preconditions{UID: to("u2")}, want: "the UID in the precondition (u2) does not match the UID in record (u1). The object might have been deleted and then recreated"},
		{name: "an older version", pre: &gc.Preconditions{UID: to("u1"), ResourceVersion: to("6")}, want: "the ResourceVersion in the precondition (6) does not match the ResourceVersion in record (7). The object might have been modified"},
		{name: "no version at all", pre: &gc.Preconditions{ResourceVersion: to("latest")}, want: "the ResourceVersion in the precondition (latest) does not match the ResourceVersion in record (7). The object might have been modified"},
		{name: "the uid is looked at first", pre: &gc.Preconditions{UID: to(""), ResourceVersion: to("6")}, want: "the UID in the precondition () does not match the UID in record (u1). The object might have been deleted and then recreated"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := gc.BeginDelete(configMap(map[string]any{}), gc.DeleteOptions{Preconditions: tt.pre}, nil, noon)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.True(t, object.IsConflict(err))
			status := object.AsStatus(err)
			require.Equal(t, `Operation cannot be fulfilled on ConfigMap "p": `+tt.want, status.Message)
			require.Equal(t, &object.StatusDetails{Name: "p", Kind: "ConfigMap"}, status.Details)
			require.Equal(t, 409, status.Code)
		})
	}
}

func TestGracefulDeletion(t *testing.T) {
	halfMinute := func(_ object.Object, asked *int64) int64 {
		if asked != nil {
			return *asked
		}
		return 30
	}
	marked := func(timestamp string, grace int64, finalizers ...any) map[string]any {
		m := map[string]any{"deletionTimestamp": timestamp, "deletionGracePeriodSeconds": grace, "generation": int64(2)}
		if len(finalizers) > 0 {
			m["finalizers"] = finalizers
		}
		return m
	}
	fresh := func() map[string]any { return map[string]any{"generation": int64(1)} }
	tests := []struct {
		name  string
		have  map[string]any
		asked *int64
		want  gc.Outcome
		next  map[string]any
	}{
		{"it is given its time", fresh(), nil, gc.Mark, marked("2026-03-04T12:00:30Z", 30)},
		{"the time asked for", fresh(), to(int64(5)), gc.Mark, marked("2026-03-04T12:00:05Z", 5)},
		{"a negative time is a second", fresh(), to(int64(-7)), gc.Mark, marked("2026-03-04T12:00:01Z", 1)},
		{"no time", fresh(), to(int64(0)), gc.Finish, marked(stamp, 0)},
		{
			"no time, but finalizers", map[string]any{"generation": int64(1), "finalizers": list("example.com/a")}, to(int64(0)),
			gc.Mark, marked(stamp, 0, "example.com/a"),
		},
		{"under way", marked("2026-03-04T12:00:30Z", 30), nil, gc.Unchanged, marked("2026-03-04T12:00:30Z", 30)},
		{"under way, and shorter", marked("2026-03-04T12:00:30Z", 30), to(int64(10)), gc.Mark, marked("2026-03-04T12:00:10Z", 10)},
		{"under way, and at once", marked("2026-03-04T12:00:30Z", 30), to(int64(0)), gc.Finish, marked(stamp, 0)},
		{"under way, and so short that it is over", marked("2026-03-04T12:00:10Z", 30), to(int64(5)), gc.Mark, marked(stamp, 1)},
		{"never longer", marked("2026-03-04T12:00:30Z", 30), to(int64(60)), gc.Unchanged, marked("2026-03-04T12:00:30Z", 30)},
		{"its time is over", marked(stamp, 0), nil, gc.Remove, marked(stamp, 0)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := configMap(tt.have)
			before := o.DeepCopy()
			next, outcome, err := gc.BeginDelete(o, gc.DeleteOptions{GracePeriodSeconds: tt.asked}, halfMinute, noon)
			require.NoError(t, err)
			require.Equal(t, tt.want, outcome)
			require.Equal(t, configMap(tt.next), next)
			require.Equal(t, before, o, "the object given is not changed")
		})
	}
}

func TestThePolicyMayChangeOnceTheTimeIsOver(t *testing.T) {
	grace := func(object.Object, *int64) int64 { return 30 }
	o := configMap(map[string]any{"deletionTimestamp": stamp, "deletionGracePeriodSeconds": int64(0), "finalizers": list("example.com/a")})
	next, outcome, err := gc.BeginDelete(o, gc.DeleteOptions{PropagationPolicy: to(gc.Orphan)}, grace, noon)
	require.NoError(t, err)
	require.Equal(t, gc.Mark, outcome)
	require.Equal(t, []string{"example.com/a", "orphan"}, next.Finalizers())
}

func TestBeginDeleteRefusesBadOptions(t *testing.T) {
	_, _, err := gc.BeginDelete(configMap(map[string]any{}), gc.DeleteOptions{PropagationPolicy: to("Sideways")}, nil, noon)
	require.True(t, object.IsInvalid(err))
}

func ExampleBeginDelete() {
	o := object.Object{"kind": "ConfigMap", "metadata": map[string]any{"name": "a", "finalizers": []any{"example.com/backup"}}}
	next, outcome, _ := gc.BeginDelete(o, gc.DeleteOptions{}, nil, time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	fmt.Println(outcome == gc.Mark, next.DeletionTimestamp().Format(time.RFC3339))
	next.SetFinalizers(nil) // the backup is made
	fmt.Println(gc.Removable(next))
	// Output:
	// true 2026-03-04T12:00:00Z
	// true
}
