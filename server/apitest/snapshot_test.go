package apitest_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

// names are those of the gadgets in the lab.
func names(t testing.TB, srv *apitest.Server) (names []string) {
	t.Helper()
	items, _, err := srv.List(t.Context(), gadget("lab", ""), server.ListOptions{})
	require.NoError(t, err)
	for _, o := range items {
		names = append(names, o.Name())
	}
	return names
}

func TestForksAreIndependent(t *testing.T) {
	origin := newWorld(t)
	world := origin.Snapshot()
	create(t, origin, "later")
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			srv := world.Fork(t)
			create(t, srv, fmt.Sprint("of-", i))
			require.Equal(t, []string{"first", fmt.Sprint("of-", i)}, names(t, srv))
		})
	}
	require.Equal(t, []string{"first", "later"}, names(t, origin))
}

func TestABubbleForksWhatWasMadeOutside(t *testing.T) {
	world := newWorld(t).Snapshot()
	for range 3 {
		synctest.Test(t, func(t *testing.T) {
			srv := world.Fork(t)
			require.Equal(t, 2000, create(t, srv, "inside").CreationTimestamp().Year())
			time.Sleep(24 * time.Hour)
			require.Equal(t, []string{"first", "inside"}, names(t, srv))
		})
	}
}

func TestWhatIsDefinedInAForkIsServedThereOnly(t *testing.T) {
	srv := newWorld(t)
	fork := srv.Fork(t)
	at := server.Target{Resource: object.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}, Name: "gadgets.example.com"}
	_, _, err := fork.Delete(t.Context(), at, gc.DeleteOptions{})
	require.NoError(t, err)
	_, err = fork.WaitFor(t.Context(), at, func(o object.Object) bool { return o == nil })
	require.NoError(t, err)
	require.NoError(t, fork.Settle(t.Context()))
	_, err = fork.Get(t.Context(), first)
	require.True(t, object.IsNotFound(err), "%v", err)
	require.Equal(t, []string{"first"}, names(t, srv))
}

func TestRestoreWritesWhatDiffers(t *testing.T) {
	srv := newWorld(t)
	ctx := t.Context()
	create(t, srv, "kept")
	before := srv.Snapshot()
	old, err := srv.Get(ctx, first)
	require.NoError(t, err)

	patch(t, srv, first, "test", `{"spec":{"size":7}}`)
	create(t, srv, "new")
	_, _, err = srv.Delete(ctx, gadget("lab", "kept"), gc.DeleteOptions{})
	require.NoError(t, err)
	version := srv.Version()

	require.NoError(t, srv.Restore(ctx, before))
	require.Equal(t, []string{"first", "kept"}, names(t, srv))
	restored, err := srv.Get(ctx, first)
	require.NoError(t, err)
	require.NotEqual(t, old.ResourceVersion(), restored.ResourceVersion())
	restored.SetResourceVersion(old.ResourceVersion())
	require.Equal(t, old, restored)
	require.Equal(t, version+3, srv.Version())

	var seen []string
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for e, err := range srv.Watch(ctx, gadget("lab", ""), server.ListOptions{ResourceVersion: version.String()}) {
		require.NoError(t, err)
		if seen = append(seen, fmt.Sprint(e.Type, " ", e.Object.Name())); len(seen) == 3 {
			break
		}
	}
	require.ElementsMatch(t, []string{"MODIFIED first", "DELETED new", "ADDED kept"}, seen)

	require.NoError(t, srv.Restore(ctx, before))
	require.Equal(t, version+3, srv.Version(), "nothing differs")

	history, err := srv.History(t.Context(), first)
	require.NoError(t, err)
	require.Regexp(t, `restored by apitest\n    metadata.generation: 2 -> 1\n    spec.size: 7 -> 1\n$`, history.String())
	history, err = srv.History(t.Context(), gadget("lab", "kept"))
	require.NoError(t, err)
	require.Regexp(t, `put back by apitest\n$`, history.String())
	history, err = srv.History(t.Context(), gadget("lab", "new"))
	require.NoError(t, err)
	require.Regexp(t, `removed by apitest\n$`, history.String())
}

func TestRestoreBringsBackWhatWasDefined(t *testing.T) {
	srv := newWorld(t)
	before := srv.Snapshot()
	ctx := t.Context()
	at := server.Target{Resource: object.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}, Name: "gadgets.example.com"}
	_, _, err := srv.Delete(ctx, at, gc.DeleteOptions{})
	require.NoError(t, err)
	_, err = srv.WaitFor(ctx, at, func(o object.Object) bool { return o == nil })
	require.NoError(t, err)
	require.NoError(t, srv.Restore(ctx, before))
	require.Equal(t, []string{"first"}, names(t, srv))
	create(t, srv, "again")
}

func TestRestoredOwnersKeepTheirDependents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t)
		owner := create(t, srv, "owner")
		create(t, srv, "of-owner", reference(owner))
		before := srv.Snapshot()
		_, _, err := srv.Delete(t.Context(), gadget("lab", "owner"), gc.DeleteOptions{})
		require.NoError(t, err)
		require.NoError(t, srv.Quiet(t.Context(), time.Second))
		require.Equal(t, []string{"first"}, names(t, srv))
		require.NoError(t, srv.Restore(t.Context(), before))
		time.Sleep(time.Hour)
		require.Equal(t, []string{"first", "of-owner", "owner"}, names(t, srv))
	})
}

func reference(o object.Object) object.OwnerReference {
	return object.OwnerReference{APIVersion: o.APIVersion(), Kind: o.Kind(), Name: o.Name(), UID: o.UID()}
}
