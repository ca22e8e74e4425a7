package apitest_test

import (
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

func TestAServerThatCannotBeginFailsItsTest(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
	}{
		"not YAML":        {"a: [", "filling an API server: reading the manifests of f.yaml: f.yaml: document 1: yaml: "},
		"unknown kind":    {"kind: Nothing\napiVersion: v1", `filling an API server: finding the resource of /v1, Kind=Nothing: no matches for kind "Nothing" in version "v1"`},
		"invalid object":  {"kind: Namespace\napiVersion: v1\nmetadata: {name: A_B}", "filling an API server: creating Namespace A_B: "},
		"no namespace":    {gadgets + "---\nkind: Gadget\napiVersion: example.com/v1\nmetadata: {name: a, namespace: none}", `filling an API server: creating Gadget a: namespaces "none" not found`},
		"names are taken": {gadgets + "---\n" + rival, "filling an API server: the definition widgets.example.com is not established: "},
	} {
		t.Run(name, func(t *testing.T) {
			inner := &life{TB: t}
			var starting sync.WaitGroup
			starting.Go(func() {
				apitest.New(inner, apitest.ManifestsFS(fstest.MapFS{"f.yaml": {Data: []byte(test.text)}}, "f.yaml"))
			})
			starting.Wait()
			require.Contains(t, inner.end(), test.want)
		})
	}
}

// rival has the kind of gadgets.
const rival = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Gadget}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
`

func TestFilesOfTheSystem(t *testing.T) {
	srv := apitest.New(t, apitest.CRDs("testdata/crd"), apitest.Manifests("testdata/world.yaml"))
	_, err := srv.Get(t.Context(), first)
	require.NoError(t, err)
}

func TestResourcesTakeThePlaceOfTheServersOwn(t *testing.T) {
	namespaces := server.NamespaceKind()
	namespaces.ShortNames = []string{"room"}
	srv := apitest.New(t, apitest.Resources(namespaces, server.Resource{
		Plural: "notes", Kind: "Note", Namespaced: true, Versions: []server.Version{{Name: "v1"}}}))
	answer := ask(t, srv, http.MethodGet, "/api/v1", "")
	body := bodyOf(t, answer)
	require.Contains(t, body, `"room"`)
	require.NotContains(t, body, `"ns"`)
	require.Contains(t, body, `"notes"`)
}

// keyholder lets in who has the key.
type keyholder struct{}

func (keyholder) Authenticate(r *http.Request) (object.User, bool, error) {
	return object.User{Name: "ada"}, r.Header.Get("Authorization") == "Bearer key", nil
}

func TestTheRestOfTheConfiguration(t *testing.T) {
	var told []string
	srv := newWorld(t, apitest.Config(server.Config{
		Authenticator: keyholder{},
		Wrote: func(about server.Attributes, _ string, _ object.ResourceVersion) {
			told = append(told, about.User.Name+" "+about.Verb+" "+about.Name)
		},
	}))
	told = nil
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://api"+firstPath, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer key")
	answer, err := srv.Transport().RoundTrip(r)
	require.NoError(t, err)
	require.Equal(t, 200, code(t, answer))
	require.Equal(t, []string{"ada delete first"}, told)
}

func TestWithoutControllersGarbageStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t, apitest.NoControllers())
		create(t, srv, "child", reference(create(t, srv, "owner")))
		_, _, err := srv.Delete(t.Context(), gadget("lab", "owner"), gc.DeleteOptions{})
		require.NoError(t, err)
		require.NoError(t, srv.Quiet(t.Context(), time.Hour))
		require.Equal(t, []string{"child", "first"}, names(t, srv))
	})
}

const policy = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: sizes}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], resources: [gadgets], operations: [CREATE, UPDATE]}]}
  validations: [{expression: "!has(object.spec) || object.spec.size != 13", message: unlucky}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: sizes}
spec: {policyName: sizes, validationActions: [Deny]}
`

// TestWorldsPassInAndOutOfBubbles uses all that servers of one world share: definitions, rules,
// policies and how documents merge.
func TestWorldsPassInAndOutOfBubbles(t *testing.T) {
	files := fstest.MapFS{"policy.yaml": {Data: []byte(policy)}}
	use := func(t *testing.T, srv *apitest.Server) {
		for size, want := range map[string]string{"500": "too large", "13": "unlucky", "7": ""} {
			_, err := srv.Patch(t.Context(), first, apply.ApplyPatch,
				[]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"first"},"spec":{"size":`+size+`}}`),
				server.WriteOptions{FieldManager: "user", Force: true})
			if want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, want)
			}
		}
	}
	var inside *apitest.Snapshot
	synctest.Test(t, func(t *testing.T) {
		srv := newWorld(t, apitest.ManifestsFS(files, "policy.yaml"))
		use(t, srv)
		inside = srv.Snapshot()
	})
	outside := newWorld(t, apitest.ManifestsFS(files, "policy.yaml")).Snapshot()
	for range 3 {
		for _, world := range []*apitest.Snapshot{inside, outside} {
			use(t, world.Fork(t))
			synctest.Test(t, func(t *testing.T) { use(t, world.Fork(t)) })
		}
	}
}

func TestRestoreOfTheSnapshotOfAnotherServer(t *testing.T) {
	there, here := newWorld(t), apitest.New(t)
	create(t, there, "new")
	require.NoError(t, here.Restore(t.Context(), there.Snapshot()))
	require.Equal(t, []string{"first", "new"}, names(t, here))
	require.Equal(t, 200, code(t, ask(t, here, http.MethodGet, firstPath, "")))
}
