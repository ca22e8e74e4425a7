package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	// What the server is made of, so that a cached result ends with a change of it.
	_ "github.com/seed-6c0fa0ad/plinth/examples/builtin"
	_ "github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

// The users that scenarios know, beside the administrator.
const testTokens = `alice-token,alice,alice-uid,"devs"
bob-token,bob,bob-uid,"viewers,qa"
`

// withoutControllers are the scenarios that show what happens while nobody collects
// garbage or empties namespaces.
var withoutControllers = []string{"deletion/orphaning-kinds", "deletion/propagation", "namespaces/lifecycle"}

// TestExampleServer holds the example server to what it is known to do as the
// recorded server does.
func TestExampleServer(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a server")
	}
	store := Store{root: "."}
	all, err := store.load()
	require.NoError(t, err)
	selected := selectPassing(t, all)

	binary := buildServer(t)
	runner := newServerRunner(t, startServer(t, binary))
	quiet := newServerRunner(t, startServer(t, binary, "--controllers=false"))

	t.Run("scenarios", func(t *testing.T) {
		for _, sc := range selected {
			t.Run(sc.name, func(t *testing.T) {
				t.Parallel() // they mostly wait
				runner := runner
				if slices.Contains(withoutControllers, sc.name) {
					runner = quiet
				}
				res := compareOne(context.Background(), store, runner, sc, nil)
				if !res.Strict {
					var report bytes.Buffer
					res.print(&report, false, false)
					t.Error(report.String())
				}
			})
		}
	})
}

// selectPassing picks the scenarios that passing.txt names. A line that matches
// nothing is out of date.
func selectPassing(t *testing.T, all []*Scenario) []*Scenario {
	t.Helper()
	data, err := os.ReadFile("passing.txt")
	require.NoError(t, err)
	chosen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "#")
		pattern, without := strings.CutPrefix(strings.TrimSpace(line), "!")
		if pattern == "" {
			continue
		}
		found := false
		for _, sc := range all {
			matches, err := path.Match(pattern, sc.name)
			require.NoError(t, err, "passing.txt: %s", pattern)
			if matches {
				found, chosen[sc.name] = true, !without
			}
		}
		require.True(t, found, "passing.txt: no scenario matches %s", pattern)
	}
	var selected []*Scenario
	for _, sc := range all {
		if chosen[sc.name] {
			selected = append(selected, sc)
		}
	}
	return selected
}

func newServerRunner(t *testing.T, base string) *Runner {
	t.Helper()
	client, err := newClient(base, "admin-token", true, "", 30*time.Second)
	require.NoError(t, err)
	runner := &Runner{client: client, webhookHost: "127.0.0.1"}
	require.NoError(t, runner.fetchVersion(t.Context()))
	return runner
}

// buildServer builds the example server.
func buildServer(t *testing.T) (binary string) {
	t.Helper()
	sources, err := filepath.Glob("../apiserver/*.go")
	require.NoError(t, err)
	for _, source := range sources { // looked at for the same reason
		_, err := os.Stat(source)
		require.NoError(t, err)
	}
	binary = filepath.Join(t.TempDir(), "apiserver")
	build := exec.Command("go", "build", "-o", binary, "../apiserver")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}

// startServer runs the example server and gives its URL. It is stopped, in good order,
// at the end of the test.
func startServer(t *testing.T, binary string, flags ...string) (base string) {
	t.Helper()
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	require.NoError(t, os.WriteFile(tokens, []byte(testTokens), 0o600))

	flags = append([]string{"--token", "admin-token", "--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "objects.db"), "--token-file", tokens}, flags...)
	command := exec.Command(binary, flags...)
	var messages bytes.Buffer
	command.Stderr = &messages
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		if err := command.Wait(); err != nil {
			t.Errorf("the server ended badly: %v\n%s", err, &messages)
		}
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var url string
		if n, _ := fmt.Sscanf(lines.Text(), "address: %s", &url); n == 1 {
			return url
		}
	}
	t.Fatalf("the server does not say where it is\n%s", &messages)
	return ""
}
