package admission_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func podRequest(name string) *admission.Request {
	return &admission.Request{
		Operation: admission.Create,
		Resource:  object.GroupVersionResource{Version: "v1", Resource: "pods"},
		Kind:      object.GroupVersionKind{Version: "v1", Kind: "Pod"},
		Name:      name, Namespace: "ns",
		Object: object.Object{"metadata": map[string]any{"name": name}},
	}
}

// journal makes stages that write down that they were called.
type journal struct{ calls []string }

// sets is a mutator that gives a field a value.
func (j *journal) sets(field, value string) admission.Mutator {
	return admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		j.calls = append(j.calls, field)
		req.Object[field] = value
		return nil
	})
}

// copies is a mutator that gives a field the value of another, if that has one.
func (j *journal) copies(to, from string) admission.Mutator {
	return admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		j.calls = append(j.calls, to)
		if v, ok := req.Object[from]; ok {
			req.Object[to] = v
		}
		return nil
	})
}

func (j *journal) fails(name string, err error) admission.Mutator {
	return admission.MutatorFunc(func(context.Context, *admission.Request) error {
		j.calls = append(j.calls, name)
		return err
	})
}

func TestMutatedTellsWhetherAnythingChanged(t *testing.T) {
	j := &journal{}
	idle, busy := j.copies("a", "none"), j.sets("a", "1")
	for name, c := range map[string]struct {
		mutators []admission.Mutator
		mutated  bool
	}{
		"none":                       {nil, false},
		"one alone may have":         {[]admission.Mutator{idle}, true},
		"several that did nothing":   {[]admission.Mutator{idle, idle}, false},
		"several of which one did":   {[]admission.Mutator{busy, idle}, true},
		"several of which one fails": {[]admission.Mutator{idle, j.fails("b", errors.New("no"))}, true},
	} {
		t.Run(name, func(t *testing.T) {
			req := podRequest("p")
			_ = (&admission.Chain{Mutators: c.mutators}).Mutate(t.Context(), req)
			require.Equal(t, c.mutated, req.Mutated())
		})
	}
}

func TestMutatorsBeforeAChangeAreCalledAgain(t *testing.T) {
	for _, c := range []struct {
		name     string
		mutators func(j *journal) []admission.Mutator
		calls    string
	}{
		{"none", func(*journal) []admission.Mutator { return nil }, ""},
		{"one alone is called once", func(j *journal) []admission.Mutator { return []admission.Mutator{j.sets("a", "1")} }, "a"},
		{"the first to change has nobody before it", func(j *journal) []admission.Mutator {
			return []admission.Mutator{j.sets("a", "1"), j.copies("b", "none")}
		}, "a b"},
		{"all before the last change see it", func(j *journal) []admission.Mutator {
			return []admission.Mutator{j.copies("a", "c"), j.copies("b", "a"), j.sets("c", "1"), j.copies("d", "none")}
		}, "a b c d a b"},
		{"what is wanted once only is not called again", func(j *journal) []admission.Mutator {
			return []admission.Mutator{admission.Once(j.copies("a", "c")), j.copies("b", "c"), j.sets("c", "1")}
		}, "a b c b"},
		{"nobody is called a third time", func(j *journal) []admission.Mutator {
			return []admission.Mutator{j.copies("a", "b"), j.copies("b", "c"), j.sets("c", "1")}
		}, "a b c a b"},
		{"an error ends it", func(j *journal) []admission.Mutator {
			return []admission.Mutator{j.sets("a", "1"), j.fails("b", errors.New("no")), j.sets("c", "1")}
		}, "a b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var j journal
			chain := admission.Chain{Mutators: c.mutators(&j)}
			_ = chain.Run(context.Background(), podRequest("web"))
			require.Equal(t, c.calls, strings.Join(j.calls, " "))
		})
	}
}

func TestMutatorMayReplaceTheObject(t *testing.T) {
	replace := admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		req.Object = object.Object{"new": true}
		return nil
	})
	var j journal
	chain := admission.Chain{Mutators: []admission.Mutator{j.copies("copy", "new"), replace}}
	req := podRequest("web")
	require.NoError(t, chain.Run(context.Background(), req))
	require.Equal(t, object.Object{"new": true, "copy": true}, req.Object)
}

func TestValidatorsRunAfterMutatorsUntilOneRefuses(t *testing.T) {
	var j journal
	validator := func(name string, err error) admission.Validator {
		return admission.ValidatorFunc(func(_ context.Context, req *admission.Request) error {
			j.calls = append(j.calls, name+"="+req.Object["a"].(string))
			return err
		})
	}
	chain := admission.Chain{
		Mutators:   []admission.Mutator{j.sets("a", "1")},
		Validators: []admission.Validator{validator("v", nil), validator("w", errors.New("no")), validator("x", nil)},
	}
	err := chain.Run(context.Background(), podRequest("web"))
	require.EqualError(t, err, `pods "web" is forbidden: no`)
	require.Equal(t, []string{"a", "v=1", "w=1"}, j.calls)
}

func TestRefusalsAreErrorsOfTheAPI(t *testing.T) {
	generated := podRequest("")
	generated.Object = object.Object{"metadata": map[string]any{"generateName": "web-"}}
	deletion := podRequest("")
	deletion.Object = nil
	cause := errors.New("it is late")
	for _, c := range []struct {
		name    string
		req     *admission.Request
		err     error
		message string
		reason  object.Reason
	}{
		{"a plain error forbids", podRequest("web"), cause, `pods "web" is forbidden: it is late`, object.ErrForbidden},
		{"the name may be generated later", generated, cause, `pods "web-" is forbidden: it is late`, object.ErrForbidden},
		{"the name may be unknown", deletion, cause, `pods "Unknown" is forbidden: it is late`, object.ErrForbidden},
		{"an error of the API stays", podRequest("web"), fmt.Errorf("asking: %w", object.BadRequest("what?")), "what?", object.ErrBadRequest},
		{"the end of the context is no refusal", podRequest("web"), context.Canceled, "context canceled", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := admission.Chain{Validators: []admission.Validator{
				admission.ValidatorFunc(func(context.Context, *admission.Request) error { return c.err }),
			}}
			err := chain.Run(context.Background(), c.req)
			require.ErrorIs(t, err, c.err)
			status := object.AsStatus(err)
			require.Equal(t, c.message, status.Message)
			require.Equal(t, c.reason, status.Reason)
		})
	}
}

func copyBToA(_ context.Context, req *admission.Request) error {
	if v, ok := req.Object["b"]; ok {
		req.Object["a"] = v
	}
	return nil
}

func refuse(_ context.Context, req *admission.Request) error {
	req.Warn("soon")
	req.Note("looked at %s", req.Name)
	return errors.New("no")
}

func TestTraceTellsWhatEachStageDid(t *testing.T) {
	var j journal
	chain := admission.Chain{
		Mutators:   []admission.Mutator{admission.MutatorFunc(copyBToA), admission.Once(named{j.sets("b", "1")})},
		Validators: []admission.Validator{admission.ValidatorFunc(refuse)},
	}
	req := podRequest("web")
	req.Note("nobody listens")
	req.Trace = &admission.Trace{}
	require.Error(t, chain.Run(context.Background(), req))
	require.Equal(t, `admission_test.copyBToA: changed nothing
setter: changed the object
  set b
admission_test.copyBToA again: changed the object
  set a
admission_test.refuse: refused: pods "web" is forbidden: no
  looked at web
  warning: soon
`, req.Trace.String())
}

type named struct{ admission.Mutator }

func (named) Name() string { return "setter" }
