package policy_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// request makes a request about a resource, given as "group/version/resource" with a part behind it.
func request(operation admission.Operation, group, version, resource, part, namespace, name string) *admission.Request {
	req := &admission.Request{
		Operation: operation, Subresource: part, Namespace: namespace, Name: name,
		Resource: object.GroupVersionResource{Group: group, Version: version, Resource: resource},
		Kind:     object.GroupVersionKind{Group: group, Version: version, Kind: "Kind"},
	}
	o := object.Object{"metadata": map[string]any{"name": name}}
	if operation != admission.Delete {
		req.Object = o
	}
	if operation != admission.Create {
		req.OldObject = o.DeepCopy()
	}
	if namespace != "" {
		req.FindNamespace = func() object.Object {
			return object.Object{"metadata": map[string]any{"name": namespace, "labels": map[string]any{"env": "prod"}}}
		}
	}
	return req
}

// forbids says whether a policy that refuses everything is about a request.
func forbids(t testing.TB, resources match.Resources, req *admission.Request, equivalence match.Equivalence) bool {
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "p", policy.Spec{MatchConstraints: &resources, Validations: []policy.Validation{{Expression: "false"}}})
	config := policy.Config{Equivalence: equivalence, Converter: unconverted{}}
	index := policy.NewIndex(config, []*policy.Policy{p}, []*policy.Binding{bind(t, p, policy.BindingSpec{})})
	return index.Validate(context.Background(), req) != nil
}

type unconverted struct{}

func (unconverted) Convert(_ context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error) {
	o = o.DeepCopy()
	o.SetType(to.TypeMeta())
	return o, nil
}

// twoVersions are those of things, which used to be called items in another group.
type twoVersions struct{}

func (twoVersions) Equivalent(object.GroupVersionResource, string) []match.Form {
	form := func(group, version, resource, kind string) match.Form {
		return match.Form{
			Resource: object.GroupVersionResource{Group: group, Version: version, Resource: resource},
			Kind:     object.GroupVersionKind{Group: group, Version: version, Kind: kind},
		}
	}
	return []match.Form{form("new", "v1", "things", "Thing"), form("new", "v2", "things", "Thing"), form("old", "v1", "items", "Item")}
}

func TestPolicySeesTheFormThatItMatched(t *testing.T) {
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "p", policy.Spec{
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{{Operations: []string{"*"}, APIGroups: []string{"old"}, APIVersions: []string{"v1"}, Resources: []string{"items"}}}},
		Validations: []policy.Validation{{Expression: "false", MessageExpression: `object.apiVersion + ' ' + object.kind + ' ' + request.kind.kind + ' ' +
			request.resource.resource + ' ' + request.requestKind.kind + ' ' + request.requestResource.version`}},
	})
	bindings := []*policy.Binding{bind(t, p, policy.BindingSpec{})}
	req := request(admission.Create, "new", "v2", "things", "", "ns", "a")
	config := policy.Config{Equivalence: twoVersions{}, Converter: unconverted{}}
	err := policy.NewIndex(config, []*policy.Policy{p}, bindings).Validate(context.Background(), req)
	require.ErrorContains(t, err, "denied request: old/v1 Item Item items Kind v2")

	config.Converter = nil
	err = policy.NewIndex(config, []*policy.Policy{p}, bindings).Validate(context.Background(), req)
	require.ErrorIs(t, err, object.ErrInvalid)
	require.ErrorContains(t, err, "denied request: failed to configure binding: failed to convert object version: there is no converter")
}
