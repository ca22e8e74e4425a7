package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/callout"
)

// Func stands in for a webhook. It answers a review, or fails, which is up to the failure
// policy of its [Hook]; so does one that panics. It must return when its context ends, which
// it does after the timeout of the hook: what it answers later doesn't count.
//
// The function of a webhook that mutates may change r.Object in place, or put another one there,
// instead of answering with a patch. Everything else in the review is read-only, and so is r.Object
// for one that validates. It keeps nothing of the review.
type Func func(ctx context.Context, r *Review) (Answer, error)

// reply is an answer with the object that it leaves behind.
type reply struct {
	Answer
	object object.Object // that a function changed, or nil
}

// ask puts a question to a hook and waits for the answer, for as long as the hook may take. An
// error is a *callError.
func (h *hook) ask(ctx context.Context, clients *callout.Clients, q *question, mutates bool) (r reply, err error) {
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	defer func() {
		if v := recover(); v != nil {
			err = &callError{h.name, fmt.Errorf("failed to call webhook: it has panicked: %v", v)}
		}
	}()
	if h.function != nil {
		r, err = h.askFunction(ctx, q, mutates)
	} else {
		r.Answer, err = h.askRemote(ctx, clients, q, mutates)
	}
	if err != nil {
		return reply{}, &callError{h.name, err}
	}
	return r, nil
}

func (h *hook) askFunction(ctx context.Context, q *question, mutates bool) (reply, error) {
	review := q.review
	review.UID = newUID()
	if mutates {
		review.Object = review.Object.DeepCopy()
	}
	answer, err := h.function(ctx, &review)
	if late := ctx.Err(); late != nil {
		err = late
	}
	switch {
	case err != nil:
		return reply{}, fmt.Errorf("failed to call webhook: %w", err)
	case !mutates && len(answer.Patch) > 0:
		return reply{}, errors.New("received invalid webhook response: validating webhook may not return response.patch")
	}
	r := reply{Answer: answer}
	if mutates && len(answer.Patch) == 0 && review.Object != nil && !review.Object.Equal(q.review.Object) {
		r.object, err = object.From(map[string]any(review.Object)) // it may have put in what is no JSON
	}
	return r, err
}
