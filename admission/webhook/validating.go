package webhook

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"

	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// Validating asks webhooks whether a request may pass. It implements admission.Validator, for
// any number of goroutines.
type Validating struct {
	config Config
	hooks  []*hook
	index  *match.Index
}

// NewValidating makes a stage of the webhooks of some configurations.
func NewValidating(config Config, configurations ...*Configuration) *Validating {
	v := &Validating{config: config}
	v.hooks, v.index = inOrder(configurations)
	return v
}

// Name implements admission.Named.
func (v *Validating) Name() string { return "ValidatingAdmissionWebhook" }

// consultation is a hook that is asked, and what came of it.
type consultation struct {
	hook     *hook
	question *question
	reply    reply
	err      error
}

// Validate implements admission.Validator. All webhooks that are about the request are
// asked at the same time and have their say; the no of the first counts.
func (v *Validating) Validate(ctx context.Context, req *admission.Request) error {
	if len(v.hooks) == 0 || isExempt(req.Resource.GroupResource()) {
		return nil
	}
	p := newPassage(&v.config, req)
	asked, err := v.questions(ctx, p)
	if err != nil || len(asked) == 0 {
		return err
	}
	if ctx.Err() != nil {
		return tooLate(ctx)
	}
	askAll(ctx, v.config.Clients, asked)
	var first error
	for i := range asked {
		c := &asked[i]
		if err := v.verdict(ctx, p, c, i); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// questions prepares what to ask. The request is looked at by this goroutine alone, so that
// everything is encoded here.
func (v *Validating) questions(ctx context.Context, p *passage) ([]consultation, error) {
	var asked []consultation
	for _, i := range v.index.Candidates(&p.subject) {
		h := v.hooks[i]
		q, err := p.question(ctx, h)
		if err != nil {
			return nil, err
		}
		if q == nil {
			continue
		}
		if h.function == nil {
			q.encode()
		}
		asked = append(asked, consultation{hook: h, question: q})
	}
	return asked, nil
}

// askAll asks side by side, and returns when everybody has answered or ran out of time.
func askAll(ctx context.Context, clients *callout.Clients, asked []consultation) {
	ask := func(c *consultation) { c.reply, c.err = c.hook.ask(ctx, clients, c.question, false) }
	var others sync.WaitGroup
	for i := range asked[1:] {
		others.Go(func() { ask(&asked[1:][i]) })
	}
	ask(&asked[0])
	others.Wait()
}

func (v *Validating) verdict(ctx context.Context, p *passage, c *consultation, place int) error {
	if c.err != nil {
		return p.failed(ctx, c.hook, fmt.Sprintf("failed-open.validating.webhook.admission.k8s.io/round_0_index_%d", place), c.err)
	}
	if err := p.heard(c.hook, &c.reply.Answer); err != nil {
		return err
	}
	p.note(c.hook, "allowed")
	return nil
}
