package webhook_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func TestPatchIsApplied(t *testing.T) {
	s := newServer(t)
	s.answers(respondWithPatch(`[
		{"op":"test","path":"/metadata/labels/mode","value":"strict"}, {"op":"add","path":"/data/patched","value":"yes"},
		{"op":"move","from":"/data/a","path":"/data/moved"}, {"op":"add","path":"/metadata/annotations","value":{"example.com/a":"1"}}]`))
	req := creation()
	given := req.Object
	before := given.DeepCopy()
	require.NoError(t, mutate(t, req, mutating(t, remote("mend.example.com", s.at("")))))
	require.Equal(t, before, given, "the object that was given stays as it is")
	require.Equal(t, map[string]any{"patched": "yes", "moved": "b"}, req.Object["data"])
	require.Equal(t, map[string]string{"example.com/a": "1"}, req.Object.Annotations())
	require.Equal(t, false, req.Object["immutable"], "it gets its defaults")
	require.Equal(t, map[string]string{
		"mutation.webhook.admission.k8s.io/round_0_index_0": `{"configuration":"c","webhook":"mend.example.com","mutated":true}`,
	}, req.Annotations())
	require.Contains(t, req.Trace.String(), "  set data.patched\n")
	require.Contains(t, req.Trace.String(), "  webhook mend.example.com of c: changed the object\n")
}

func TestPatchThatCannotBeUsed(t *testing.T) {
	s := newServer(t)
	const failed = `Internal error occurred: failed calling webhook "mend.example.com": `
	const internal = "Internal error occurred: "
	encoded := func(fields string) func(http.ResponseWriter, asked) { return respondWith(`"allowed":true,` + fields) }
	for _, c := range []struct {
		name    string
		respond func(http.ResponseWriter, asked)
		want    string
		ignored bool // by the failure policy Ignore
	}{
		{"without a type", encoded(`"patch":"W10="`), failed + "received invalid webhook response: webhook returned response.patch but not response.patchType", true},
		{"a type without a patch", encoded(`"patchType":"JSONPatch"`), failed + "received invalid webhook response: webhook returned response.patchType but not response.patch", true},
		{"an empty type", encoded(`"patch":"W10=","patchType":""`), failed + `received invalid webhook response: webhook returned invalid response.patchType of ""`, true},
		{"another type", encoded(`"patch":"W3t9XQ==","patchType":"MergePatch"`), failed + `unsupported patch type "MergePatch"`, true},
		{"no JSON", respondWithPatch("hello"), failed + "received undecodable patch in webhook response: invalid character 'h' looking for beginning of value", true},
		{"no list", respondWithPatch("{}"), failed + "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch", true},
		{"no list of operations", respondWithPatch("[1]"), failed + "received undecodable patch in webhook response: json: cannot unmarshal number into Go value of type jsonpatch.Operation", true},
		{"what it removes is not there", respondWithPatch(`[{"op":"remove","path":"/data/nothing"}]`), internal + "error in remove for path: '/data/nothing': unable to remove nonexistent key: nothing: missing value", false},
		{"its test fails", respondWithPatch(`[{"op":"add","path":"/data/x","value":"y"},{"op":"test","path":"/data/a","value":"else"}]`), internal + "testing value /data/a failed: test failed", false},
		{"unknown operation", respondWithPatch(`[{"op":"twist","path":"/data/a","value":"x"}]`), internal + "invalid operation ", false},
		{"another kind", respondWithPatch(`[{"op":"replace","path":"/kind","value":"Secret"}]`), internal + `admission webhook "mend.example.com" attempted to make the object one of /v1, Kind=Secret`, false},
		{"nothing is left", respondWithPatch(`[{"op":"replace","path":"","value":{}}]`), internal + `admission webhook "mend.example.com" attempted to make the object one of /, Kind=`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.answers(c.respond)
			req := creation()
			before := req.Object.DeepCopy()
			err := mutate(t, req, mutating(t, remote("mend.example.com", s.at(""))))
			require.ErrorContains(t, err, c.want)
			require.ErrorIs(t, err, object.ErrInternal)
			require.Equal(t, before, req.Object)

			err = mutate(t, req, mutating(t, remote("mend.example.com", s.at(""), ignoring)))
			require.Equal(t, before, req.Object)
			if !c.ignored {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "mend.example.com", req.Annotations()["failed-open.mutation.webhook.admission.k8s.io/round_0_index_0"])
		})
	}
	for name, respond := range map[string]func(http.ResponseWriter, asked){
		"no patch": allow, "an empty patch": encoded(`"patch":"","patchType":null`), "an empty list": respondWithPatch("[]"),
		"null": respondWithPatch("null"), "a test that holds": respondWithPatch(`[{"op":"test","path":"/data/a","value":"b"},{"op":"add","path":"/immutable","value":false},{"op":"remove","path":"/immutable"}]`),
	} {
		t.Run(name, func(t *testing.T) {
			s.answers(respond)
			req := creation()
			req.Object["immutable"] = false
			before := req.Object.DeepCopy()
			require.NoError(t, mutate(t, req, mutating(t, remote("mend.example.com", s.at("")))))
			require.Equal(t, before, req.Object)
		})
	}
}

