package webhook_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
)

// slow answers after a time, or when its context ends.
func slow(d time.Duration) webhook.Func {
	return func(ctx context.Context, _ *webhook.Review) (webhook.Answer, error) {
		select {
		case <-time.After(d):
			return webhook.Allow(), nil
		case <-ctx.Done():
			return webhook.Answer{}, ctx.Err()
		}
	}
}

// stubborn answers after a time, whatever its context says.
func stubborn(d time.Duration) webhook.Func {
	return func(context.Context, *webhook.Review) (webhook.Answer, error) {
		time.Sleep(d)
		return webhook.Allow(), nil
	}
}

func TestFunctionHasATimeout(t *testing.T) {
	of := func(n int32) func(h *webhook.Hook) { return func(h *webhook.Hook) { h.TimeoutSeconds = &n } }
	const late = `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: context deadline exceeded`
	for _, c := range []struct {
		name string
		hook webhook.Hook
		took time.Duration
		want string
	}{
		{"in time", function("a.example.com", slow(9*time.Second)), 9 * time.Second, ""},
		{"ten seconds if none is given", function("a.example.com", slow(11*time.Second)), 10 * time.Second, late},
		{"its own", function("a.example.com", slow(11*time.Second), of(2)), 2 * time.Second, late},
		{"that of the request", function("a.example.com", slow(25*time.Second), of(30)), 20 * time.Second, "Timeout: request did not complete within requested timeout"},
		{"ignored", function("a.example.com", slow(11*time.Second), ignoring), 10 * time.Second, ""},
		{"an answer that is too late doesn't count", function("a.example.com", stubborn(11*time.Second)), 11 * time.Second, late},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				v, m := validating(t, c.hook, function("b.example.com", slow(time.Second))), mutating(t, c.hook)
				for _, run := range []func() error{
					func() error { return v.Validate(ctx, creation()) },
					func() error { return m.Mutate(ctx, creation()) },
				} {
					begin := time.Now()
					if err := run(); c.want == "" {
						require.NoError(t, err)
					} else {
						require.EqualError(t, err, c.want)
					}
					require.Equal(t, c.took, time.Since(begin))
					ctx, cancel = context.WithTimeout(t.Context(), 20*time.Second)
					defer cancel()
				}
			})
		})
	}
}

func TestFunctionThatPanicsHasFailed(t *testing.T) {
	panics := func(context.Context, *webhook.Review) (webhook.Answer, error) { panic("oh") }
	const want = `Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: it has panicked: oh`
	calls := 0
	hooks := []webhook.Hook{function("a.example.com", panics), function("b.example.com", count(&calls))}
	require.EqualError(t, validate(t, validating(t, hooks...), creation()), want)
	require.EqualError(t, mutate(t, creation(), mutating(t, hooks...)), want)
	ignoring(&hooks[0])
	require.NoError(t, validate(t, validating(t, hooks[1], hooks[0]), creation()))
	require.NoError(t, mutate(t, creation(), mutating(t, hooks...)))
	require.Equal(t, 3, calls)
}

func TestFunctionGetsTheReview(t *testing.T) {
	var got webhook.Review
	look := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		got = *r
		return webhook.Allow("careful"), nil
	}
	req := creation()
	req.DryRun, req.Subresource = true, "status"
	req.RequestKind, req.RequestResource, req.RequestSubresource = req.Kind, req.Resource, "state"
	require.NoError(t, validate(t, validating(t, function("a.example.com", look, func(h *webhook.Hook) { h.Rules[0].Resources = []string{"configmaps/*"} })), req))
	require.NotEmpty(t, got.UID)
	got.UID = ""
	require.Equal(t, webhook.Review{
		Kind: req.Kind, Resource: req.Resource, Subresource: "status",
		RequestKind: req.Kind, RequestResource: req.Resource, RequestSubresource: "state",
		Name: "a", Namespace: "ns", Operation: admission.Create, User: req.User, DryRun: true,
		Object: req.Object, Options: req.Options,
	}, got)
	require.Equal(t, []string{"careful"}, req.Warnings())
}

func TestFunctionThatValidatesMayNotPatch(t *testing.T) {
	patch := func(context.Context, *webhook.Review) (webhook.Answer, error) {
		return webhook.Answer{Allowed: true, Patch: []byte("[]")}, nil
	}
	require.ErrorContains(t, validate(t, validating(t, function("a.example.com", patch)), creation()), "validating webhook may not return response.patch")
}

func TestFunctionChangesTheObjectInPlace(t *testing.T) {
	change := func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
		r.Object.SetLabels(map[string]string{"owner": r.User.Name})
		return webhook.Allow(), nil
	}
	req := creation()
	given := req.Object
	require.NoError(t, mutate(t, req, mutating(t, function("a.example.com", change))))
	require.Equal(t, map[string]string{"owner": "jo"}, req.Object.Labels())
	require.Equal(t, false, req.Object["immutable"], "it gets its defaults")
	require.Equal(t, map[string]string{"mode": "strict"}, given.Labels(), "the object that was given stays as it is")

	req = creation()
	require.NoError(t, mutate(t, req, webhook.NewMutating(webhook.Config{}, configuration(t, "c", function("a.example.com", change)))))
	require.Equal(t, map[string]string{"owner": "jo"}, req.Object.Labels())
}

func TestFunctionThatLeavesNoJSONHasFailed(t *testing.T) {
	leave := func(value any) webhook.Func {
		return func(_ context.Context, r *webhook.Review) (webhook.Answer, error) {
			r.Object["data"] = value
			return webhook.Allow(), nil
		}
	}
	err := mutate(t, creation(), mutating(t, function("a.example.com", leave(make(chan int)))))
	require.ErrorContains(t, err, `failed calling webhook "a.example.com": making a document of map[string]interface {}: json: unsupported type: chan int`)
	req := creation()
	require.NoError(t, mutate(t, req, mutating(t, function("a.example.com", leave(make(chan int)), ignoring))))
	require.Equal(t, creation().Object, req.Object)
	require.NoError(t, mutate(t, req, mutating(t, function("a.example.com", leave(map[string]string{"x": "y"})))))
	require.Equal(t, map[string]any{"x": "y"}, req.Object["data"])
}
