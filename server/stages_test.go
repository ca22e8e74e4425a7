package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// mutating has a server call one function on everything that is written.
func mutating(s *Server, f func(req *admission.Request)) {
	s.Admit(admission.Chain{Mutators: []admission.Mutator{admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		if req.Object != nil {
			f(req)
		}
		return nil
	})}})
}

func TestWhatMutatorsLeaveIsReadLikeADocument(t *testing.T) {
	spec := func(value any) func(*admission.Request) {
		return func(req *admission.Request) { req.Object["spec"] = value }
	}
	for _, c := range []struct {
		name    string
		mutator func(*admission.Request)
		spec    any    // that is stored
		err     string // if it is not
	}{
		{name: "numbers of Go", mutator: spec(map[string]any{"size": 5}), spec: map[string]any{"size": int64(5)}},
		{name: "lists of Go", mutator: spec(map[string]any{"all": []string{"a"}}), spec: map[string]any{"all": []any{"a"}}},
		{name: "structs", mutator: spec(struct{ Color string }{"red"}), spec: map[string]any{"Color": "red"}},
		{name: "objects", mutator: spec(object.Object{"color": "red"}), spec: map[string]any{"color": "red"}},
		{name: "numbers that rules refuse", mutator: spec(map[string]any{"size": -5}), err: "spec.size: Invalid value: -5: must not be negative"},
		{name: "no number", mutator: spec(map[string]any{"size": math.NaN()}), err: "mutating admission left what is no JSON"},
		{name: "a channel", mutator: spec(make(chan int)), err: "mutating admission left what is no JSON"},
		{name: "nothing", mutator: func(req *admission.Request) { req.Object = nil }, err: "mutating admission left no object"},
		{name: "another kind", mutator: func(req *admission.Request) { req.Object["kind"] = "Other" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newWorld(t, widgets())
			mutating(s, c.mutator)
			o, err := s.Create(t.Context(), target(""), object.Object{"metadata": map[string]any{"name": "a"}}, WriteOptions{})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.spec, o["spec"])
			require.Equal(t, "Widget", o.Kind())
		})
	}
}

// outcomes has a server write down what becomes of what it admits.
func outcomes(s *Server) *[]bool {
	var all []bool
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		req.Finally(func(happened bool) { all = append(all, happened) })
		return nil
	})}})
	return &all
}

func TestValidatorsLearnWhatBecameOfAWrite(t *testing.T) {
	s := newWorld(t, widgets())
	got := outcomes(s)
	var refusal error
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(context.Context, *admission.Request) error { return refusal })}})
	ctx := t.Context()
	write := func() (errs []error) {
		_, err := s.Create(ctx, target(""), widget("a"), WriteOptions{})
		_, err2 := s.Update(ctx, target("a"), widget("a", "size", int64(1)), WriteOptions{})
		_, _, err3 := s.Delete(ctx, target("a"), gc.DeleteOptions{})
		return []error{err, err2, err3}
	}
	require.Equal(t, []error{nil, nil, nil}, write())
	require.Equal(t, []bool{true, true, true}, *got)

	require.NoError(t, createWidget(t, s, "a"))
	*got, refusal = nil, errors.New("no")
	for _, err := range write() {
		require.ErrorIs(t, err, object.ErrForbidden)
	}
	require.Equal(t, []bool{false, false, false}, *got)
}

