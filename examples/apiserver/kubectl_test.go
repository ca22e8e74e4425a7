package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	kubectlcmd "k8s.io/kubectl/pkg/cmd"
)

// These make this test binary be kubectl, so that every command is a process of its
// own, as for a user, or the program itself, so that it can be killed.
const (
	asKubectl = "TEST_AS_KUBECTL"
	asServer  = "TEST_AS_APISERVER"
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asServer) != "":
		main()
	case os.Getenv(asKubectl) == "":
		os.Exit(m.Run())
	default:
		if err := kubectlcmd.NewDefaultKubectlCommand().Execute(); err != nil {
			os.Exit(1)
		}
	}
}

// kubectl runs commands against one server.
type kubectl struct {
	*testing.T
	config string
	dir    string
}

func newKubectl(t *testing.T, s *runningServer) *kubectl {
	return &kubectl{t, s.kubeconfig, t.TempDir()}
}

func (k *kubectl) command(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{"--kubeconfig", k.config, "--cache-dir", filepath.Join(k.dir, "cache")}, args...)...)
	c.Dir = k.dir
	c.Env = append(os.Environ(), asKubectl+"=1", "HOME="+k.dir, "TMPDIR="+k.dir,
		"GORACE=atexit_sleep_ms=0") // else each command, built to detect races, sleeps a second at its end
	return c
}

// run gives what a command that must succeed prints.
func (k *kubectl) run(args ...string) string {
	k.Helper()
	c := k.command(args...)
	var out, messages bytes.Buffer
	c.Stdout, c.Stderr = &out, &messages
	require.NoError(k, c.Run(), "kubectl %s\n%s%s", strings.Join(args, " "), &out, &messages)
	return out.String()
}