func TestPatchOfNothing(t *testing.T) {
	s := newServer(t)
	s.answers(respondWithPatch(`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`))
	change := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		r.Object = object.Object{"kind": "ConfigMap"}
		return webhook.Allow(), nil
	}
	for _, h := range []webhook.Hook{remote("mend.example.com", s.at("")), function("mend.example.com", change)} {
		err := mutate(t, deletion(), mutating(t, h))
		require.EqualError(t, err, `Internal error occurred: admission webhook "mend.example.com" attempted to modify the object, which is not supported for this operation`)
	}
	s.answers(respondWith(`"allowed":true,"patchType":"MergePatch","patch":"W3t9XQ=="`))
	require.ErrorContains(t, mutate(t, deletion(), mutating(t, remote("mend.example.com", s.at(""), ignoring))), "attempted to modify the object", "of whichever type the patch is")
	s.answers(respondWithPatch(`[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]`))
	err := mutate(t, creation(), webhook.NewMutating(webhook.Config{Clients: configOf(t).Clients}, configuration(t, "c", remote("mend.example.com", s.at("")))))
	require.ErrorContains(t, err, "patches of webhooks cannot be applied here")
	s.answers(respondWith(`"status":{"message":"not this","code":418},"patchType":"MergePatch","patch":"e30="`))
	err = mutate(t, deletion(), mutating(t, remote("mend.example.com", s.at(""), ignoring)))
	require.EqualError(t, err, `admission webhook "mend.example.com" denied the request: not this`, "a no needs no patch")
}

func TestDryRunReachesWebhooks(t *testing.T) {
	s := newServer(t)
	onlyDry := func(h *webhook.Hook) { h.SideEffects = "NoneOnDryRun" }
	req := creation()
	req.DryRun = true
	require.NoError(t, mutate(t, req, mutating(t, remote("a.example.com", s.at("")), remote("b.example.com", s.at(""), onlyDry))))
	seen := s.seen()
	require.Len(t, seen, 2)
	for _, a := range seen {
		require.Equal(t, true, a.request["dryRun"])
	}
	_, err := webhook.New("c", remote("a.example.com", s.at(""), func(h *webhook.Hook) { h.SideEffects = "Some" }))
	require.EqualError(t, err, `webhooks c: webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"`)
}

// diary writes down who was called, and lets some change the object.
type diary struct {
	calls   []string
	changes string // "who times": how often each changes something
	left    map[string]int
}

func (d *diary) hook(name string, change ...func(h *webhook.Hook)) webhook.Hook {
	return function(name+".example.com", func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		d.calls = append(d.calls, name)
		if d.left[name] < strings.Count(d.changes, name) {
			made, _ := r.Object["made"].(string)
			r.Object["made"] = made + name
		}
		d.left[name]++
		return webhook.Allow(), nil
	}, change...)
}

func (d *diary) run(t *testing.T, changes string, stages ...admission.Mutator) string {
	d.calls, d.changes, d.left = nil, changes, map[string]int{}
	require.NoError(t, mutate(t, creation(), stages...))
	return strings.Join(d.calls, "")
}

func TestWebhooksThatMutateAreAskedInOrderAndAgainIfNeeded(t *testing.T) {
	var d diary
	// In the configuration a: z and m want to be asked again, n doesn't; b has l alone.
	a := configuration(t, "a", d.hook("z", again), d.hook("n"), d.hook("m", again))
	b := configuration(t, "b", d.hook("l"))
	stage := webhook.NewMutating(configOf(t), b, a)
	for _, c := range []struct{ name, changes, calls string }{
		{"nobody changes anything", "", "znml"},
		{"the last does", "l", "znmlzm"},
		{"the first does", "z", "znml"},
		{"the third does", "m", "znmlz"},
		{"what changes while others are asked again is seen by those behind only", "lz", "znmlzm"},
		{"all of them do", "znml", "znmlzm"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.calls, d.run(t, c.changes, stage)) })
	}
	other := admission.Once(admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		req.Object["other"] = true
		return nil
	}))
	require.Equal(t, "znmlzm", d.run(t, "", stage, other), "another stage does")
	require.Equal(t, "znml", d.run(t, "", other, stage), "another stage did before")
}

