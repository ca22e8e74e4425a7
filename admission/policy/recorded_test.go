package policy_test

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/policy"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// recordedScenario is what kube-apiserver v1.37.2 said to requests under some policies.
type recordedScenario struct {
	Scenario           string
	Policies, Bindings []object.Object
	Cases              []recordedCase
}

type recordedCase struct {
	Step, Group, Version, Resource, Subresource string
	Operation                                   admission.Operation // CREATE if there is none
	Name                                        *string             // that of the object if there is none
	Object, OldObject, Options                  object.Object
	User                                        object.User
	DryRun                                      bool

	Status          int
	Message, Reason string
	Warnings        []string
}

// recordedNamespace is the one that the cases were recorded in.
var recordedNamespace = object.Object{
	"metadata": map[string]any{
		"name":        "ns",
		"labels":      map[string]any{"kubernetes.io/metadata.name": "ns", "stage": "test"},
		"annotations": map[string]any{"budget": "3"},
	},
	"spec": map[string]any{"finalizers": []any{"kubernetes"}}, "status": map[string]any{"phase": "Active"},
}

func (c *recordedCase) request(t *testing.T) *admission.Request {
	req := &admission.Request{
		Operation: cmp.Or(c.Operation, admission.Create), Subresource: c.Subresource,
		Resource:  object.GroupVersionResource{Group: c.Group, Version: c.Version, Resource: c.Resource},
		Namespace: "ns", User: c.User, DryRun: c.DryRun,
		FindNamespace: func() object.Object { return recordedNamespace },
	}
	if c.Options != nil {
		req.Options = whole(t, c.Options)
	}
	for from, to := range map[*object.Object]*object.Object{&c.Object: &req.Object, &c.OldObject: &req.OldObject} {
		if *from != nil {
			*to = whole(t, *from)
			to.SetNamespace("ns")
			req.Kind, req.Name = to.GroupVersionKind(), to.Name()
		}
	}
	if c.Name != nil {
		req.Name = *c.Name
	}
	if req.User.Name == "" {
		req.User.Name = "admin"
	}
	return req
}

// recordedDocument is what it said about policies and bindings that it refused.
type recordedDocument struct {
	Scenario string
	Document object.Object
	Message  string
	Fields   []string // if the words are the parser's
}

// readRecorded reads a file of recordings.
func readRecorded[T any](t testing.TB, file string) []T {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var items []T
	require.NoError(t, json.Unmarshal(data, &items))
	return items
}

// whole gives the document with whole numbers, which encoding/json makes floats of.
func whole(t testing.TB, o object.Object) object.Object {
	decoded, err := object.Decode(object.AppendJSON(nil, o))
	require.NoError(t, err)
	return decoded
}

func TestRequestsAreAnsweredInTheWordsOfTheAPI(t *testing.T) {
	var compiler policy.Compiler
	for _, s := range readRecorded[recordedScenario](t, "testdata/requests.json") {
		index := indexOf(t, &compiler, policy.Config{}, s.Policies, s.Bindings)
		for _, c := range s.Cases {
			t.Run(s.Scenario+"/"+c.Step, func(t *testing.T) {
				req := c.request(t)
				err := index.Validate(context.Background(), req)
				require.Equal(t, c.Warnings, req.Warnings())
				if c.Status == 201 {
					require.NoError(t, err)
					return
				}
				require.Error(t, err)
				status := object.AsStatus(err)
				if c.Message != "" {
					require.Equal(t, c.Message, status.Message)
				}
				if c.Reason != "" {
					require.Equal(t, c.Reason, string(status.Reason))
				}
				require.Equal(t, c.Status, status.Code)
			})
		}
	}
}

func TestDocumentsAreRefusedInTheWordsOfTheAPI(t *testing.T) {
	var compiler policy.Compiler
	for _, d := range readRecorded[recordedDocument](t, "testdata/documents.json") {
		t.Run(d.Scenario, func(t *testing.T) {
			document := whole(t, d.Document)
			var errs object.FieldErrors
			if document.Kind() == "ValidatingAdmissionPolicy" {
				_, errs = compiler.Compile(document)
			} else {
				_, errs = policy.CompileBinding(document)
			}
			if d.Message != "" {
				err := object.Invalid(document.GroupVersionKind().GroupKind(), document.Name(), errs)
				require.Equal(t, d.Message, err.Error())
				return
			}
			var fields []string
			for _, e := range errs {
				fields = append(fields, e.Field)
			}
			require.Equal(t, d.Fields, fields)
		})
	}
}

// indexOf makes an index of documents that have to be right.
func indexOf(t testing.TB, compiler *policy.Compiler, config policy.Config, policies, bindings []object.Object) *policy.Index {
	var compiled []*policy.Policy
	for _, d := range policies {
		p, errs := compiler.Compile(d)
		require.Empty(t, errs)
		compiled = append(compiled, p)
	}
	var bound []*policy.Binding
	for _, d := range bindings {
		b, errs := policy.CompileBinding(d)
		require.Empty(t, errs)
		bound = append(bound, b)
	}
	return policy.NewIndex(config, compiled, bound)
}
