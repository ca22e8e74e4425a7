package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// judge enforces a spec, which matches everything, with some actions.
func judge(t testing.TB, spec policy.Spec, config policy.Config, req *admission.Request, actions ...string) error {
	spec.MatchConstraints = &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*/*")}}
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "p", spec)
	b := bind(t, p, policy.BindingSpec{ValidationActions: actions})
	return policy.NewIndex(config, []*policy.Policy{p}, []*policy.Binding{b}).Validate(context.Background(), req)
}

func validations(expressions ...string) []policy.Validation {
	var all []policy.Validation
	for _, e := range expressions {
		all = append(all, policy.Validation{Expression: e})
	}
	return all
}

// costing is true, and asks an authorizer n times, which is taken to cost some 350,000 each.
func costing(n int) string {
	return strings.TrimSuffix(strings.Repeat("authorizer.path('/').check('get').allowed() && ", n), " && ")
}

func TestBudgets(t *testing.T) {
	const (
		denied = `pods "web" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: `
		spent  = "validation failed due to running out of cost budget, no further validation rules will be run"
	)
	config := policy.Config{Authorizer: &countingAuthorizer{}}
	cost := costing(2)
	var conditions []policy.MatchCondition
	var variables []policy.Variable
	var messages []policy.Validation
	var uses []string
	for i := range 16 {
		conditions = append(conditions, policy.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: cost})
		variables = append(variables, policy.Variable{Name: fmt.Sprintf("v%d", i), Expression: cost})
		uses = append(uses, fmt.Sprintf("variables.v%d", i))
		messages = append(messages, policy.Validation{Expression: "false", MessageExpression: fmt.Sprintf("string(variables.v%d)", i)})
	}
	for _, c := range []struct {
		name    string
		spec    policy.Spec
		message string
	}{
		{"one expression", policy.Spec{Validations: validations(costing(3))}, "expression '" + costing(3) + "' resulted in error: operation cancelled: actual cost limit exceeded"},
		{"all validations", policy.Spec{Validations: validations(strings.Split(strings.Repeat(cost+"|", 15)+cost, "|")...)}, spent},
		{"fewer conditions", policy.Spec{MatchConditions: conditions[:5], Validations: validations("true")}, spent},
		{"variables count for those that use them", policy.Spec{Variables: variables, Validations: validations(uses...)}, spent},
		{"variables that nobody uses don't count", policy.Spec{Variables: variables, Validations: validations("true")}, ""},
		{"messages", policy.Spec{Variables: variables, Validations: messages}, "failed messageExpression: " + spent},
		{"one message gives way to the next best", policy.Spec{
			Variables:   []policy.Variable{{Name: "v", Expression: costing(3)}},
			Validations: []policy.Validation{{Expression: "false", MessageExpression: "string(variables.v)", Message: "no"}},
		}, "no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := judge(t, c.spec, config, podRequest())
			if c.message == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, denied+c.message)
			c.spec.FailurePolicy = "Ignore"
			if err := judge(t, c.spec, config, podRequest()); c.message != "no" {
				require.NoError(t, err)
			}
		})
	}
}

// countingAuthorizer allows what "get" asks, and counts.
type countingAuthorizer struct{ asked []expr.AccessCheck }

func (a *countingAuthorizer) Authorize(_ context.Context, c expr.AccessCheck) (bool, string, error) {
	a.asked = append(a.asked, c)
	return c.Verb == "get", "because", nil
}

func TestVariableIsEvaluatedOnceAndOnlyIfUsed(t *testing.T) {
	var a countingAuthorizer
	spec := policy.Spec{
		Variables: []policy.Variable{
			{Name: "may", Expression: "authorizer.requestResource.check('get').allowed()"},
			{Name: "both", Expression: "variables.may && variables.may"},
			{Name: "unused", Expression: "authorizer.requestResource.check('list').allowed()"},
		},
		Validations:      validations("variables.may", "variables.both", "variables.both || variables.may"),
		AuditAnnotations: []policy.AuditAnnotation{{Key: "a", ValueExpression: "string(variables.may)"}},
	}
	req := podRequest()
	req.Subresource = "status"
	require.NoError(t, judge(t, spec, policy.Config{Authorizer: &a}, req))
	require.Equal(t, []expr.AccessCheck{{User: req.User, Verb: "get", Resource: "pods", Subresource: "status", Namespace: "ns", Name: "web"}}, a.asked)
	require.Equal(t, map[string]string{"p/a": "true"}, req.Annotations())
}

// Space around expressions is left out of some messages and not of others.
func TestSpaceAroundExpressionsInMessages(t *testing.T) {
	var compiler policy.Compiler
	_, errs := compiler.CompileSpec("p", policy.Spec{
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*")}},
		MatchConditions:  []policy.MatchCondition{{Name: "a", Expression: " none\n"}},
		Variables:        []policy.Variable{{Name: " ", Expression: " none"}},
		Validations:      []policy.Validation{{Expression: " none", MessageExpression: " none"}},
		AuditAnnotations: []policy.AuditAnnotation{{Key: "a", ValueExpression: " none"}},
	})
	var texts []string
	for _, e := range errs {
		texts = append(texts, strings.ReplaceAll(e.Error(), "\n", " "))
	}
	undeclared := func(field, shown string, column int, text string) string {
		return fmt.Sprintf("%s: Invalid value: %q: compilation failed: ERROR: <input>:1:%d: undeclared reference to 'none' (in container '')  | %s  | %s^",
			field, shown, column, text, strings.Repeat(".", column-1))
	}
	require.Equal(t, []string{
		undeclared("spec.matchConditions[0].expression", "none", 1, "none"),
		"spec.variables[0].name: Required value: name is not specified",
		undeclared("spec.variables[0].expression", " none", 2, " none"),
		undeclared("spec.validations[0].expression", " none", 2, " none"),
		undeclared("spec.validations[0].messageExpression", " none", 2, " none"),
		undeclared("spec.auditAnnotations[0].valueExpression", " none", 1, "none"),
	}, texts)
}

func TestNothingIsAllowedWithoutAuthorizer(t *testing.T) {
	spec := policy.Spec{Validations: []policy.Validation{{
		Expression: "authorizer.path('/healthz').check('get').error() == ''", Message: "asked",
	}}}
	require.ErrorContains(t, judge(t, spec, policy.Config{}, podRequest()), "denied request: asked")
}

func TestVariableThatMeansItselfIsAnError(t *testing.T) {
	spec := policy.Spec{
		Variables:   []policy.Variable{{Name: "a", Expression: "1"}, {Name: "a", Expression: "variables.a + 1"}},
		Validations: validations("variables.a == 2"),
	}
	require.ErrorContains(t, judge(t, spec, policy.Config{}, podRequest()), "a variable refers to itself")
}

func TestActions(t *testing.T) {
	spec := policy.Spec{Validations: []policy.Validation{{Expression: "true"}, {Expression: "false", Message: "bad", Reason: "Forbidden"}}}
	const failure = "validation.policy.admission.k8s.io/validation_failure"
	for _, c := range []struct {
		actions  string
		err      error
		warnings []string
		audit    string
	}{
		{"Deny", object.ErrForbidden, nil, ""},
		{"Warn", nil, []string{"Validation failed for ValidatingAdmissionPolicy 'p' with binding 'p': bad"}, ""},
		{"Audit", nil, nil, `[{"message":"bad","policy":"p","binding":"p","expressionIndex":1,"validationActions":["Audit"]}]`},
		{"Deny Audit", object.ErrForbidden, nil, `[{"message":"bad","policy":"p","binding":"p","expressionIndex":1,"validationActions":["Deny","Audit"]}]`},
	} {
		t.Run(c.actions, func(t *testing.T) {
			req := podRequest()
			require.ErrorIs(t, judge(t, spec, policy.Config{}, req, strings.Fields(c.actions)...), c.err)
			require.Equal(t, c.warnings, req.Warnings())
			require.Equal(t, c.audit, req.Annotations()[failure])
		})
	}
}

func TestAuditLogGetsTheFailuresOfAllPolicies(t *testing.T) {
	var policies []*policy.Policy
	var bindings []*policy.Binding
	for i := range 60 {
		p, err := policy.New(fmt.Sprintf("p%02d", i), "false")
		require.NoError(t, err)
		policies = append(policies, p)
		bindings = append(bindings, bind(t, p, policy.BindingSpec{ValidationActions: []string{"Audit"}}))
	}
	req := podRequest()
	require.NoError(t, policy.NewIndex(policy.Config{}, policies, bindings).Validate(context.Background(), req))
	value := req.Annotations()["validation.policy.admission.k8s.io/validation_failure"]
	require.Equal(t, 50, strings.Count(value, `"policy":"p`))
	require.Contains(t, value, `"policy":"p49"`)
}

func TestAuditAnnotations(t *testing.T) {
	spec := policy.Spec{AuditAnnotations: []policy.AuditAnnotation{
		{Key: "name", ValueExpression: "' ' + object.metadata.name"}, {Key: "blank", ValueExpression: "'  '"}, {Key: "null", ValueExpression: "null"},
		{Key: "long", ValueExpression: "'" + strings.Repeat("x", 2000) + "'.replace('x', 'xxxxxxxx')"},
		{Key: "wrong", ValueExpression: "string(object.none)"},
	}}
	req := podRequest()
	require.ErrorContains(t, judge(t, spec, policy.Config{}, req, "Warn"), "expression 'string(object.none)' resulted in error: no such key: none")
	spec.FailurePolicy = "Ignore"
	req = podRequest()
	require.NoError(t, judge(t, spec, policy.Config{}, req, "Warn"))
	require.Equal(t, map[string]string{"p/name": "web", "p/long": strings.Repeat("x", 10<<10)}, req.Annotations())
}

func TestRequestAsExpressionsSeeIt(t *testing.T) {
	full := podRequest()
	full.Subresource, full.DryRun = "status", true
	full.Options = object.Object{"kind": "CreateOptions", "fieldManager": "me"}
	full.User = object.User{Name: "jo", UID: "u-17", Groups: []string{"cooks"}, Extra: map[string][]string{"scopes": {"read", "write"}}}
	full.RequestKind = object.GroupVersionKind{Group: "old", Version: "v0", Kind: "OldPod"}
	full.RequestResource = object.GroupVersionResource{Group: "old", Version: "v0", Resource: "oldpods"}
	empty := &admission.Request{Operation: admission.Delete}
	for text, req := range map[string]*admission.Request{
		"request.operation == 'CREATE' && request.kind.kind == 'Pod' && request.resource.version == 'v1'":                                   full,
		"request.requestKind.kind == 'OldPod' && request.requestResource.resource == 'oldpods'":                                             full,
		"request.subResource == 'status' && !has(request.requestSubResource)":                                                               full,
		"request.name == 'web' && request.namespace == 'ns' && request.dryRun":                                                              full,
		"request.options.fieldManager == 'me'":                                                                                              full,
		"request.userInfo.uid == 'u-17' && request.userInfo.groups == ['cooks'] && request.userInfo.extra == {'scopes': ['read', 'write']}": full,
		"dyn(request).size() == 14 && 'uid' in dyn(request) && dyn(request) == dyn(request)":                                                full,
		"dyn(request).map(k, k).filter(k, k.startsWith('o')) == ['object', 'oldObject', 'operation', 'options']":                            full,
		"object.metadata.labels.map(k, k) == ['app', 'team', 'tier', 'version']":                                                            full,
		"object.metadata.labels.transformList(k, v, k + v)[0] == 'appweb'":                                                                  full,
		"object.spec.containers.transformMap(i, c, c.name)[1] == 'proxy' && object.spec.containers[1] in object.spec.containers":            full,
		"(object.spec.containers + [1]).size() == 4 && object.spec.containers.map(c, c.name).join(',') == 'web,proxy,logs'":                 full,
		"!(object.metadata in ['a', 'b']) && !(object.spec.containers in ['a']) && !(dyn(request) in ['a'])":                                full,
		"object == object && object.spec in [object.metadata, object.spec] && {'a': object.metadata}.a == object.metadata":                  full,
		"namespaceObject.metadata.name == 'ns' && oldObject == null && !has(object.spec.none)":                                              full,
		"object == null && oldObject == null && namespaceObject == null && request.options == null":                                         empty,
		"!has(request.name) && !has(request.namespace) && !has(request.subResource) && !has(request.userInfo.username) && !request.dryRun":  empty,
	} {
		require.NoError(t, judge(t, policy.Spec{Validations: validations(text)}, policy.Config{}, req), text)
	}
}

func TestTraceTellsWhyPoliciesSaidNothing(t *testing.T) {
	var compiler policy.Compiler
	p := compileSpec(t, &compiler, "p", policy.Spec{
		FailurePolicy:    "Ignore",
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*")}},
		Validations:      validations("object.none == 1"),
	})
	q := compileSpec(t, &compiler, "q", policy.Spec{
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{match.For("*").Of("*", "*")}},
		MatchConditions:  []policy.MatchCondition{{Name: "c", Expression: "request.name == 'other'"}},
		Validations:      validations("false"),
	})
	index := policy.NewIndex(policy.Config{}, []*policy.Policy{p, q}, []*policy.Binding{bind(t, p, policy.BindingSpec{}), bind(t, q, policy.BindingSpec{})})
	chain := admission.Chain{Validators: []admission.Validator{index}}
	req := podRequest()
	req.Trace = &admission.Trace{}
	require.NoError(t, chain.Run(context.Background(), req))
	require.Equal(t, `ValidatingAdmissionPolicy: passed
  policy p: ignored: expression 'object.none == 1' resulted in error: no such key: none
  policy q: condition not met: request.name == 'other'
`, req.Trace.String())
}
