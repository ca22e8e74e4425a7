package policy

import (
	"context"
	"errors"

	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Authorizer decides what expressions ask of "authorizer". A reason is for the user.
type Authorizer interface {
	Authorize(ctx context.Context, check expr.AccessCheck) (allowed bool, reason string, err error)
}

// authorize gives what expressions ask. Without an authorizer, nothing is allowed.
func authorize(ctx context.Context, authorizer Authorizer) expr.Authorizer {
	if authorizer == nil {
		return nobody
	}
	return func(check expr.AccessCheck) (bool, string, error) { return authorizer.Authorize(ctx, check) }
}

func nobody(expr.AccessCheck) (allowed bool, reason string, err error) {
	return false, "", errors.New("there is no authorizer")
}

// authorizer is the value of the variable of that name.
func (r *run) authorizer() ref.Val {
	return expr.AuthorizerFor(r.subject.Request.User, r.authorize)
}

// requestResource is a check that is about what the request is about.
func (r *run) requestResource() ref.Val {
	req := r.subject.Request
	return expr.ResourceCheckFor(expr.AccessCheck{
		User:  req.User,
		Group: req.Resource.Group, Resource: req.Resource.Resource, Subresource: req.Subresource,
		Namespace: req.Namespace, Name: req.Name,
	}, r.authorize)
}