func TestPanicOfAStageIsOneOfTheProgramAndAnErrorOverHTTP(t *testing.T) {
	s := newWorld(t, widgets())
	got := outcomes(s)
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		if req.Object.Name() == "bomb" || req.OldObject.Name() == "bomb" {
			panic("the stage")
		}
		return nil
	})}})
	require.PanicsWithValue(t, "the stage", func() { _ = createWidget(t, s, "bomb") })
	answer := ask(t, s, http.MethodPost, widgetsPath, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"bomb"}}`)
	require.Equal(t, http.StatusInternalServerError, answer.StatusCode)
	require.Equal(t, "Internal error occurred: panic while serving: the stage", statusIn(t, answer.Body).Message)
	require.Equal(t, []bool{false, false}, *got, "nothing happened")
	require.NoError(t, createWidget(t, s, "a"), "nobody is kept waiting")
}

func TestKindsOfAdmissionThatAreServedLaterAreInForce(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets())...)
	registerPolicy(t, s, "p", `"validations":[{"expression":"false"}]`, "")
	denied := func() bool { return object.IsInvalid(createWidget(t, s, fmt.Sprint("w", s.config.Store.Version()))) }
	require.True(t, denied())
	kinds := AdmissionKinds()[:2]
	for _, kind := range kinds {
		s.Remove(object.GroupResource{Group: kind.Group, Resource: kind.Plural})
	}
	require.False(t, denied())
	require.NoError(t, s.Add(kinds...))
	require.True(t, denied())
}

func TestPoliciesCountForWritesThatAShutdownLeaves(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets())...)
	require.NoError(t, createWidget(t, s, "a"))
	require.NoError(t, s.Shutdown(context.Background()))
	registerPolicy(t, s, "p", `"validations":[{"expression":"false"}]`, "")
	require.ErrorIs(t, createWidget(t, s, "b"), object.ErrInvalid)
}

func TestMutationsOfFreeDocumentsBuildOnOneAnother(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets())...)
	register(t, s, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", "p", `"spec":{"policyName":"p"}`)
	const patch = `{"patchType":"JSONPatch","jsonPatch":{"expression":"[JSONPatch{op: 'add', path: '/metadata/%s', value: %s}]"}}`
	register(t, s, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", "p", `"spec":{"reinvocationPolicy":"Never",
		"matchConstraints":{"resourceRules":[{"apiGroups":["example.com"],"apiVersions":["*"],"operations":["CREATE"],"resources":["widgets"]}]},
		"mutations":[`+fmt.Sprintf(patch, "labels", "{}")+","+fmt.Sprintf(patch, "labels/a", "'b'")+","+fmt.Sprintf(patch, "annotations", "{}")+`]}`)
	o, err := s.Create(t.Context(), target(""), object.Object{"metadata": map[string]any{"name": "a"}}, WriteOptions{})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "b"}, o.Labels())
	require.NotContains(t, o.Metadata(), "annotations", "what stays empty is not stored")
}

func TestValidatorsKnowEachNameThatIsMade(t *testing.T) {
	s := newWorld(t, widgets())
	var names []string
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		require.Equal(t, req.Object.Name(), req.Name)
		if names = append(names, req.Name); len(names) < 3 {
			return object.AlreadyExists(req.Resource.GroupResource(), req.Name) // as if it were taken
		}
		return nil
	})}})
	o, err := s.Create(t.Context(), target(""), object.Object{"metadata": map[string]any{"generateName": "g-"}}, WriteOptions{})
	require.NoError(t, err)
	require.Len(t, names, 3)
	require.Equal(t, names[2], o.Name())
	require.NotEqual(t, names[0], names[2])
}

// TestPoliciesForNamespacesThatCannotBeReadCount: one whose labels nobody knows is not taken for
// one without any.
func TestPoliciesForNamespacesThatCannotBeReadCount(t *testing.T) {
	s := newWorld(t, append(AdmissionKinds(), widgets(), namespaces())...)
	require.NoError(t, createNamespace(t, s, "default"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	mutating(s, func(*admission.Request) { cancel() })
	asked := false
	s.Admit(admission.Chain{Validators: []admission.Validator{admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
		asked = true
		require.Nil(t, req.NamespaceObject())
		return nil
	})}})
	_, err := s.Create(ctx, target(""), widget("a"), WriteOptions{})
	require.True(t, asked)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "reading namespace default")
}

func TestScaleOfAnObjectWithoutReplicasIsReviewed(t *testing.T) {
	s := newWorldOf(t, Config{CustomResources: &CustomResources{}})
	define(t, s, strings.Replace(gears("ex.org", `"replicas":{"type":"integer"}`), `"schema":`,
		`"subresources":{"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},"schema":`, 1))
	require.Equal(t, http.StatusCreated, requestOf(t, s, http.MethodPost, gearsPath, `{"apiVersion":"ex.org/v1","kind":"Gear","metadata":{"name":"a"}}`).Code)
	var seen []string
	note := func(_ context.Context, req *admission.Request) error {
		is, _ := req.Object.Field("spec", "replicas")
		was, _ := req.OldObject.Field("spec", "replicas")
		seen = append(seen, fmt.Sprint(req.Kind.Kind, " ", was, " ", is))
		return nil
	}
	s.Admit(admission.Chain{
		Mutators:   []admission.Mutator{admission.Once(admission.MutatorFunc(note))},
		Validators: []admission.Validator{admission.ValidatorFunc(note)},
	})
	answer := requestOf(t, s, http.MethodPatch, gearsPath+"/a/scale", `{"spec":{"replicas":2}}`)
	require.Equal(t, http.StatusOK, answer.Code, "%s", answer.Body)
	require.Equal(t, []string{"Scale -2147483648 2", "Scale <nil> 2"}, seen, "as the API shows that there were none")
}

func TestPatchesOfWebhooksAreReadAsTheTypeOfTheObject(t *testing.T) {
	patcher := admissionPatcher{Server: newWorld(t, bombs())}
	bomb := object.Object{"apiVersion": "example.com/v1", "kind": "Bomb", "metadata": map[string]any{"name": "a"}}
	o, err := patcher.JSONPatch(t.Context(), bomb, []byte(`[{"op":"remove","path":"/kind"},{"op":"remove","path":"/apiVersion"}]`))
	require.NoError(t, err)
	require.Equal(t, bomb, o)
	_, err = patcher.JSONPatch(t.Context(), bomb, []byte(`[{"op":"replace","path":"/kind","value":"Cake"}]`))
	require.EqualError(t, err, "a patch made example.com/v1, Kind=Cake of example.com/v1, Kind=Bomb")
	patcher.strict = true
	_, err = patcher.JSONPatch(t.Context(), bomb, []byte(`[{"op":"replace","path":"/kind","value":"Cake"}]`))
	require.ErrorIs(t, err, object.ErrInternal)
}
