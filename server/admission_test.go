package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// witness is a stage that writes down what it is asked, and changes nothing.
type witness struct {
	mu   sync.Mutex
	seen []string
}

func (w *witness) chain() admission.Chain {
	return admission.Chain{
		Mutators:   []admission.Mutator{admission.Once(admission.MutatorFunc(w.note("mutate")))},
		Validators: []admission.Validator{admission.ValidatorFunc(w.note("validate"))},
	}
}

func (w *witness) note(what string) func(context.Context, *admission.Request) error {
	return func(_ context.Context, req *admission.Request) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		resource := req.Resource.Resource
		if req.Subresource != "" {
			resource += "/" + req.Subresource
		}
		w.seen = append(w.seen, fmt.Sprintf("%s %s %s %s/%s object=%t old=%t dry=%t %v",
			what, req.Operation, resource, req.Namespace, req.Name, req.Object != nil, req.OldObject != nil, req.DryRun, req.Options["kind"]))
		return nil
	}
}

func (w *witness) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() { w.seen = nil }()
	return strings.Join(w.seen, "\n")
}

func TestEveryWriteIsReviewed(t *testing.T) {
	s := newWorld(t, namespaces(), widgets(), tickets())
	var w witness
	s.Admit(w.chain())
	both := func(rest string) string { return "mutate " + rest + "\nvalidate " + rest }
	ctx := t.Context()

	_, err := s.Create(ctx, Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}},
		object.Object{"metadata": map[string]any{"name": "default"}}, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("CREATE namespaces default/default object=true old=false dry=false CreateOptions"), w.take())

	_, err = s.Create(ctx, target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("CREATE widgets default/a object=true old=false dry=false CreateOptions"), w.take())

	_, err = s.Create(ctx, target(""), object.Object{"metadata": map[string]any{"generateName": "g-"}}, WriteOptions{DryRun: []string{"All"}})
	require.NoError(t, err)
	lines := strings.Split(w.take(), "\n")
	require.Equal(t, "mutate CREATE widgets default/ object=true old=false dry=true CreateOptions", lines[0])
	require.Regexp(t, "^validate CREATE widgets default/g-.+ object=true", lines[1], "validators know the name that was made")

	_, err = s.Update(ctx, target("a"), widget("a", "size", int64(1)), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("UPDATE widgets default/a object=true old=true dry=false UpdateOptions"), w.take())

	_, err = s.Patch(ctx, target("a"), apply.MergePatch, []byte(`{"spec":{"size":2}}`), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("UPDATE widgets default/a object=true old=true dry=false UpdateOptions"), w.take())

	_, err = s.Patch(ctx, target("b"), apply.ApplyPatch, []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"b"}}`), WriteOptions{FieldManager: "m"})
	require.NoError(t, err)
	require.Equal(t, both("CREATE widgets default/b object=true old=false dry=false CreateOptions"), w.take())

	status := target("a")
	status.Subresource = "status"
	_, err = s.Patch(ctx, status, apply.MergePatch, []byte(`{"status":{"ready":true}}`), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("UPDATE widgets/status default/a object=true old=true dry=false UpdateOptions"), w.take())

	ticket := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "tickets"}, Namespace: "default", Name: "t"}
	_, err = s.Update(ctx, ticket, object.Object{"metadata": map[string]any{"name": "t"}}, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("CREATE tickets default/t object=true old=false dry=false CreateOptions"), w.take())

	_, _, err = s.Delete(ctx, target("a"), gc.DeleteOptions{})
	require.NoError(t, err)
	require.Equal(t, both("DELETE widgets default/a object=false old=true dry=false DeleteOptions"), w.take())

	require.NoError(t, s.DeleteCollection(ctx, target(""), ListOptions{}, gc.DeleteOptions{}))
	require.Equal(t, both("DELETE widgets default/ object=false old=true dry=false DeleteOptions"), w.take())

	_, err = s.Get(ctx, ticket)
	require.NoError(t, err)
	require.Empty(t, w.take(), "reads are not reviewed")
}

func TestMutatorsComeBeforeTheKindAndValidatorsAfterIt(t *testing.T) {
	s := newWorld(t, widgets())
	s.Admit(admission.Chain{
		Mutators: []admission.Mutator{admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
			require.Empty(t, req.Object.UID())
			if req.Object.Name() == "negative" {
				req.Object["spec"] = map[string]any{"size": int64(-1)}
			}
			req.Object.SetLabels(map[string]string{"by": "mutator"})
			return nil
		})},
		Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
			require.NotEmpty(t, req.Object.UID())
			require.Equal(t, int64(1), req.Object.Generation())
			if req.Object.Name() == "unwanted" {
				return errors.New("nobody wants it")
			}
			return nil
		})},
	})
	o, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"by": "mutator"}, o.Labels())

	_, err = s.Create(t.Context(), target(""), widget("negative"), WriteOptions{})
	require.ErrorIs(t, err, object.ErrInvalid, "the kind's rules see what mutators made")
	_, err = s.Create(t.Context(), target(""), widget("unwanted"), WriteOptions{})
	require.EqualError(t, err, `widgets.example.com "unwanted" is forbidden: nobody wants it`)
	_, err = s.Get(t.Context(), target("unwanted"))
	require.True(t, object.IsNotFound(err))
}

func TestWhatMutatorsMayNotChange(t *testing.T) {
	s := newWorld(t, widgets())
	s.Admit(admission.Chain{Mutators: []admission.Mutator{admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		metadata := req.Object.Metadata()
		switch req.Object.Labels()["do"] {
		case "move":
			metadata["namespace"] = "elsewhere"
		case "rename":
			metadata["name"] = "other"
		case "date":
			metadata["resourceVersion"] = "77"
		case "disown":
			metadata["managedFields"] = []any{map[string]any{"manager": "nobody"}}
		}
		return nil
	})}})
	labelled := func(name, do string) object.Object {
		o := widget(name)
		o.SetLabels(map[string]string{"do": do})
		return o
	}
	_, err := s.Create(t.Context(), target(""), labelled("a", "move"), WriteOptions{})
	require.ErrorContains(t, err, "the namespace of the provided object does not match the namespace sent on the request")
	o, err := s.Create(t.Context(), target(""), labelled("a", "rename"), WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, "other", o.Name(), "a new object may get another name")
	_, err = s.Update(t.Context(), target("other"), labelled("other", "move"), WriteOptions{})
	require.ErrorIs(t, err, object.ErrBadRequest)

	applied := func(name, do string) (object.Object, error) {
		return s.Patch(t.Context(), target(name), apply.ApplyPatch, object.AppendJSON(nil, object.Object{
			"apiVersion": "example.com/v1", "kind": "Widget",
			"metadata": map[string]any{"name": name, "labels": map[string]any{"do": do}},
		}), WriteOptions{FieldManager: "m"})
	}
	_, err = applied("applied", "rename")
	require.EqualError(t, err, "the name of the object (other) does not match the name on the URL (applied)")
	o, err = applied("applied", "date")
	require.NoError(t, err, "the version of an object that an apply creates does not count")
	require.Equal(t, "applied", o.Name())

	r := ask(t, s, http.MethodPost, widgetsPath, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"c","labels":{"do":"disown"}}}`)
	require.Equal(t, http.StatusCreated, r.StatusCode)
	require.Contains(t, r.Header.Get("Warning"), ".metadata.managedFields was in an invalid state after admission")
	o, err = s.Get(t.Context(), target("c"))
	require.NoError(t, err)
	require.NoError(t, apply.CheckOwners(o))
	require.NotEmpty(t, o.Metadata()["managedFields"])
}