// fail gives the message of a command that must fail.
func (k *kubectl) fail(args ...string) string {
	k.Helper()
	out, err := k.command(args...).CombinedOutput()
	require.Error(k, err, "kubectl %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

func (k *kubectl) file(name, content string) string {
	k.Helper()
	path := filepath.Join(k.dir, name)
	require.NoError(k, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestKubectl(t *testing.T) {
	s := startServer(t)
	k := newKubectl(t, s)

	t.Run("creates from a file and reads back", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {app: demo}}\ndata: {k: v, l: \"2\"}\n")
		require.Equal(t, "configmap/a created\n", k.run("create", "-f", f))
		require.Contains(t, k.fail("create", "-f", f), `Error from server (AlreadyExists): error when creating "`)
		require.Regexp(t, `^NAME +DATA +AGE\na +2 +\d+s\n$`, k.run("get", "cm", "a"))
		require.Equal(t, "v", k.run("get", "cm", "a", "-o", "jsonpath={.data.k}"))
		require.Equal(t, "configmap/a\n", k.run("get", "cm", "-l", "app=demo", "-o", "name"))
		document := k.run("get", "configmap", "a", "-o", "yaml")
		require.Contains(t, document, "  k: v\n  l: \"2\"\nkind: ConfigMap\n")
		require.Regexp(t, regexp.MustCompile(`(?m)^  uid: [0-9a-f-]{36}$`), document)
	})
	t.Run("refuses unknown fields", func(t *testing.T) {
		k := newKubectl(t, s)
		f := k.file("bad.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bad}\ndatum: {k: v}\n")
		require.Contains(t, k.fail("create", "-f", f), `unknown field "datum"`)
	})
	t.Run("labels, annotates and patches", func(t *testing.T) {
		k := newKubectl(t, s)
		require.Equal(t, "configmap/b created\n", k.run("create", "configmap", "b", "--from-literal=x=1"))
		require.Equal(t, "configmap/b labeled\n", k.run("label", "cm", "b", "tier=back"))
		require.Equal(t, "configmap/b annotated\n", k.run("annotate", "cm", "b", "note=first"))
		require.Equal(t, "configmap/b patched\n", k.run("patch", "cm", "b", "--type", "merge", "-p", `{"data":{"y":"2"}}`))
		require.Equal(t, "configmap/b patched\n", k.run("patch", "cm", "b", "--type", "json", "-p", `[{"op":"remove","path":"/data/x"}]`))
		require.Equal(t, "back first map[y:2]", k.run("get", "cm", "b", "-o",
			`go-template={{.metadata.labels.tier}} {{.metadata.annotations.note}} {{.data}}`))
		require.Regexp(t, `^NAME +DATA +AGE +LABELS\nb +1 +\d+s +tier=back\n$`, k.run("get", "cm", "b", "--show-labels"))
	})
	t.Run("replaces", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("create", "configmap", "r", "--from-literal=x=1")
		f := k.file("r.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: r}\ndata: {x: \"2\"}\n")
		require.Equal(t, "configmap/r replaced\n", k.run("replace", "-f", f))
		require.Equal(t, "2", k.run("get", "cm", "r", "-o", "jsonpath={.data.x}"))
	})
	t.Run("shows many kinds", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("create", "secret", "generic", "s", "--from-literal=p=q")
		require.Regexp(t, `^NAME +TYPE +DATA +AGE\ns +Opaque +1 +\d+s\n$`, k.run("get", "secrets"))
		k.run("create", "serviceaccount", "robot")
		k.run("create", "-f", k.file("shop.yaml", shop))
		require.Regexp(t, `^NAME +DESIRED +AVAILABLE +AGE\nshop +2 +0 +\d+s\n$`, k.run("get", "deploy", "shop", "--subresource=scale"))
		require.Regexp(t, `(?m)^robot +\d+s$`, k.run("get", "sa", "robot", "--no-headers"))
		require.Regexp(t, `(?s)NAME +STATUS +AGE\ndefault +Active .*kube-node-lease +Active .*kube-public +Active .*kube-system +Active `,
			k.run("get", "ns", "-o", "wide"))
		require.Regexp(t, `(?m)^configmaps +cm +v1 +true +ConfigMap$`, k.run("api-resources"))
		require.Contains(t, k.run("api-versions"), "coordination.k8s.io/v1\n")
		require.Contains(t, k.run("get", "--raw", "/version"), `"gitVersion": "v1.37.2+plinth"`)
	})
	t.Run("watches", func(t *testing.T) {
		k := newKubectl(t, s)
		watching := k.command("get", "cm", "-w", "-l", "watched=yes", "-o", "jsonpath={.metadata.name}:{.data.v}{\"\\n\"}")
		var messages bytes.Buffer
		lines := newLines()
		watching.Stdout, watching.Stderr = lines, &messages
		require.NoError(t, watching.Start())
		defer func() { _ = watching.Process.Kill(); _ = watching.Wait() }()
		k.run("create", "-f", k.file("w.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w, labels: {watched: \"yes\"}}\ndata: {v: \"1\"}\n"))
		require.Equal(t, "w:1", lines.next(t))
		k.run("patch", "cm", "w", "--type", "merge", "-p", `{"data":{"v":"2"}}`)
		require.Equal(t, "w:2", lines.next(t))
	})
	t.Run("deletes and waits", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("create", "configmap", "gone", "--from-literal=x=1")
		require.Equal(t, "configmap \"gone\" deleted from default namespace\n", k.run("delete", "cm", "gone"))
		require.Contains(t, k.fail("get", "cm", "gone"), `Error from server (NotFound): configmaps "gone" not found`)
	})
	t.Run("works in another namespace", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("create", "namespace", "other")
		k.run("create", "configmap", "o", "-n", "other")
		require.Regexp(t, `(?m)^other +o +0 `, k.run("get", "cm", "-A"))
		require.Contains(t, k.fail("create", "configmap", "o", "-n", "missing"), `namespaces "missing" not found`)
	})
	t.Run("serves the types of the file", func(t *testing.T) {
		k := newKubectl(t, s)
		k.run("create", "-f", k.file("w.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 3}\n"))
		require.Regexp(t, `^NAME +SIZE +AGE\nw +3 +\d+s\n$`, k.run("get", "w"))
		require.Equal(t, "widget.example.com/w patched\n", k.run("patch", "widget", "w", "--type", "merge", "--subresource", "status", "-p", `{"status":{"ready":true}}`))
		require.Regexp(t, `^NAME +SIZE +READY +AGE\nw +3 +true +\d+s\n$`, k.run("get", "widgets", "-o", "wide"))
		require.Equal(t, "1", k.run("get", "w", "w", "-o", "jsonpath={.metadata.generation}"))
	})
	t.Run("is refused without a good token", func(t *testing.T) {
		require.Contains(t, k.fail("get", "ns", "--token", "wrong"), "You must be logged in to the server")
		require.Contains(t, k.fail("get", "cm", "--as", "nobody"),
			`configmaps is forbidden: User "nobody" cannot list resource "configmaps" in API group "" in the namespace "default"`)
	})
}

// lines collects the lines that a process prints.
type lines struct {
	rest []byte
	all  chan string
}

func newLines() *lines { return &lines{all: make(chan string, 100)} }

func (l *lines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		line, rest, found := bytes.Cut(l.rest, []byte("\n"))
		if !found {
			return len(data), nil
		}
		l.rest = rest
		l.all <- string(line)
	}
}

func (l *lines) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-l.all:
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("no line came")
		return ""
	}
}