func TestWebhookSeesWhatThoseBeforeItMade(t *testing.T) {
	s := newServer(t)
	s.answers(respondWithPatch(`[{"op":"add","path":"/metadata/labels/mode","value":"loose"}]`))
	var seen []string
	look := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		seen = append(seen, r.Object.Labels()["mode"])
		return webhook.Answer{Allowed: true, Patch: []byte(`[{"op":"add","path":"/data/b","value":"c"}]`)}, nil
	}
	selects := func(mode string) func(h *webhook.Hook) {
		return func(h *webhook.Hook) {
			h.ObjectSelector = &object.LabelSelectorSpec{MatchLabels: map[string]string{"mode": mode}}
		}
	}
	req := creation()
	require.NoError(t, mutate(t, req, mutating(t,
		function("a.example.com", look, selects("strict")), remote("b.example.com", s.at("")),
		function("c.example.com", look, selects("strict")), function("d.example.com", look, selects("loose")))))
	require.Equal(t, []string{"strict", "loose"}, seen)
	require.Equal(t, map[string]any{"a": "b", "b": "c"}, req.Object["data"])
	require.Equal(t, map[string]any{"a": "b", "b": "c"}, s.seen()[0].request["object"].(map[string]any)["data"])
}

func TestFirstErrorEndsIt(t *testing.T) {
	var d diary
	deny := function("b.example.com", func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		r.Object["lost"] = true
		return webhook.Deny("not %s", "today"), nil
	})
	broken := function("b.example.com", func(context.Context, *webhook.Review) (webhook.Answer, error) {
		return webhook.Answer{}, errors.New("out of order")
	})
	for want, h := range map[string]webhook.Hook{
		`admission webhook "b.example.com" denied the request: not today`:                                       deny,
		`Internal error occurred: failed calling webhook "b.example.com": failed to call webhook: out of order`: broken,
	} {
		d = diary{left: map[string]int{}}
		req := creation()
		require.EqualError(t, mutate(t, req, mutating(t, d.hook("a"), h, d.hook("c"))), want)
		require.Equal(t, []string{"a"}, d.calls)
		require.NotContains(t, req.Object, "lost")
	}
}

func TestRulesOfPoliciesHaveNoPlaceInWebhooks(t *testing.T) {
	document := object.Object{
		"kind": "ValidatingWebhookConfiguration", "metadata": map[string]any{"name": "c"},
		"webhooks": []any{map[string]any{
			"name": "a.example.com", "clientConfig": map[string]any{"url": "https://127.0.0.1:1"}, "sideEffects": "None",
			"admissionReviewVersions": []any{"v1"}, "timeoutSeconds": int64(1),
			"rules": []any{map[string]any{
				"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"configmaps"}, "resourceNames": []any{"other"},
			}},
		}},
	}
	var compiler webhook.Compiler
	c, errs := compiler.CompileValidating(document)
	require.Empty(t, errs)
	require.Equal(t, "c", c.Name())
	require.ErrorContains(t, validate(t, webhook.NewValidating(configOf(t), c), creation()), "failed calling webhook")

	document["webhooks"] = "none"
	_, errs = compiler.CompileMutating(document)
	require.Len(t, errs, 1)
	require.Equal(t, "webhooks", errs[0].Field)
}

func TestHookIsAddressOrFunction(t *testing.T) {
	call := func(context.Context, *webhook.Review) (webhook.Answer, error) { return webhook.Allow(), nil }
	both := function("a.example.com", call)
	both.ClientConfig.URL = text("https://127.0.0.1")
	_, err := webhook.New("c", both)
	require.EqualError(t, err, "webhooks c: webhooks[0].clientConfig: Forbidden: may not be set beside a function")
	_, err = webhook.New("c", webhook.Hook{Name: "a.example.com", Rules: []match.Rule{match.For("*").Of("", "pods")}})
	require.ErrorContains(t, err, "webhooks[0].clientConfig: Required value: exactly one of url or service is required")
}
