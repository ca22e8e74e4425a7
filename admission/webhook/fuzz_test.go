package webhook_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// FuzzCompile holds configurations to this: each is either refused with reasons, or makes webhooks
// that can be asked; and defaults are set once.
func FuzzCompile(f *testing.F) {
	for _, r := range readRecorded(f) {
		f.Add(object.AppendJSON(nil, r.Document))
	}
	f.Add([]byte(`{"kind":"MutatingWebhookConfiguration","metadata":{"name":"c"},"webhooks":[{"name":"a.b.c","clientConfig":{"service":{"name":"a","namespace":"b","path":"/c/d"}},
		"sideEffects":"None","admissionReviewVersions":["v1"],"rules":[{"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}],
		"matchConditions":[{"name":"a","expression":"object.data.a == 'b'"}],"reinvocationPolicy":"IfNeeded"}]}`))
	var compiler webhook.Compiler
	clients := &callout.Clients{}
	ended, cancel := context.WithCancel(context.Background())
	cancel() // so that nobody is called
	f.Fuzz(func(t *testing.T, data []byte) {
		document, err := object.Decode(data)
		if err != nil {
			return
		}
		webhook.SetDefaults(document)
		once := document.DeepCopy()
		webhook.SetDefaults(document)
		require.Equal(t, once, document)
		c, errs := compile(&compiler, document)
		require.Equal(t, c == nil, len(errs) > 0)
		require.Equal(t, once, document, "compiling changes nothing")
		if c == nil {
			return
		}
		req := creation()
		before := req.Object.DeepCopy()
		config := webhook.Config{Clients: clients}
		for _, run := range []func(context.Context, *admission.Request) error{
			webhook.NewValidating(config, c).Validate, webhook.NewMutating(config, c).Mutate,
		} {
			if err := run(ended, req); err != nil {
				require.NotContains(t, err.Error(), "panicked")
			}
		}
		clients.Retain(webhook.Targets(c)...)
		require.Equal(t, before, req.Object)
	})
}
