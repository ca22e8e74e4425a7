package policy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// patcher patches as a server would, with one schema for all kinds.
type patcher struct{ merges *apply.Type }

func (patcher) JSONPatch(_ context.Context, o object.Object, patch []byte) (object.Object, error) {
	patched, err := apply.Patch(o, apply.JSONPatch, patch)
	if apply.IsFailedTest(err) {
		return nil, policy.ErrTestFailed
	} else if cause := errors.Unwrap(err); cause != nil {
		return nil, cause
	}
	return patched, err
}

func (p patcher) Apply(_ context.Context, o, config object.Object) (object.Object, error) {
	return p.merges.Overlay(o, config)
}

// thingSchema is that of the things which the tests change.
func thingSchema(t testing.TB) *schema.Schema {
	document, err := object.Decode([]byte(`{"type": "object", "properties": {
		"data": {"type": "object", "additionalProperties": {"type": "string"}},
		"spec": {"type": "object", "properties": {
			"size": {"type": "integer"},
			"words": {"type": "array", "items": {"type": "string"}},
			"box": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"wide": {"type": "integer"}}},
			"parts": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": {
				"type": "object", "required": ["name"], "properties": {
					"name": {"type": "string"}, "image": {"type": "string"}, "words": {"type": "array", "items": {"type": "string"}}}}}}}}}`))
	require.NoError(t, err)
	s, err := schema.Parse(document)
	require.NoError(t, err)
	return s
}

func patching(t testing.TB) policy.Config {
	return policy.Config{Patcher: patcher{apply.NewType(thingSchema(t))}}
}

// thing is a request to create a thing.
func thing(t testing.TB, body string) *admission.Request {
	req := request(admission.Create, "example.com", "v1", "things", "", "ns", "a")
	o, err := object.Decode([]byte(body))
	require.NoError(t, err)
	o.SetType(object.TypeMeta{APIVersion: "example.com/v1", Kind: "Kind"})
	o.SetName("a")
	req.Object = o
	return req
}

func applies(expression string) policy.Mutation {
	return policy.Mutation{PatchType: "ApplyConfiguration", ApplyConfiguration: &policy.Expression{Expression: expression}}
}

func patches(expression string) policy.Mutation {
	return policy.Mutation{PatchType: "JSONPatch", JSONPatch: &policy.Expression{Expression: expression}}
}

// mutating gives a policy about all that can be changed.
func mutating(t testing.TB, name string, spec policy.MutatingSpec) *policy.MutatingPolicy {
	if spec.MatchConstraints == nil {
		spec.MatchConstraints = &match.Resources{ResourceRules: []match.Rule{match.For("CREATE", "UPDATE").Of("*", "*")}}
	}
	if spec.ReinvocationPolicy == "" {
		spec.ReinvocationPolicy = "Never"
	}
	var compiler policy.Compiler
	p, errs := compiler.CompileMutatingSpec(name, spec)
	require.Empty(t, errs)
	return p
}

// mutatingIndex puts policies in force, each by a binding of its name.
func mutatingIndex(t testing.TB, config policy.Config, binding policy.BindingSpec, policies ...*policy.MutatingPolicy) *policy.MutatingIndex {
	var bindings []*policy.Binding
	for _, p := range policies {
		binding.PolicyName = p.Name()
		b, errs := policy.NewMutatingBinding(p.Name(), binding)
		require.Empty(t, errs)
		bindings = append(bindings, b)
	}
	return policy.NewMutatingIndex(config, policies, bindings)
}

func TestMutatingDocumentsAreRefusedInTheWordsOfTheAPI(t *testing.T) {
	var compiler policy.Compiler
	for _, d := range readRecorded[recordedDocument](t, "testdata/mutatingdocuments.json") {
		t.Run(d.Scenario, func(t *testing.T) {
			document := whole(t, d.Document)
			var errs object.FieldErrors
			if document.Kind() == "MutatingAdmissionPolicy" {
				_, errs = compiler.CompileMutating(document)
			} else {
				_, errs = policy.CompileMutatingBinding(document)
			}
			require.Equal(t, d.Message, object.Invalid(document.GroupVersionKind().GroupKind(), document.Name(), errs).Error())
		})
	}
}

