package server

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestVerbsFollowTheRulesOfTheAPI(t *testing.T) {
	ctx := t.Context()
	s := newWorld(t, widgets(), crates())

	given := widget("a", "color", "red")
	created, err := s.Create(ctx, target(""), given, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, widget("a", "color", "red"), given, "what is passed in is not changed")
	require.Equal(t, "Widget", created.Kind())
	require.EqualValues(t, 1, created.Generation())
	require.NotEmpty(t, created.UID())

	got, err := s.Get(ctx, target("a"))
	require.NoError(t, err)
	require.Equal(t, created, got)

	next := widget("a", "color", "blue")
	updated, err := s.Update(ctx, target("a"), next, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, widget("a", "color", "blue"), next, "what is passed in is not changed")
	require.EqualValues(t, 2, updated.Generation())

	_, err = s.Update(ctx, target("a"), created, WriteOptions{})
	require.ErrorIs(t, err, object.ErrConflict)

	patched, err := s.Patch(ctx, target("a"), apply.JSONPatch, []byte(`[{"op":"replace","path":"/spec/color","value":"green"}]`), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, "green", colorOf(patched))

	status := target("a")
	status.Subresource = "status"
	withStatus, err := s.Patch(ctx, status, apply.MergePatch, []byte(`{"status":{"ready":true},"spec":null}`), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"ready": true}, withStatus["status"])
	require.Equal(t, "green", colorOf(withStatus))

	items, meta, err := s.List(ctx, target(""), ListOptions{FieldSelector: "spec.color=green"})
	require.NoError(t, err)
	require.Equal(t, []object.Object{withStatus}, items)
	require.Equal(t, s.config.Store.Version().String(), meta.ResourceVersion)

	last, removed, err := s.Delete(ctx, target("a"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.True(t, removed)
	require.Equal(t, withStatus["spec"], last["spec"])
	_, err = s.Get(ctx, target("a"))
	require.True(t, object.IsNotFound(err))
}

func TestDeleteSaysWhetherTheObjectIsGone(t *testing.T) {
	s := newWorld(t, widgets())
	o := widget("a")
	o.SetFinalizers([]string{"example.com/wait"})
	_, err := s.Create(t.Context(), target(""), o, WriteOptions{})
	require.NoError(t, err)
	marked, removed, err := s.Delete(t.Context(), target("a"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.False(t, removed)
	require.False(t, marked.DeletionTimestamp().IsZero())
	marked.SetFinalizers(nil)
	_, err = s.Update(t.Context(), target("a"), marked, WriteOptions{})
	require.NoError(t, err)
	_, err = s.Get(t.Context(), target("a"))
	require.True(t, object.IsNotFound(err))
}

func TestDryRunsOfVerbsStoreNothing(t *testing.T) {
	ctx := t.Context()
	s := newWorld(t, widgets())
	fill(t, s, 2, "")
	before := s.config.Store.Version()
	dry := WriteOptions{DryRun: []string{"All"}}
	_, err := s.Create(ctx, target(""), widget("b"), dry)
	require.NoError(t, err)
	_, err = s.Update(ctx, target("w0"), widget("w0", "size", int64(7)), dry)
	require.NoError(t, err)
	_, err = s.Patch(ctx, target("w0"), apply.MergePatch, []byte(`{"spec":{"size":8}}`), dry)
	require.NoError(t, err)
	_, removed, err := s.Delete(ctx, target("w0"), gc.DeleteOptions{DryRun: dry.DryRun})
	require.NoError(t, err)
	require.True(t, removed)
	require.NoError(t, s.DeleteCollection(ctx, target(""), ListOptions{}, gc.DeleteOptions{DryRun: dry.DryRun}))
	require.Equal(t, before, s.config.Store.Version())
}

func TestListsByPages(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 5, "")
	var names []string
	opts := ListOptions{Limit: 2}
	for {
		items, meta, err := s.List(t.Context(), target(""), opts)
		require.NoError(t, err)
		for _, o := range items {
			names = append(names, o.Name())
		}
		if opts.Continue = meta.Continue; opts.Continue == "" {
			break
		}
	}
	require.Equal(t, []string{"w0", "w1", "w2", "w3", "w4"}, names)
}

func TestDeleteCollectionDeletesWhatIsSelected(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 5, "")
	require.NoError(t, s.DeleteCollection(t.Context(), target(""), ListOptions{FieldSelector: "metadata.name!=w3"}, gc.DeleteOptions{}))
	items, _, err := s.List(t.Context(), target(""), ListOptions{})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.Equal(t, "w3", items[0].Name())
}

func TestDeleteCollectionFailsAsTheFirstObjectThatFails(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 50, "")
	first, err := s.Get(t.Context(), target("w0"))
	require.NoError(t, err)
	uid := first.UID()
	err = s.DeleteCollection(t.Context(), target(""), ListOptions{}, gc.DeleteOptions{Preconditions: &gc.Preconditions{UID: &uid}})
	require.ErrorIs(t, err, object.ErrConflict)
	require.Equal(t, "w1", object.AsStatus(err).Details.Name)
}

func TestWatchGivesEventsUntilItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		fill(t, s, 1, "")
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		var seen []string
		var end error
		go func() {
			time.Sleep(10 * time.Second)
			_, _ = s.Create(t.Context(), target(""), widget("b"), WriteOptions{})
			_, _, _ = s.Delete(t.Context(), target("w0"), gc.DeleteOptions{})
		}()
		for e, err := range s.Watch(ctx, target(""), ListOptions{AllowWatchBookmarks: true, SendInitialEvents: new(true), ResourceVersionMatch: "NotOlderThan"}) {
			if end = err; err == nil {
				seen = append(seen, string(e.Type)+" "+e.Object.Kind()+" "+e.Object.Name()+"@"+e.Object.ResourceVersion())
			}
		}
		require.ErrorIs(t, end, context.DeadlineExceeded)
		require.Equal(t, []string{"ADDED Widget w0@2", "BOOKMARK Widget @2", "ADDED Widget b@3", "DELETED Widget w0@4", "BOOKMARK Widget @4"}, seen)
	})
}

func TestWatchOfOneObjectFromAVersion(t *testing.T) {
	s := newWorld(t, widgets())
	fill(t, s, 3, "")
	for e, err := range s.Watch(t.Context(), target("w2"), ListOptions{ResourceVersion: "2"}) {
		require.NoError(t, err)
		require.Equal(t, "w2", e.Object.Name())
		break
	}
}

func TestWhatAWatchBeginsWith(t *testing.T) {
	tests := map[string]struct {
		name string
		opts ListOptions
		want []string
	}{
		"present objects, from no version":     {want: []string{"w0", "w1", "after"}},
		"present objects, from version 0":      {opts: ListOptions{ResourceVersion: "0"}, want: []string{"w0", "w1", "after"}},
		"one object":                           {name: "w1", want: []string{"w1"}},
		"selected objects":                     {opts: ListOptions{FieldSelector: "metadata.name!=w0"}, want: []string{"w1", "after"}},
		"nothing, if told so":                  {opts: ListOptions{SendInitialEvents: new(false), ResourceVersionMatch: "NotOlderThan"}, want: []string{"after"}},
		"present objects, from any version":    {opts: ListOptions{ResourceVersion: "2", SendInitialEvents: new(true), ResourceVersionMatch: "NotOlderThan"}, want: []string{"w0", "w1", "after"}},
		"events after a version, if it is one": {opts: ListOptions{ResourceVersion: "2"}, want: []string{"w1", "after"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newWorld(t, widgets())
				fill(t, s, 2, "")
				tc.opts.TimeoutSeconds = new(int64(5))
				go func() {
					time.Sleep(time.Second)
					_, _ = s.Create(t.Context(), target(""), widget("after"), WriteOptions{})
				}()
				var seen []string
				var end error
				for e, err := range s.Watch(t.Context(), target(tc.name), tc.opts) {
					if end = err; err == nil {
						require.Equal(t, object.Added, e.Type)
						seen = append(seen, e.Object.Name())
					}
				}
				require.ErrorIs(t, end, context.DeadlineExceeded)
				require.Equal(t, tc.want, seen)
			})
		})
	}
}

func TestWatchEndsWithItsResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		go func() {
			time.Sleep(time.Second)
			s.Remove(target("").Resource.GroupResource())
		}()
		for _, err := range s.Watch(t.Context(), target(""), ListOptions{}) {
			require.ErrorIs(t, err, object.ErrNotFound)
		}
	})
}

func TestShutdownWaitsForWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		fill(t, s, 1, "")
		left := false
		go func() {
			for range s.Watch(t.Context(), target(""), ListOptions{}) {
				time.Sleep(time.Minute)
				left = true
			}
		}()
		time.Sleep(time.Second)
		require.NoError(t, s.Shutdown(t.Context()))
		require.True(t, left)
	})
}

func TestWatchEndsWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		go func() {
			time.Sleep(time.Second)
			_ = s.Shutdown(t.Context())
		}()
		for _, err := range s.Watch(t.Context(), target(""), ListOptions{}) {
			require.ErrorIs(t, err, io.EOF)
			require.ErrorIs(t, err, errShutdown)
		}
		for _, err := range s.Watch(t.Context(), target(""), ListOptions{}) {
			require.ErrorIs(t, err, errShutdown)
		}
	})
}

