package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// listOf is a manifest of two objects in one document, which kubectl checks against
// the message of /openapi/v2.
const listOf = `
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: first}
  data: {k: v}
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: second}
  spec: {size: 3}
`

func TestKubectlLists(t *testing.T) {
	s := startServer(t)
	for _, verb := range []string{"create", "apply"} {
		t.Run(verb, func(t *testing.T) {
			k := newKubectl(t, s)
			k.run("create", "namespace", verb)
			require.Equal(t, "configmap/first created\nwidget.example.com/second created\n", k.run(verb, "-n", verb, "-f", k.file("list.yaml", listOf)))
			require.Equal(t, "v", k.run("get", "cm", "first", "-n", verb, "-o", "jsonpath={.data.k}"))
		})
	}
	t.Run("applies again", func(t *testing.T) {
		k := newKubectl(t, s)
		require.Equal(t, "configmap/first unchanged\nwidget.example.com/second unchanged\n", k.run("apply", "-n", "apply", "-f", k.file("list.yaml", listOf)))
	})
	t.Run("with an unknown field", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("list.yaml", listOf+"- {apiVersion: v1, kind: ConfigMap, metadata: {name: third}, datum: {k: v}}\n")
		for _, verb := range []string{"create", "apply"} {
			require.Contains(t, k.fail(verb, "-f", f), `unknown field "datum"`)
		}
	})
}
