package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// newWorld serves the resources in memory until the test ends.
func newWorld(t testing.TB, resources ...Resource) *Server {
	t.Helper()
	return newWorldOf(t, Config{Resources: resources})
}

// newWorldOf serves what the configuration says, in memory, until the test ends.
func newWorldOf(t testing.TB, cfg Config) *Server {
	t.Helper()
	store, err := storage.New(memory.New(), nil)
	require.NoError(t, err)
	cfg.Store, cfg.Logger = store, slog.New(slog.DiscardHandler)
	s, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Shutdown(context.Background()))
		require.NoError(t, store.Close())
	})
	return s
}

// described are the resources that these tests know, by plural.
func described() map[string]Resource {
	all := map[string]Resource{}
	for _, r := range []Resource{namespaces(), widgets(), crates(), tickets(), notes()} {
		all[r.Plural] = r
	}
	return all
}

// namespaces are held by their finalizers in spec until finalize takes those away.
func namespaces() Resource {
	return Resource{
		Plural: "namespaces", Kind: "Namespace", Versions: []Version{{Name: "v1"}},
		Verbs:        []string{"create", "delete", "get", "list", "patch", "update", "watch"},
		ValidateName: object.ValidateLabelName,
		Held: func(o object.Object) bool {
			spec, _ := o["spec"].(map[string]any)
			held, _ := spec["finalizers"].([]any)
			return len(held) > 0
		},
		BeginDelete:  func(o object.Object) { o["status"] = map[string]any{"phase": "Terminating"} },
		Subresources: []Subresource{{Name: "finalize", Verbs: []string{"update"}}},
	}
}

// widgets are namespaced and have a generation, a status, a selectable color and
// a size that must not be negative.
func widgets() Resource {
	return Resource{
		Group: "example.com", Plural: "widgets", Kind: "Widget", ShortNames: []string{"wd"}, Namespaced: true,
		Versions: []Version{{Name: "v1", Columns: []Column{
			{Name: "Color", Type: "string", Description: "What it looks like.", Value: func(o object.Object) any { return colorOf(o) }},
			{Name: "Age", Type: "date", Value: func(o object.Object) any { return o.Metadata()["creationTimestamp"] }},
		}}},
		Fields:     map[string]func(object.Object) string{"spec.color": colorOf},
		Generation: true,
		Rules: Rules{
			Prepare:  func(next, old object.Object) { keepField(next, old, "status") },
			Validate: validateWidget,
		},
		Subresources: []Subresource{{
			Name: "status", Verbs: []string{"get", "update", "patch"},
			Rules: Rules{Prepare: func(next, old object.Object) { keepField(next, old, "spec") }},
		}},
	}
}

func colorOf(o object.Object) string {
	spec, _ := o["spec"].(map[string]any)
	color, _ := spec["color"].(string)
	return color
}

// keepField gives next the field that old has, or none.
func keepField(next, old object.Object, name string) {
	delete(next, name)
	if v, ok := old[name]; ok {
		next[name] = v
	}
}

func validateWidget(next, _ object.Object) object.FieldErrors {
	spec, _ := next["spec"].(map[string]any)
	if size, _ := spec["size"].(int64); size < 0 {
		return object.FieldErrors{object.InvalidField("spec.size", size, "must not be negative")}
	}
	return nil
}

// crates have no namespace and two versions: v1, as stored, says grams as a
// number, and v1beta1 says weight as a text with a unit, if it is not negative.
func crates() Resource {
	return Resource{
		Group: "example.com", Plural: "crates", Kind: "Crate", ReturnDeleted: true,
		Versions: []Version{{Name: "v1"}, {Name: "v1beta1", FromStored: weightFromGrams, ToStored: gramsFromWeight}},
	}
}

func weightFromGrams(o object.Object) (object.Object, error) {
	if grams, ok := o["grams"].(int64); ok {
		if grams < 0 {
			return nil, object.BadRequest("a weight of %dg cannot be told", grams)
		}
		o["weight"] = fmt.Sprintf("%dg", grams)
	}
	delete(o, "grams")
	return o, nil
}

func gramsFromWeight(o object.Object) (object.Object, error) {
	text, ok := o["weight"].(string)
	if !ok {
		return o, nil
	}
	grams, err := strconv.ParseInt(strings.TrimSuffix(text, "g"), 10, 64)
	if err != nil {
		return nil, object.BadRequest("weight %q is not a number of grams", text)
	}
	delete(o, "weight")
	o["grams"] = grams
	return o, nil
}

// tickets are created by PUT, too, and an update has to name the version.
func tickets() Resource {
	return Resource{
		Group: "example.com", Plural: "tickets", Kind: "Ticket", Namespaced: true,
		Versions: []Version{{Name: "v1"}}, CreateOnUpdate: true, VersionedUpdate: true, NoDependents: true,
	}
}

// notes are gone an hour after they were last written.
func notes() Resource {
	return Resource{
		Group: "example.com", Plural: "notes", Kind: "Note", Namespaced: true,
		Versions: []Version{{Name: "v1"}}, TTL: time.Hour,
	}
}

// requireNothingLeft looks for objects of a collection in the store itself.
func requireNothingLeft(t testing.TB, s *Server, collection object.GroupResource) {
	t.Helper()
	list, err := s.config.Store.List(t.Context(), object.Key{GroupResource: collection}, storage.ListOptions{})
	require.NoError(t, err)
	require.NoError(t, list.Visit(func(key object.Key, _ *object.Encoded) bool {
		t.Errorf("%s is left", key)
		return true
	}))
}

// target names a widget, or with an empty name their collection.
func target(name string) Target {
	return Target{
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"},
		Namespace: "default", Name: name,
	}
}

// widget makes an object; pairs are names and values of its spec.
func widget(name string, pairs ...any) object.Object {
	spec := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		spec[pairs[i].(string)] = pairs[i+1]
	}
	return object.Object{"metadata": map[string]any{"name": name}, "spec": spec}
}

const widgetsPath = "/apis/example.com/v1/namespaces/default/widgets"

// fill creates n widgets w0, w1 and so on, with the text in their spec.
func fill(t testing.TB, s *Server, n int, text string) {
	t.Helper()
	for i := range n {
		_, err := s.Create(t.Context(), target(""), widget(fmt.Sprint("w", i), "text", text), WriteOptions{})
		require.NoError(t, err)
	}
}

// ask makes a request in-process. Headers are names and values in turn.
func ask(t testing.TB, s *Server, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(method, "http://server"+path, strings.NewReader(body))
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := Transport(s).RoundTrip(r)
	require.NoError(t, err)
	return answer
}

func createNamespace(t testing.TB, s *Server, name string) error {
	_, err := s.Create(t.Context(), Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		object.Object{"metadata": map[string]any{"name": name}}, WriteOptions{})
	return err
}
