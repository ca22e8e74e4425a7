package apitest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

func TestHistoryTellsWhoChangedWhatWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		time.Sleep(time.Minute)
		patch(t, srv, first, "painter", `{"spec":{"color":"blue"},"metadata":{"labels":{"example.com/paint":"wet"},"finalizers":["example.com/hold"]}}`)
		status := first
		status.Subresource = "status"
		time.Sleep(1500 * time.Millisecond)
		patch(t, srv, status, "drier", `{"status":{"ready":false}}`)
		_, _, err := srv.Delete(t.Context(), server.Target{Resource: first.Resource, Namespace: first.Namespace, Name: first.Name,
			User: object.User{Name: "ada"}}, gc.DeleteOptions{})
		require.NoError(t, err)
		patch(t, srv, first, "painter", `{"metadata":{"finalizers":null}}`)

		history, err := srv.Fork(t).History(t.Context(), first) // forks remember
		require.NoError(t, err)
		require.Equal(t, `9  00:00:00.000  created by apitest
10  00:00:00.000  updated (status) by apitest
    + status.ready: true
12  00:01:00.000  updated by painter
    + metadata.finalizers: ["example.com/hold"]
    metadata.generation: 1 -> 2
    + metadata.labels["example.com/paint"]: "wet"
    spec.color: "red" -> "blue"
13  00:01:01.500  updated (status) by drier
    status.ready: true -> false
14  00:01:01.500  marked as being deleted by ada
    + metadata.deletionGracePeriodSeconds: 0
    + metadata.deletionTimestamp: "2000-01-01T00:01:01Z"
    metadata.generation: 2 -> 3
15  00:01:01.500  removed by painter
`, history.String())
	})
}

func TestHistoryOfAForkWhoseObjectsHaveExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t, apitest.Resources(server.Resource{
			Plural: "notes", Kind: "Note", Namespaced: true, TTL: time.Hour, Versions: []server.Version{{Name: "v1"}}}))
		note := server.Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "notes"}, Namespace: "lab"}
		for _, name := range []string{"a", "b", "c"} {
			_, err := srv.Create(t.Context(), note, object.Object{"metadata": map[string]any{"name": name}}, server.WriteOptions{})
			require.NoError(t, err)
		}
		world := srv.Snapshot()
		time.Sleep(2 * time.Hour)
		fork := world.Fork(t)
		synctest.Wait()
		patch(t, fork, first, "painter", `{"spec":{"color":"blue"}}`)
		history, err := fork.History(t.Context(), first)
		require.NoError(t, err)
		require.Regexp(t, `\n18  02:00:00.000  updated by painter\n`, history.String())
		note.Name = "a"
		history, err = fork.History(t.Context(), note)
		require.NoError(t, err)
		require.Equal(t, "12  00:00:00.000  created by the test\n15  02:00:00.000  removed by the server\n", history.String())
	})
}

func TestThePastCanBeRead(t *testing.T) {
	srv := newWorld(t)
	ctx := t.Context()
	versions := []object.ResourceVersion{srv.Version()}
	for _, size := range []string{"2", "3"} {
		patch(t, srv, first, "test", `{"spec":{"size":`+size+`}}`)
		versions = append(versions, srv.Version())
	}
	_, _, err := srv.Delete(ctx, first, gc.DeleteOptions{})
	require.NoError(t, err)
	create(t, srv, "other")

	for i, version := range versions {
		o, err := srv.At(version).Get(ctx, first)
		require.NoError(t, err)
		size, _ := o.Field("spec", "size")
		require.EqualValues(t, i+1, size)
		items, err := srv.At(version).List(ctx, gadget("lab", ""))
		require.NoError(t, err)
		require.Len(t, items, 1)
	}
	_, err = srv.At(srv.Version()).Get(ctx, first)
	require.True(t, object.IsNotFound(err), "%v", err)
	_, err = srv.At(versions[0]).Get(ctx, gadget("lab", "other"))
	require.True(t, object.IsNotFound(err), "%v", err)
	_, err = srv.At(0).Get(ctx, first)
	require.EqualError(t, err, "reading gadgets.example.com: there is no version 0")
	_, err = srv.At(srv.Version()+1).Get(ctx, first)
	require.ErrorIs(t, err, object.ErrTimeout)
	_, err = srv.At(versions[0]).Get(ctx, gadget("lab", ""))
	require.EqualError(t, err, "reading one of gadgets.example.com at version 11: the target has no name")
}