func TestMutations(t *testing.T) {
	const full = `{"metadata": {"labels": {"a": "1"}}, "data": {"x": "y"}, "spec": {"size": 1, "parts": [{"name": "main", "image": "m:1", "words": ["w"]}]}}`
	const prefix = "policy 'p' with binding 'p' denied request: "
	for _, c := range []struct {
		name     string
		mutation policy.Mutation
		body     string // full if empty
		result   string // of what matters: labels, data and spec
		failure  string
	}{
		{"a configuration is merged", applies(`Object{metadata: Object.metadata{labels: {"b": "2"}}, spec: Object.spec{size: object.spec.size + 1}}`),
			"", `[{"a":"1","b":"2"},{"x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":2}]`, ""},
		{"items of a list are found by their keys", applies(`Object{spec: Object.spec{parts: [Object.spec.parts{name: "side", image: "s:1"}, Object.spec.parts{name: "main", image: "m:2"}]}}`),
			"", `[{"a":"1"},{"x":"y"},{"parts":[{"image":"s:1","name":"side"},{"image":"m:2","name":"main","words":["w"]}],"size":1}]`, ""},
		{"fields that are left out", applies(`Object{?metadata: optional.none(), spec: Object.spec{?size: object.spec.?none, ?words: optional.none()}}`),
			"", `[{"a":"1"},{"x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"nothing", applies(`Object{}`), "", `[{"a":"1"},{"x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"constructed objects can be read", applies(`Object{data: {"n": string(Object{spec: Object.spec{size: 3}}.spec.size), "has": string(has(Object{a: 1}.b)), "eq": string(Object{a: 1} == Object{a: 1})}}`),
			"", `[{"a":"1"},{"eq":"true","has":"false","n":"3","x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"an atomic list", applies(`Object{spec: Object.spec{words: ["new"]}}`), "", "",
			"error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.words"},
		{"an atomic list in an item", applies(`Object{spec: Object.spec{parts: [Object.spec.parts{name: "main", words: ["new"]}]}}`), "", "",
			"error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.parts[0].words"},
		{"an atomic map", applies(`Object{spec: Object.spec{box: Object.spec.box{wide: 2}}}`), "", "",
			"error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.box"},
		{"a field that there isn't", applies(`Object{spec: Object.spec{colour: "red"}}`), "", "",
			"error applying patch: failed to convert patch object to typed object: .spec.colour: field not declared in schema"},
		{"a wrong type", applies(`Object{spec: Object.spec{size: "large"}}`), "", "",
			"error applying patch: failed to convert patch object to typed object: .spec.size: expected numeric (int or float), got string"},
		{"a key twice", applies(`Object{spec: Object.spec{parts: [Object.spec.parts{name: "n"}, Object.spec.parts{name: "n"}]}}`), "", "",
			`error applying patch: failed to convert patch object to typed object: .spec.parts: duplicate entries for key [name="n"]`},
		{"null", applies(`Object{spec: Object.spec{parts: [Object.spec.parts{name: "main", image: dyn(null)}]}}`), "", "",
			"error applying patch: invalid ApplyConfiguration: may not be null: .spec.parts[0].image"},
		{"an object of another place", applies(`Object{spec: Object.status{}, data: {"a": Object.data{}}}`), "", "",
			`type mismatch: unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type`},
		{"keys that are no texts", applies(`Object{data: {1: "b"}}`), "", "", `fail to convert field "data": map key 1 is of type int, not string`},
		{"operations", patches(`[JSONPatch{op: "test", path: "/data/x", value: "y"}, JSONPatch{op: "move", from: "/data/x", path: "/data/z"},
			JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("e/b~c"), value: "2"}] + (has(object.none) ? [JSONPatch{op: "remove", path: "/none"}] : [])`),
			"", `[{"a":"1","e/b~c":"2"},{"z":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"values of all types", patches(`[JSONPatch{op: "replace", path: "/spec", value: {"int": dyn(1), "uint": dyn(2u), "whole": dyn(3.0), "part": dyn(0.5), "bool": dyn(true), "null": dyn(null),
			"bytes": dyn(b'abc'), "time": dyn(timestamp("2026-01-02T03:04:05Z")), "duration": dyn(duration("90s")), "list": dyn(object.spec.parts.map(p, p.name)),
			"part0": dyn(object.spec.parts[0]), "made": dyn(Object.spec{a: 1})}}]`),
			"", `[{"a":"1"},{"x":"y"},{"bool":true,"bytes":"YWJj","duration":"90s","int":1,"list":["main"],"made":{"a":1},"null":null,"part":0.5,"part0":{"image":"m:1","name":"main","words":["w"]},"time":"2026-01-02T03:04:05Z","uint":2,"whole":3}]`, ""},
		{"a test that fails", patches(`[JSONPatch{op: "test", path: "/data/x", value: "z"}, JSONPatch{op: "remove", path: "/data"}]`),
			"", `[{"a":"1"},{"x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"no operations", patches(`[JSONPatch{op: "remove", path: "/data"}].filter(p, false)`), "", `[{"a":"1"},{"x":"y"},{"parts":[{"image":"m:1","name":"main","words":["w"]}],"size":1}]`, ""},
		{"a value of another place", patches(`[JSONPatch{op: "add", path: "/spec", value: Object.spec{a: Object.b{}}}]`), "", "",
			`type mismatch: unexpected type name "Object.b", expected "Object.spec.a", which matches field name path from root Object type`},
		{"an operation that does not fit", patches(`[JSONPatch{op: "remove", path: "/data/missing"}]`), "", "",
			"JSON Patch: error in remove for path: '/data/missing': Unable to remove nonexistent key: missing: missing value"},
		{"an expression in error", patches(`[JSONPatch{op: "add", path: "/data/a", value: object.none}]`), "", "",
			`expression '[JSONPatch{op: "add", path: "/data/a", value: object.none}]' resulted in error: no such key: none`},
		{"a number that is none", patches(`[JSONPatch{op: "add", path: "/data/a", value: 0.0 / 0.0}]`), "", "", "the number NaN has no form in JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, failurePolicy := range []string{"Fail", "Ignore"} {
				spec := policy.MutatingSpec{FailurePolicy: failurePolicy, Mutations: []policy.Mutation{c.mutation}}
				index := mutatingIndex(t, patching(t), policy.BindingSpec{}, mutating(t, "p", spec))
				body := full
				req := thing(t, body)
				before, given := req.Object.DeepCopy(), req.Object
				err := index.Mutate(context.Background(), req)
				require.Equal(t, before, given, "what the request had is left as it is")
				if c.failure == "" {
					require.NoError(t, err)
					result := object.AppendJSON(nil, []any{req.Object.Metadata()["labels"], req.Object["data"], req.Object["spec"]})
					require.JSONEq(t, c.result, string(result))
					continue
				}
				require.Equal(t, before, req.Object)
				if failurePolicy == "Ignore" {
					require.NoError(t, err)
					continue
				}
				require.EqualError(t, err, prefix+c.failure)
				status := object.AsStatus(err)
				require.Equal(t, 403, status.Code)
				require.Equal(t, object.ErrInvalid, status.Reason)
				require.Equal(t, prefix+c.failure, status.Details.Causes[0].Message)
			}
		})
	}
}

func TestEachMutationSeesTheOneBefore(t *testing.T) {
	spec := policy.MutatingSpec{
		Variables: []policy.Variable{{Name: "steps", Expression: "object.?data.steps.orValue('')"}},
		Mutations: []policy.Mutation{
			applies(`Object{data: {"steps": string(variables.steps) + "1"}}`),
			patches(`[JSONPatch{op: "replace", path: "/data/steps", value: object.data.steps + "2"}]`),
			applies(`Object{data: {"steps": string(object.none)}}`),
			applies(`Object{data: {"steps": string(variables.steps) + "3"}}`),
			applies(`Object{spec: Object.spec{colour: "red"}}`),
		},
	}
	index := mutatingIndex(t, patching(t), policy.BindingSpec{}, mutating(t, "p", spec))
	req := thing(t, `{}`)
	err := index.Mutate(context.Background(), req)
	require.Equal(t, map[string]any{"steps": "123"}, req.Object["data"])
	require.Len(t, object.AsStatus(err).Details.Causes, 2, "one for each that failed")
	require.ErrorContains(t, err, "no such key: none")
}

func TestPoliciesMutateInTheOrderOfTheirNames(t *testing.T) {
	step := func(name string) *policy.MutatingPolicy {
		return mutating(t, name, policy.MutatingSpec{Mutations: []policy.Mutation{
			applies(fmt.Sprintf(`Object{data: {"steps": object.?data.steps.orValue('') + '%s'}}`, name)),
		}})
	}
	index := mutatingIndex(t, patching(t), policy.BindingSpec{}, step("b"), step("c"), step("a"))
	req := thing(t, `{}`)
	require.NoError(t, index.Mutate(context.Background(), req))
	require.Equal(t, map[string]any{"steps": "abc"}, req.Object["data"])
}

func TestWhatMatchesIsDecidedBeforeAnythingChanges(t *testing.T) {
	labels := mutating(t, "a", policy.MutatingSpec{Mutations: []policy.Mutation{applies(`Object{metadata: Object.metadata{labels: {"mode": "on"}}}`)}})
	selects := mutating(t, "b", policy.MutatingSpec{
		ReinvocationPolicy: "IfNeeded",
		MatchConstraints: &match.Resources{
			ResourceRules:  []match.Rule{match.For("*").Of("*", "*")},
			ObjectSelector: &object.LabelSelectorSpec{MatchLabels: map[string]string{"mode": "on"}},
		},
		Mutations: []policy.Mutation{applies(`Object{data: {"b": "made"}}`)},
	})
	chain := admission.Chain{Mutators: []admission.Mutator{mutatingIndex(t, patching(t), policy.BindingSpec{}, labels, selects)}}
	req := thing(t, `{}`)
	require.NoError(t, chain.Mutate(context.Background(), req))
	require.NotContains(t, req.Object, "data", "neither at the first call nor at the second")
}

// TestReinvocation is the recorded scenario map/reinvocation.
func TestReinvocation(t *testing.T) {
	counting := func(name, reinvocation, expression string) *policy.MutatingPolicy {
		return mutating(t, name, policy.MutatingSpec{
			ReinvocationPolicy: reinvocation,
			MatchConditions:    []policy.MatchCondition{{Name: "wanted", Expression: fmt.Sprintf("object.data.want.contains('%s')", name)}},
			Mutations:          []policy.Mutation{applies(expression)},
		})
	}
	index := mutatingIndex(t, patching(t), policy.BindingSpec{},
		counting("again", "IfNeeded", `Object{data: {"again": object.data.?again.orValue("") + "x"}}`),
		counting("once", "Never", `Object{data: {"once": object.data.?once.orValue("") + "x"}}`),
		counting("same", "IfNeeded", `Object{data: {"same": "set"}}`))
	other := admission.MutatorFunc(func(_ context.Context, req *admission.Request) error {
		if strings.Contains(req.Object["data"].(map[string]any)["want"].(string), "other") {
			req.Object["data"].(map[string]any)["other"] = "set"
		}
		return nil
	})
	for want, result := range map[string]string{
		"once":            `{"once":"x","want":"once"}`,
		"again":           `{"again":"xx","want":"again"}`,
		"again once":      `{"again":"xx","once":"x","want":"again once"}`,
		"same":            `{"same":"set","want":"same"}`,
		"same again":      `{"again":"xx","same":"set","want":"same again"}`,
		"again once same": `{"again":"xx","once":"x","same":"set","want":"again once same"}`,
		"none":            `{"want":"none"}`,
		"once other":      `{"once":"x","other":"set","want":"once other"}`,
		"again other":     `{"again":"xx","other":"set","want":"again other"}`,
	} {
		t.Run(want, func(t *testing.T) {
			req := thing(t, fmt.Sprintf(`{"data": {"want": %q}}`, want))
			chain := admission.Chain{Mutators: []admission.Mutator{index, other}}
			require.NoError(t, chain.Mutate(context.Background(), req))
			require.JSONEq(t, result, string(object.AppendJSON(nil, req.Object["data"])))
		})
	}
}

func TestParametersOfMutations(t *testing.T) {
	spec := policy.MutatingSpec{
		ParamKind:       &policy.ParamKind{APIVersion: "example.com/v1", Kind: "Limit"},
		MatchConditions: []policy.MatchCondition{{Name: "some", Expression: "params.most > 1"}},
		Mutations:       []policy.Mutation{applies(`Object{data: {"most": object.?data.most.orValue('') + string(params.most)}}`)},
	}
	bind := func(action string) policy.BindingSpec {
		selector := &object.LabelSelectorSpec{MatchLabels: map[string]string{"use": "yes"}}
		return policy.BindingSpec{ParamRef: &policy.ParamRef{Selector: selector, ParameterNotFoundAction: action}}
	}
	const denied = "policy 'p' with binding 'p' denied request: failed to configure binding: "
	for _, c := range []struct {
		name    string
		params  policy.Params
		action  string
		most    any
		message string
		reason  object.Reason
	}{
		{"each in turn", paramStore{objects: []object.Object{limit("", "a", "yes", 2), limit("", "b", "yes", 1), limit("", "c", "yes", 3)}}, "Deny", "23", "", ""},
		{"none is denied", paramStore{}, "Deny", nil, denied + "no params found for policy binding with `Deny` parameterNotFoundAction", object.ErrForbidden},
		{"none is allowed", paramStore{}, "Allow", nil, "", ""},
		{"a kind that there isn't", nil, "Allow", nil, `policy "p" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'`, object.ErrForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := patching(t)
			config.Params = c.params
			index := mutatingIndex(t, config, bind(c.action), mutating(t, "p", spec))
			req := thing(t, `{}`)
			err := index.Mutate(context.Background(), req)
			data, _ := req.Object["data"].(map[string]any)
			require.Equal(t, c.most, data["most"])
			if c.message == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.message)
			require.Equal(t, c.reason, object.AsStatus(err).Reason)
		})
	}
}

func TestConditionsInErrorFailMutations(t *testing.T) {
	spec := policy.MutatingSpec{
		MatchConditions: []policy.MatchCondition{{Name: "c", Expression: "object.none == 1"}},
		Mutations:       []policy.Mutation{applies(`Object{data: {"a": "b"}}`)},
	}
	index := mutatingIndex(t, patching(t), policy.BindingSpec{}, mutating(t, "p", spec))
	err := index.Mutate(context.Background(), thing(t, `{}`))
	require.EqualError(t, err, "policy 'p' with binding 'p' denied request: expression 'object.none == 1' resulted in error: no such key: none")
}

func TestPolicyMutatesTheFormThatItMatched(t *testing.T) {
	spec := policy.MutatingSpec{
		MatchConstraints: &match.Resources{ResourceRules: []match.Rule{{Operations: []string{"*"}, APIGroups: []string{"old"}, APIVersions: []string{"v1"}, Resources: []string{"items"}}}},
		Mutations:        []policy.Mutation{applies(`Object{data: {"seen": object.apiVersion + ' ' + request.requestKind.version}}`)},
	}
	config := patching(t)
	config.Equivalence, config.Converter = twoVersions{}, unconverted{}
	req := request(admission.Create, "new", "v2", "things", "", "ns", "a")
	req.Object.SetType(req.Kind.TypeMeta())
	require.NoError(t, mutatingIndex(t, config, policy.BindingSpec{}, mutating(t, "p", spec)).Mutate(context.Background(), req))
	require.Equal(t, map[string]any{"seen": "old/v1 v2"}, req.Object["data"])
	require.Equal(t, req.Kind, req.Object.GroupVersionKind())

	config.Converter = nil
	err := mutatingIndex(t, config, policy.BindingSpec{}, mutating(t, "p", spec)).Mutate(context.Background(), req)
	require.EqualError(t, err, `policy "p" denied request: failed to configure policy: there is no converter`)
}

func TestPoliciesThatKnowDifferentFormsSeeWhatTheOthersMade(t *testing.T) {
	of := func(name, version string) *policy.MutatingPolicy {
		return mutating(t, name, policy.MutatingSpec{
			MatchConstraints: &match.Resources{ResourceRules: []match.Rule{{Operations: []string{"*"}, APIGroups: []string{"new"}, APIVersions: []string{version}, Resources: []string{"things"}}}},
			Mutations:        []policy.Mutation{applies(`Object{data: {"seen": object.?data.seen.orValue('') + object.apiVersion + ' '}}`)},
		})
	}
	config := patching(t)
	config.Equivalence, config.Converter = twoVersions{}, unconverted{}
	req := request(admission.Create, "new", "v2", "things", "", "ns", "a")
	req.Object.SetType(req.Kind.TypeMeta())
	require.NoError(t, mutatingIndex(t, config, policy.BindingSpec{}, of("a", "v1"), of("b", "v2"), of("c", "v1")).Mutate(context.Background(), req))
	require.Equal(t, map[string]any{"seen": "new/v1 new/v2 new/v1 "}, req.Object["data"])
}

func TestAnswerOfThePatcherEndsTheRequest(t *testing.T) {
	config := policy.Config{Patcher: refusing{}}
	spec := policy.MutatingSpec{FailurePolicy: "Ignore", Mutations: []policy.Mutation{applies(`Object{}`)}}
	err := mutatingIndex(t, config, policy.BindingSpec{}, mutating(t, "p", spec)).Mutate(context.Background(), thing(t, `{}`))
	require.ErrorIs(t, err, object.ErrInternal)
	require.Equal(t, "Internal error occurred: cannot read it", object.AsStatus(err).Message)
}

type refusing struct{ policy.Patcher }

func (refusing) Apply(context.Context, object.Object, object.Object) (object.Object, error) {
	return nil, object.InternalError(errors.New("cannot read it"))
}

func TestMutatingPoliciesAreOutOfTheirOwnReach(t *testing.T) {
	p := mutating(t, "p", policy.MutatingSpec{Mutations: []policy.Mutation{applies(`Object{metadata: Object.metadata{labels: {"a": "b"}}}`)}})
	index := mutatingIndex(t, patching(t), policy.BindingSpec{}, p)
	req := request(admission.Create, "admissionregistration.k8s.io", "v1", "mutatingadmissionpolicies", "", "", "a")
	require.NoError(t, index.Mutate(context.Background(), req))
	require.Empty(t, req.Object.Labels())
	require.NoError(t, index.Mutate(context.Background(), request(admission.Delete, "", "v1", "pods", "", "ns", "a")))
}
