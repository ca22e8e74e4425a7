package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// callError says that a webhook failed, so that it has no opinion. The failure policy is
// about these errors.
type callError struct {
	webhook string
	reason  error
}

// Error gives the API's words.
func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}

// Unwrap gives why it failed.
func (e *callError) Unwrap() error { return e.reason }

// denial is the error for a webhook's no: the status that it gave, as far as that is a failure.
func denial(webhook string, given *object.Status) *object.StatusError {
	var s object.Status
	if given != nil {
		s = *given
	}
	s.TypeMeta = object.TypeMeta{Kind: "Status", APIVersion: "v1"}
	if s.Code < http.StatusBadRequest {
		s.Code = http.StatusBadRequest
	}
	if s.Status == "" || s.Status == "Success" {
		s.Status = "Failure"
	}
	by := fmt.Sprintf("admission webhook %q denied the request", webhook)
	switch {
	case s.Message != "":
		s.Message = by + ": " + s.Message
	case s.Reason != "":
		s.Message = by + ": " + string(s.Reason)
	default:
		s.Message = by + " without explanation"
	}
	return &object.StatusError{Status: s}
}

// tooLate is the error of a request that ended before its webhooks have answered: it ran out of
// time, or nobody waits for it any more.
func tooLate(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return fmt.Errorf("waiting for webhooks: %w", ctx.Err())
	}
	return object.Timeout("request did not complete within requested timeout", 0)
}
