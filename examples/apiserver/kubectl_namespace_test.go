package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestKubectlDeletesNamespaces(t *testing.T) {
	s := startServer(t)
	k := newKubectl(t, s)
	k.run("create", "namespace", "full")
	k.run("create", "configmap", "a", "-n", "full")
	k.run("create", "secret", "generic", "b", "-n", "full")
	require.Equal(t, "namespace \"full\" deleted\n", k.run("delete", "ns", "full"), "it waits for the end")
	require.Contains(t, k.fail("get", "ns", "full"), `namespaces "full" not found`)
	require.Contains(t, k.fail("delete", "ns", "default"), `namespaces "default" is forbidden: this namespace may not be deleted`)

	k.run("create", "namespace", "front")
	k.run("create", "configmap", "a", "-n", "front")
	require.Equal(t, "namespace \"front\" deleted\n", k.run("delete", "ns", "front", "--cascade=foreground"))

	k.run("create", "namespace", "held")
	k.run("create", "-f", k.file("held.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: held, finalizers: [example.com/hold]}\n"))
	require.Equal(t, "namespace \"held\" deleted\n", k.run("delete", "ns", "held", "--wait=false"))
	require.Regexp(t, `(?m)^held +Terminating `, k.run("get", "ns"))
	k.run("wait", "ns/held", "--for=condition=NamespaceFinalizersRemaining", "--timeout=20s")
	require.Contains(t, k.fail("create", "configmap", "late", "-n", "held"),
		`configmaps "late" is forbidden: unable to create new content in namespace held because it is being terminated`)

	waiting := k.command("delete", "ns", "held")
	require.NoError(t, waiting.Start())
	k.run("patch", "cm", "a", "-n", "held", "--type", "merge", "-p", `{"metadata":{"finalizers":null}}`)
	ended := make(chan error, 1)
	go func() { ended <- waiting.Wait() }()
	select {
	case err := <-ended:
		_ = err // it may have come when the namespace was gone already
	case <-time.After(20 * time.Second):
		_ = waiting.Process.Kill()
		t.Fatal("kubectl waits although the namespace is gone")
	}
	require.NotContains(t, k.run("get", "ns", "-o", "name"), "held")
}

func TestNamespacesStayWithoutControllers(t *testing.T) {
	k := newKubectl(t, startServer(t, "--controllers=false"))
	k.run("create", "namespace", "n")
	k.run("delete", "ns", "n", "--wait=false")
	time.Sleep(200 * time.Millisecond)
	require.Regexp(t, `(?m)^n +Terminating `, k.run("get", "ns"))
}
