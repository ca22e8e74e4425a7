package server

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestHistoryGivesBothStatesOfEachWrite(t *testing.T) {
	s := newWorld(t, widgets(), crates())
	ctx := t.Context()
	fill(t, s, 2, "x")
	_, err := s.Patch(ctx, target("w1"), apply.MergePatch, []byte(`{"spec":{"text":"y"}}`), WriteOptions{})
	require.NoError(t, err)
	_, _, err = s.Delete(ctx, target("w1"), gc.DeleteOptions{})
	require.NoError(t, err)

	read := func(at Target, after object.ResourceVersion) (texts []string) {
		t.Helper()
		for c, err := range s.History(ctx, at, after) {
			require.NoError(t, err)
			texts = append(texts, fmt.Sprint(c.Version, " ", textOf(c.Prev), ">", textOf(c.Next)))
		}
		return texts
	}
	require.Equal(t, []string{"3 >w1 x", "4 w1 x>w1 y", "5 w1 y>"}, read(target("w1"), 0))
	require.Equal(t, []string{"4 w1 x>w1 y", "5 w1 y>"}, read(target(""), 3))
	for range s.History(ctx, target(""), 0) {
		break // which ends it
	}

	old := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1beta1", Resource: "crates"}}
	_, err = s.Create(ctx, old, object.Object{"metadata": map[string]any{"name": "c"}, "weight": "5g"}, WriteOptions{})
	require.NoError(t, err)
	for c, err := range s.History(ctx, old, 0) {
		require.NoError(t, err)
		require.Equal(t, "5g", c.Next["weight"], "it speaks the version of the target")
	}

	require.NoError(t, s.config.Store.Close())
	for _, at := range []Target{target("w1"), {Resource: object.GroupVersionResource{Version: "v1", Resource: "nothing"}}} {
		for _, err := range s.History(ctx, at, 0) {
			require.Error(t, err)
		}
	}
}

func textOf(o object.Object) string {
	text, ok := o.Field("spec", "text")
	if !ok {
		return ""
	}
	return fmt.Sprint(o.Name(), " ", text)
}

func TestWhoWroteIsTold(t *testing.T) {
	var mu sync.Mutex
	var told []string
	s := newWorldOf(t, Config{Resources: []Resource{widgets(), tickets()}, Wrote: func(about Attributes, manager string, version object.ResourceVersion) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprint(version, " ", about.User.Name, " ", about.Verb, " ", about.Resource, "/", about.Subresource, " ", about.Namespace, "/", about.Name, " ", manager))
	}})
	ctx := t.Context()
	asUser := target("w0")
	asUser.User.Name = "ada"
	fill(t, s, 1, "")
	status := asUser
	status.Subresource = "status"
	patch := func(at Target, patch string, opts WriteOptions) {
		_, err := s.Patch(ctx, at, apply.MergePatch, []byte(patch), opts)
		require.NoError(t, err)
	}
	patch(status, `{"status":{"a":1}}`, WriteOptions{FieldManager: "m"})
	patch(status, `{"status":{"a":1}}`, WriteOptions{FieldManager: "m"})                               // changes nothing
	patch(asUser, `{"spec":{"text":"dry"}}`, WriteOptions{FieldManager: "m", DryRun: []string{"All"}}) // nor does this
	patch(asUser, `{"metadata":{"finalizers":["example.com/hold"]}}`, WriteOptions{})
	r := ask(t, s, http.MethodDelete, widgetsPath, "", "User-Agent", "cleaner/1.0")
	require.Equal(t, http.StatusOK, r.StatusCode)
	patch(asUser, `{"metadata":{"finalizers":null}}`, WriteOptions{})
	_, err := s.Patch(ctx, target("w9"), apply.ApplyPatch, []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w9"}}`), WriteOptions{FieldManager: "applier"})
	require.NoError(t, err)
	r = ask(t, s, http.MethodDelete, widgetsPath+"/w9", "", "User-Agent", "cleaner/1.0")
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Equal(t, []string{
		"2  create widgets/ default/w0 ",
		"3 ada update widgets/status default/w0 m",
		"4 ada update widgets/ default/w0 ",
		"5 system:anonymous delete widgets/ default/w0 cleaner",
		"6 ada update widgets/ default/w0 ",
		"7  create widgets/ default/w9 applier",
		"8 system:anonymous delete widgets/ default/w9 cleaner",
	}, told)
}