func TestWarningsAndAnnotationsOfStagesReachTheirReaders(t *testing.T) {
	var mu sync.Mutex
	var audited []string
	s := newWorldOf(t, Config{Resources: []Resource{widgets()}, Audit: func(_ context.Context, about Attributes, annotations map[string]string) {
		mu.Lock()
		defer mu.Unlock()
		audited = append(audited, fmt.Sprint(about.Verb, " ", about.Resource, " ", about.Name, " ", annotations))
	}})
	fill(t, s, 3, "")
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		req.Warn("careful with " + req.OldObject.Name() + req.Object.Name())
		req.Annotate("example.com/seen", "yes")
		if req.Object.Name() == "refused" {
			return errors.New("no")
		}
		return nil
	})}})
	r := ask(t, s, http.MethodPost, widgetsPath, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"refused"}}`)
	require.Equal(t, http.StatusForbidden, r.StatusCode)
	require.Equal(t, []string{`299 - "careful with refused"`}, r.Header.Values("Warning"))
	r = ask(t, s, http.MethodDelete, widgetsPath, "")
	require.Equal(t, http.StatusOK, r.StatusCode)
	require.Equal(t, []string{`299 - "careful with w0"`, `299 - "careful with w1"`, `299 - "careful with w2"`}, r.Header.Values("Warning"))
	require.Len(t, audited, 4)
	require.Equal(t, "create widgets refused map[example.com/seen:yes]", audited[0])
}

func paintRed(_ context.Context, req *admission.Request) error {
	req.Object["spec"].(map[string]any)["color"] = "red"
	return nil
}

func refuseRed(_ context.Context, req *admission.Request) error {
	req.Warn("it is\nred")
	return errors.New("no red ones")
}

func TestExplainTellsWhatEachStageDid(t *testing.T) {
	s := newWorldOf(t, Config{Resources: []Resource{widgets()}})
	s.Admit(admission.Chain{
		Mutators:   []admission.Mutator{admission.MutatorFunc(paintRed)},
		Validators: []admission.Validator{admission.ValidatorFunc(refuseRed)},
	})
	const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"},"spec":{},"status":{}}`
	r := ask(t, s, http.MethodPost, widgetsPath, body, "Plinth-Explain", "1")
	require.Equal(t, http.StatusForbidden, r.StatusCode)
	require.Equal(t, []string{
		"decode: changed nothing",
		"server.paintRed: changed the object", "  set spec.color",
		"prepare: changed the object", "  set metadata.creationTimestamp", "  set metadata.generation", "  set metadata.uid", "  removed status",
		`server.refuseRed: refused: widgets.example.com "a" is forbidden: no red ones`, "  warning: it is red",
	}, r.Header.Values("Plinth-Trace"))
	require.Empty(t, ask(t, s, http.MethodPost, widgetsPath, body).Header.Values("Plinth-Trace"), "nobody asked")

	var trace admission.Trace
	_, err := s.Create(admission.WithTrace(t.Context(), &trace), target(""), widget("b", "size", int64(-1)), WriteOptions{})
	require.Error(t, err)
	require.Contains(t, trace.String(), "validate: refused: Widget.example.com \"b\" is invalid: spec.size")
}

func TestAnAlreadyExistsOfAStageIsNoLostRace(t *testing.T) {
	s := newWorld(t, widgets())
	asked := 0
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		asked++
		return object.AlreadyExists(req.Resource.GroupResource(), "another")
	})}})
	_, err := s.Patch(t.Context(), target("a"), apply.ApplyPatch,
		[]byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}}`), WriteOptions{FieldManager: "m"})
	require.EqualError(t, err, `widgets.example.com "another" already exists`)
	require.Equal(t, 1, asked)
}

func TestStagesSeeWhichNamespaceIsToBeDeleted(t *testing.T) {
	s := newWorld(t, namespaces())
	require.NoError(t, createNamespace(t, s, "a"))
	var got, want any
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		got, want = req.Options["preconditions"], map[string]any{"uid": req.OldObject.UID()}
		return nil
	})}})
	_, _, err := s.Delete(t.Context(), Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "namespaces"}, Name: "a"}, gc.DeleteOptions{})
	require.NoError(t, err)
	require.Equal(t, want, got)
}
