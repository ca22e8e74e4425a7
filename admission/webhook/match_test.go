package webhook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// count gives a function that counts its calls.
func count(calls *int) webhook.Func {
	return func(context.Context, *webhook.Review) (webhook.Answer, error) {
		*calls++
		return webhook.Allow(), nil
	}
}

func TestWebhookIsAskedAboutWhatItMatches(t *testing.T) {
	selector := func(key, value string) *object.LabelSelectorSpec {
		return &object.LabelSelectorSpec{MatchLabels: map[string]string{key: value}}
	}
	conditions := func(texts ...string) func(h *webhook.Hook) {
		return func(h *webhook.Hook) {
			for i, text := range texts {
				h.MatchConditions = append(h.MatchConditions, policy.MatchCondition{Name: fmt.Sprint(i), Expression: text})
			}
		}
	}
	const fails = "int(object.data.a) > 3"
	for _, c := range []struct {
		name    string
		change  func(h *webhook.Hook)
		calls   int
		refused string
	}{
		{"what its rules name", func(h *webhook.Hook) {}, 1, ""},
		{"not without rules", func(h *webhook.Hook) { h.Rules = nil }, 0, ""},
		{"not for other operations", func(h *webhook.Hook) { h.Rules[0].Operations = []string{"UPDATE"} }, 0, ""},
		{"not for other resources", func(h *webhook.Hook) { h.Rules[0].Resources = []string{"secrets", "configmaps/status"} }, 0, ""},
		{"the namespace is selected", func(h *webhook.Hook) { h.NamespaceSelector = selector("env", "prod") }, 1, ""},
		{"the namespace is not selected", func(h *webhook.Hook) { h.NamespaceSelector = selector("env", "test") }, 0, ""},
		{"the object is selected", func(h *webhook.Hook) { h.ObjectSelector = selector("mode", "strict") }, 1, ""},
		{"the object is not selected", func(h *webhook.Hook) { h.ObjectSelector = selector("mode", "loose") }, 0, ""},
		{"conditions hold", conditions("object.data.a == 'b'", "oldObject == null && request.operation == 'CREATE'", "request.userInfo.username == 'jo'", "authorizer.path('/healthz').check('get').errored()"), 1, ""},
		{"the namespace is unknown to conditions", conditions("namespaceObject == null"), 1, ""},
		{"one doesn't", conditions("true", "object.data.a == 'c'"), 0, ""},
		{"one fails", conditions("true", fails), 0, `configmaps "a" is forbidden: expression 'int(object.data.a) > 3' resulted in error: type conversion error from 'string' to 'int'`},
		{"one fails, another doesn't hold", conditions(fails, "false"), 0, ""},
		{"one fails, which is ignored", func(h *webhook.Hook) { conditions(fails)(h); ignoring(h) }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := 0
			h := function("a.example.com", count(&calls), c.change)
			for _, run := range []func() error{
				func() error { return validate(t, validating(t, h), creation()) },
				func() error { return mutate(t, creation(), mutating(t, h)) },
			} {
				err := run()
				if c.refused == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, c.refused)
					require.ErrorIs(t, err, object.ErrForbidden)
				}
			}
			require.Equal(t, 2*c.calls, calls)
		})
	}
}

func TestWhatConfiguresAdmissionIsExempt(t *testing.T) {
	calls := 0
	h := function("a.example.com", count(&calls), func(h *webhook.Hook) { h.Rules = []match.Rule{match.For("*").Of("*", "*/*")} })
	v, m := validating(t, h), mutating(t, h)
	ask := func(group, resource string) int {
		calls = 0
		req := creation()
		req.Resource = object.GroupVersionResource{Group: group, Version: "v1", Resource: resource}
		require.NoError(t, validate(t, v, req))
		require.NoError(t, mutate(t, req, m))
		return calls
	}
	const registration, authentication, authorization = "admissionregistration.k8s.io", "authentication.k8s.io", "authorization.k8s.io"
	for group, resources := range map[string]string{
		registration: "validatingwebhookconfigurations mutatingwebhookconfigurations validatingadmissionpolicies " +
			"validatingadmissionpolicybindings mutatingadmissionpolicies mutatingadmissionpolicybindings",
		authentication: "tokenreviews selfsubjectreviews",
		authorization:  "subjectaccessreviews localsubjectaccessreviews selfsubjectaccessreviews selfsubjectrulesreviews",
	} {
		for _, resource := range strings.Fields(resources) {
			require.Zero(t, ask(group, resource), resource)
			require.Equal(t, 2, ask("example.com", resource), resource)
		}
		require.Equal(t, 2, ask(group, "others"))
	}
}

func TestWarningsNameRulesWithoutEffect(t *testing.T) {
	document, err := object.Decode([]byte(`{"webhooks":[{"rules":[{}]},{"rules":[
		{"apiGroups":["apps"],"resources":["deployments"]},
		{"apiGroups":["authentication.k8s.io","authorization.k8s.io"],"resources":["tokenreviews","tokenreviews","others","subjectaccessreviews"]},
		{"apiGroups":["authentication.k8s.io"],"resources":["*","tokenreviews"]}, {"apiGroups":["*"],"resources":["tokenreviews"]}]}]}`))
	require.NoError(t, err)
	require.Equal(t, []string{
		"webhooks[1].rules[1]: tokenreviews.authentication.k8s.io is excluded from admission webhooks; this rule will have no effect",
		"webhooks[1].rules[1]: subjectaccessreviews.authorization.k8s.io is excluded from admission webhooks; this rule will have no effect",
	}, webhook.Warnings(document))
	require.Empty(t, webhook.Warnings(object.Object{"webhooks": "none"}))
}
