package webhook_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/webhook"
)

func BenchmarkCallOfFunction(b *testing.B) {
	stage := validating(b, function("a.example.com", func(context.Context, *webhook.Review) (webhook.Answer, error) {
		return webhook.Allow(), nil
	}))
	benchmarkValidate(b, stage)
}

func BenchmarkCallOverTLS(b *testing.B) {
	benchmarkValidate(b, validating(b, remote("a.example.com", newServer(b).at(""))))
}

// BenchmarkCallsSideBySide shows what a second webhook adds.
func BenchmarkCallsSideBySide(b *testing.B) {
	s := newServer(b)
	benchmarkValidate(b, validating(b, remote("a.example.com", s.at("")), remote("b.example.com", s.at(""))))
}

// BenchmarkHundredWebhooksOfOthers shows what it costs to be of no interest to many.
func BenchmarkHundredWebhooksOfOthers(b *testing.B) {
	var hooks []webhook.Hook
	for i := range 100 {
		hooks = append(hooks, remote(fmt.Sprintf("a%d.example.com", i), webhook.ClientConfig{URL: text("https://127.0.0.1:1")}, func(h *webhook.Hook) {
			h.Rules = []match.Rule{match.For("*").Of("example.com", fmt.Sprintf("things%d", i))}
		}))
	}
	benchmarkValidate(b, validating(b, hooks...))
}

func BenchmarkCallThatPatches(b *testing.B) {
	s := newServer(b)
	s.answers(respondWithPatch(`[{"op":"add","path":"/metadata/labels/owner","value":"jo"}]`))
	stage := mutating(b, remote("a.example.com", s.at("")))
	b.ReportAllocs()
	for b.Loop() {
		req := creation()
		req.Trace = nil
		require.NoError(b, stage.Mutate(b.Context(), req))
	}
}

func benchmarkValidate(b *testing.B, stage *webhook.Validating) {
	req := creation()
	req.Trace = nil
	b.ReportAllocs()
	for b.Loop() {
		if err := stage.Validate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
