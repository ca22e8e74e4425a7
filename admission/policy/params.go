package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Params finds the parameters that bindings refer to. What it gives is only read.
type Params interface {
	// Serves says whether there is such a kind.
	Serves(kind object.GroupVersionKind) bool
	// Params gives what the query selects: none, one by name, any number by selector.
	Params(ctx context.Context, query ParamQuery) ([]object.Object, error)
}

// usable says why a policy cannot be evaluated for any binding, such as a kind of
// parameters that nobody serves.
func (r *run) usable(p *Policy) error {
	if err := p.ready(); err != nil {
		return err
	}
	if params := r.config.Params; p.paramKind.Kind != "" && (params == nil || !params.Serves(p.paramKind)) {
		return fmt.Errorf("failed to find resource referenced by paramKind: '%v'", p.paramKind)
	}
	return nil
}

// ParamQuery says which parameters are wanted.
type ParamQuery struct {
	Kind     object.GroupVersionKind
	Name     string                // empty if there is a selector
	Selector *object.LabelSelector // nil if there is a name

	RefNamespace     string // that the reference names, if it does
	RequestNamespace string // empty for requests about the cluster
}

// Namespace says where to look for parameters of a kind that is namespaced or not. The
// error is the API's for a binding that cannot be used for that.
func (q *ParamQuery) Namespace(namespaced bool) (string, error) {
	switch {
	case !namespaced && q.RefNamespace != "":
		return "", errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
	case !namespaced:
		return "", nil
	case q.RefNamespace != "":
		return q.RefNamespace, nil
	case q.RequestNamespace == "":
		return "", errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	}
	return q.RequestNamespace, nil
}

// parameters gives what a policy is evaluated with, once for each. Without parameters
// that is once, with nil.
func (r *run) parameters(ctx context.Context, p *Policy, b *Binding) ([]object.Object, error) {
	switch {
	case b != nil && b.problem != nil:
		return nil, b.problem
	case p.paramKind.Kind == "" || b == nil || b.spec.ParamRef == nil:
		return noParams, nil
	}
	ref := b.spec.ParamRef
	params, err := r.config.Params.Params(ctx, ParamQuery{
		Kind: p.paramKind, Name: ref.Name, Selector: b.params,
		RefNamespace: ref.Namespace, RequestNamespace: r.subject.Request.Namespace,
	})
	switch {
	case err != nil:
		return nil, err
	case len(params) == 0 && ref.ParameterNotFoundAction == deny:
		return nil, errors.New("no params found for policy binding with `Deny` parameterNotFoundAction")
	}
	return params, nil
}

// noParams is never changed.
var noParams = []object.Object{nil}
