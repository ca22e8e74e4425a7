package admission

import (
	"context"
	"errors"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Forbidden refuses the request in the API's words: who may not be, and why.
func (r *Request) Forbidden(err error) *object.StatusError {
	return object.Forbidden(r.Resource.GroupResource(), r.nameForMessages(), err)
}

// nameForMessages is what the API calls the object of a request that may have no name yet.
func (r *Request) nameForMessages() string {
	switch {
	case r.Name != "":
		return r.Name
	case r.Object.Name() != "":
		return r.Object.Name()
	case r.Object.GenerateName() != "":
		return r.Object.GenerateName()
	}
	return "Unknown"
}

// refusal makes what a stage returns an error of the API: one that is none says why
// the request is forbidden. The end of the context is nobody's refusal.
func refusal(req *Request, err error) error {
	var status *object.StatusError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &status), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return req.Forbidden(err)
}
