package apitest_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
	"github.com/seed-6c0fa0ad/plinth/server/apitest"
)

const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        x-kubernetes-validations:
        - rule: "!has(self.spec) || !has(self.spec.size) || self.spec.size < 100"
          message: too large
        properties:
          spec: {type: object, properties: {size: {type: integer, minimum: 0}, color: {type: string}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const world = `
apiVersion: example.com/v1
kind: Gadget
metadata: {name: first, namespace: lab}
spec: {size: 1, color: red}
status: {ready: true}
---
apiVersion: v1
kind: Namespace
metadata: {name: lab}
--- # the others, in a list
apiVersion: v1
kind: List
items:
- apiVersion: example.com/v1
  kind: Gadget
  metadata: {name: second}
`

// files are a folder as a project has it.
var files = fstest.MapFS{
	"crd/bases/gadgets.yaml":    {Data: []byte(gadgets)},
	"crd/kustomization.yaml":    {Data: []byte("resources: [bases/gadgets.yaml]\n")},
	"crd/patches/webhook.yaml":  {Data: []byte("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nmetadata: {name: gadgets.example.com}\n")},
	"crd/bases/README.md":       {Data: []byte("Not a manifest.")},
	"testdata/world/world.yaml": {Data: []byte(world)},
}

// gadget names one, or their collection.
func gadget(namespace, name string) server.Target {
	return server.Target{
		Resource:  object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"},
		Namespace: namespace, Name: name,
	}
}

// first is the gadget that the world begins with.
var first = gadget("lab", "first")

func newWorld(t testing.TB, options ...apitest.Option) *apitest.Server {
	t.Helper()
	return apitest.New(t, append([]apitest.Option{apitest.CRDsFS(files, "crd"), apitest.ManifestsFS(files, "testdata/world")}, options...)...)
}

// create makes a gadget in the lab.
func create(t testing.TB, srv *apitest.Server, name string, owners ...object.OwnerReference) object.Object {
	t.Helper()
	o := object.Object{"metadata": map[string]any{"name": name}}
	o.SetOwnerReferences(owners)
	created, err := srv.Create(t.Context(), gadget("lab", ""), o, server.WriteOptions{FieldManager: "test"})
	require.NoError(t, err)
	return created
}

// patch changes an object as a manager of fields.
func patch(t testing.TB, srv *apitest.Server, at server.Target, manager, change string) object.Object {
	t.Helper()
	o, err := srv.Patch(t.Context(), at, apply.MergePatch, []byte(change), server.WriteOptions{FieldManager: manager})
	require.NoError(t, err)
	return o
}
