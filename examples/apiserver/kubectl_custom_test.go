package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const gearDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: gears, kind: Gear, shortNames: [gr], categories: [machines]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}}
    additionalPrinterColumns:
    - {name: Teeth, type: integer, jsonPath: .spec.teeth}
    schema:
      openAPIV3Schema:
        type: object
        description: Gear turns others.
        properties:
          spec:
            type: object
            required: [teeth]
            properties:
              teeth: {type: integer, minimum: 3, description: How many teeth it has.}
              count: {type: integer, default: 1}
              shafts: {type: array, items: {type: object, properties: {name: {type: string}}}}
          status: {type: object, properties: {count: {type: integer}}}
`

func TestKubectlCustomResources(t *testing.T) {
	s := startServer(t)
	k := newKubectl(t, s)
	definition := k.file("definition.yaml", gearDefinition)
	require.Equal(t, "customresourcedefinition.apiextensions.k8s.io/gears.example.com created (dry run)\n",
		k.run("apply", "--dry-run=client", "-f", definition))
	k.run("create", "--validate=strict", "-f", definition)
	require.Eventually(t, func() bool { // the command fails while there are no conditions at all
		return k.command("wait", "--for=condition=Established", "--timeout=10s", "crd/gears.example.com").Run() == nil
	}, 30*time.Second, 100*time.Millisecond)
	require.Contains(t, k.run("get", "crds"), "CREATED AT")

	require.Contains(t, k.run("explain", "gears"), "Gear turns others.")
	require.Contains(t, k.run("explain", "gr.spec.teeth"), "How many teeth it has.")
	all := k.run("explain", "gears", "--recursive")
	require.Contains(t, all, "shafts\t<[]Object>\n      name\t<string>")
	require.Contains(t, all, "ownerReferences\t<[]", "the metadata is explained, too")

	gear := k.file("gear.yaml", "apiVersion: example.com/v1\nkind: Gear\nmetadata: {name: a}\nspec: {teeth: 12}\n")
	require.Equal(t, "gear.example.com/a created (dry run)\n", k.run("apply", "--dry-run=client", "-f", gear))
	require.Equal(t, "gear.example.com/a created (server dry run)\n", k.run("create", "--dry-run=server", "-f", gear))
	require.Equal(t, "gear.example.com/a created\n", k.run("create", "--validate=strict", "-f", gear))
	wrong := k.file("wrong.yaml", "apiVersion: example.com/v1\nkind: Gear\nmetadata: {name: b}\nspec: {teeth: 12, tooth: 1}\n")
	require.Contains(t, k.fail("create", "--validate=strict", "-f", wrong), `unknown field "spec.tooth"`)
	require.Contains(t, k.fail("patch", "gear", "a", "--type=merge", "-p", `{"spec":{"teeth":2}}`), "should be greater than or equal to 3")
	require.Equal(t, "gear.example.com/a scaled\n", k.run("scale", "gear/a", "--replicas=4"))
	require.Equal(t, "4", k.run("get", "gear", "a", "-o", "jsonpath={.spec.count}"))
	require.Regexp(t, `^NAME +DESIRED +AVAILABLE +AGE\na +4 +0 +\d+s\n$`, k.run("get", "gear", "a", "--subresource=scale"))
	require.Regexp(t, `NAME +TEETH\na +12\n`, k.run("get", "machines"))

	k.run("delete", "crd", "gears.example.com", "--timeout=10s")
	require.Contains(t, k.fail("get", "gears"), "the server could not find the requested resource")
}