func TestVerbsRefuse(t *testing.T) {
	ctx := t.Context()
	s := newWorld(t, widgets(), namespaces())
	elsewhere := target("a")
	elsewhere.Resource.Resource = "gadgets"
	sub := target("a")
	sub.Subresource = "scale"
	watchError := func(at Target, opts ListOptions) (err error) {
		for _, err = range s.Watch(ctx, at, opts) {
			return err
		}
		return err
	}
	listError := func(opts ListOptions) error {
		_, _, err := s.List(ctx, target(""), opts)
		return err
	}
	for name, test := range map[string]struct {
		do   func() error
		want error
	}{
		"an unknown resource":           {func() error { _, err := s.Get(ctx, elsewhere); return err }, object.ErrNotFound},
		"an unknown subresource":        {func() error { _, err := s.Get(ctx, sub); return err }, object.ErrNotFound},
		"an unknown object":             {func() error { _, err := s.Get(ctx, target("a")); return err }, object.ErrNotFound},
		"no name":                       {func() error { _, err := s.Get(ctx, target("")); return err }, object.ErrNotFound},
		"a namespace that is not there": {func() error { _, err := s.Create(ctx, target(""), widget("a"), WriteOptions{}); return err }, object.ErrNotFound},
		"another name":                  {func() error { _, err := s.Update(ctx, target("a"), widget("b"), WriteOptions{}); return err }, object.ErrBadRequest},
		"a malformed patch": {func() error {
			_, err := s.Patch(ctx, target("a"), apply.MergePatch, []byte("{"), WriteOptions{})
			return err
		}, object.ErrBadRequest},
		"a malformed selector":            {func() error { return listError(ListOptions{LabelSelector: "a in"}) }, object.ErrBadRequest},
		"an unknown field":                {func() error { return listError(ListOptions{FieldSelector: "spec.size=1"}) }, object.ErrBadRequest},
		"options that do not go together": {func() error { return listError(ListOptions{ResourceVersionMatch: "Exact"}) }, object.ErrInvalid},
		"a version to come":               {func() error { return listError(ListOptions{ResourceVersion: "1000"}) }, object.ErrTimeout},
		"a policy that is none": {func() error {
			policy := "Sideways"
			_, _, err := s.Delete(ctx, target("a"), gc.DeleteOptions{PropagationPolicy: &policy})
			return err
		}, object.ErrInvalid},
		"a watch of an unknown resource":           {func() error { return watchError(elsewhere, ListOptions{}) }, object.ErrNotFound},
		"a watch whose options do not go together": {func() error { return watchError(target(""), ListOptions{ResourceVersionMatch: "Exact"}) }, object.ErrInvalid},
		"a watch from a version to come, with what is there": {func() error {
			return watchError(target(""), ListOptions{ResourceVersion: "1000", SendInitialEvents: new(true), ResourceVersionMatch: "NotOlderThan"})
		}, object.ErrTimeout},
		"a watch with a malformed selector": {func() error { return watchError(target(""), ListOptions{LabelSelector: "a in"}) }, object.ErrBadRequest},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, test.do(), test.want) })
	}
	require.Error(t, watchError(target(""), ListOptions{ResourceVersion: "new"}))
}

func TestVerbsInAnotherVersion(t *testing.T) {
	s := newWorld(t, crates())
	beta := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1beta1", Resource: "crates"}}
	created, err := s.Create(t.Context(), beta, object.Object{"metadata": map[string]any{"name": "a"}, "weight": "5g"}, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, "5g", created["weight"])
	require.Equal(t, "example.com/v1beta1", created.APIVersion())
	v1 := beta
	v1.Resource.Version, v1.Name = "v1", "a"
	got, err := s.Get(t.Context(), v1)
	require.NoError(t, err)
	require.EqualValues(t, 5, got["grams"])
}

func TestConfigIsChecked(t *testing.T) {
	_, err := New(Config{})
	require.ErrorContains(t, err, "Config.Store is missing")
	s := newWorld(t, widgets())
	_, err = New(Config{Store: s.config.Store, Resources: []Resource{widgets(), widgets()}})
	require.ErrorContains(t, err, "is there already")
	require.Error(t, s.Add(widgets()))
	require.Error(t, s.Add(Resource{}))
}

func TestErrorsOfAViewNameTheGroupOfTheCollection(t *testing.T) {
	view := widgets()
	view.Group, view.Collection = "view.example.com", object.GroupResource{Group: view.Group, Resource: view.Plural}
	s := newWorld(t, namespaces(), widgets(), view)
	require.NoError(t, createNamespace(t, s, "default"))
	to := target("")
	to.Resource.Group = view.Group
	_, err := s.Create(t.Context(), to, object.Object{"metadata": map[string]any{"name": "A"}}, WriteOptions{})
	status := object.AsStatus(err)
	require.Contains(t, status.Message, `Widget.`+widgets().Group+` "A" is invalid: `)
	require.Equal(t, widgets().Group, status.Details.Group)
}
