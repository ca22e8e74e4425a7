package policy_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// paramStore holds parameters of one kind.
type paramStore struct {
	namespaced bool
	objects    []object.Object
	err        error
}

func (s paramStore) Serves(kind object.GroupVersionKind) bool { return kind.Kind == "Limit" }

func (s paramStore) Params(_ context.Context, q policy.ParamQuery) ([]object.Object, error) {
	if s.err != nil {
		return nil, s.err
	}
	namespace, err := q.Namespace(s.namespaced)
	if err != nil {
		return nil, err
	}
	var found []object.Object
	for _, o := range s.objects {
		selected := q.Selector != nil && q.Selector.Matches(o.Labels()) || q.Selector == nil && q.Name == o.Name()
		if selected && o.Namespace() == namespace {
			found = append(found, o)
		}
	}
	return found, nil
}

func limit(namespace, name, label string, most int64) object.Object {
	metadata := map[string]any{"name": name, "labels": map[string]any{"use": label}}
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	return object.Object{"apiVersion": "example.com/v1", "kind": "Limit", "metadata": metadata, "most": most}
}

func TestParameters(t *testing.T) {
	namespaced := paramStore{namespaced: true, objects: []object.Object{limit("ns", "small", "yes", 1), limit("ns", "large", "yes", 9), limit("other", "small", "no", 1)}}
	cluster := paramStore{objects: []object.Object{limit("", "small", "yes", 2)}}
	selects := func(value string) *object.LabelSelectorSpec {
		return &object.LabelSelectorSpec{MatchLabels: map[string]string{"use": value}}
	}
	const prefix = `things.example.com "a" is forbidden: ValidatingAdmissionPolicy 'limits' with binding 'limits' denied request: `
	for _, c := range []struct {
		name      string
		params    policy.Params
		ref       *policy.ParamRef
		namespace string
		message   string
	}{
		{"by name in the namespace of the request", namespaced, &policy.ParamRef{Name: "small", ParameterNotFoundAction: "Deny"}, "ns", prefix + "5 > 1 of ns/small"},
		{"by name in another namespace", namespaced, &policy.ParamRef{Name: "small", Namespace: "other", ParameterNotFoundAction: "Deny"}, "ns", prefix + "5 > 1 of other/small"},
		{"each that is selected", namespaced, &policy.ParamRef{Selector: selects("yes"), ParameterNotFoundAction: "Deny"}, "ns", prefix + "5 > 1 of ns/small"},
		{"large enough", namespaced, &policy.ParamRef{Name: "large", ParameterNotFoundAction: "Deny"}, "ns", ""},
		{"of the cluster", cluster, &policy.ParamRef{Name: "small", ParameterNotFoundAction: "Deny"}, "ns", prefix + "5 > 2 of -/small"},
		{"missing is denied", namespaced, &policy.ParamRef{Name: "none", ParameterNotFoundAction: "Deny"}, "ns", prefix + "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"},
		{"missing is allowed", namespaced, &policy.ParamRef{Name: "none", ParameterNotFoundAction: "Allow"}, "ns", ""},
		{"without a reference there is null", namespaced, nil, "ns", prefix + "no params"},
		{"namespace for what has none", cluster, &policy.ParamRef{Name: "small", Namespace: "ns", ParameterNotFoundAction: "Deny"}, "ns", prefix + "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`"},
		{"no namespace to look in", namespaced, &policy.ParamRef{Name: "small", ParameterNotFoundAction: "Deny"}, "", prefix + "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"},
		{"an error denies", paramStore{err: errors.New("lost")}, &policy.ParamRef{Name: "small", ParameterNotFoundAction: "Allow"}, "ns", prefix + "failed to configure binding: lost"},
		{"a kind that there isn't", nil, &policy.ParamRef{Name: "small", ParameterNotFoundAction: "Allow"}, "ns",
			`things.example.com "a" is forbidden: ValidatingAdmissionPolicy 'limits' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, failurePolicy := range []string{"Fail", "Ignore"} {
				var compiler policy.Compiler
				p := compileSpec(t, &compiler, "limits", policy.Spec{
					FailurePolicy:    failurePolicy,
					ParamKind:        &policy.ParamKind{APIVersion: "example.com/v1", Kind: "Limit"},
					MatchConstraints: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*")}},
					Validations: []policy.Validation{
						{Expression: "params != null", Message: "no params"},
						{Expression: "params == null || object.size <= params.most",
							MessageExpression: "string(object.size) + ' > ' + string(params.most) + ' of ' + params.metadata.?namespace.orValue('-') + '/' + params.metadata.name"},
					},
				})
				index := policy.NewIndex(policy.Config{Params: c.params}, []*policy.Policy{p}, []*policy.Binding{bind(t, p, policy.BindingSpec{ParamRef: c.ref})})
				req := request(admission.Create, "example.com", "v1", "things", "", c.namespace, "a")
				req.Object["size"] = int64(5)
				err := index.Validate(context.Background(), req)
				if c.message == "" || failurePolicy == "Ignore" && isConfiguration(c.message) {
					require.NoError(t, err)
					continue
				}
				require.EqualError(t, err, c.message)
				require.ErrorIs(t, err, object.ErrInvalid)
			}
		})
	}
}

func TestUnknownKindOfParametersFailsWhateverTheBindings(t *testing.T) {
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "p", policy.Spec{
		ParamKind:        &policy.ParamKind{APIVersion: "example.com/v1", Kind: "Nothing"},
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*")}},
		Validations:      validations("params == null"),
	})
	for _, spec := range []policy.BindingSpec{{}, {MatchResources: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("", "secrets")}}}} {
		index := policy.NewIndex(policy.Config{Params: paramStore{}}, []*policy.Policy{p}, []*policy.Binding{bind(t, p, spec)})
		require.EqualError(t, index.Validate(context.Background(), podRequest()), `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' denied request: `+
			`failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'`)
	}
}

// isConfiguration says whether a message is about what failurePolicy can ignore.
func isConfiguration(message string) bool {
	return strings.Contains(message, "failed to configure")
}
