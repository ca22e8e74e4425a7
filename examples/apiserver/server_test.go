package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const widgets = `
resources:
- group: example.com
  versions: [v1]
  kind: Widget
  plural: widgets
  shortNames: [w]
  status: true
  columns:
  - {name: Size, type: integer, path: spec.size}
  - {name: Ready, type: boolean, path: status.ready, wide: true}
`

// runningServer is the program, run inside the test.
type runningServer struct {
	url        string
	kubeconfig string
	stop       func() error // ends it and gives what run returned; may be called again
	messages   messages     // that it wrote so far
}

// messages can be read while they are written.
type messages struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (m *messages) Write(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.Write(p)
}

func (m *messages) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.text.String()
}

// address is HOST:PORT.
func (s *runningServer) address() string {
	_, address, _ := strings.Cut(s.url, "://")
	return address
}

// startServer runs the program with TLS on a file, and with a type of its own.
func startServer(t *testing.T, flags ...string) *runningServer {
	t.Helper()
	dir := t.TempDir()
	types := filepath.Join(dir, "types.yaml")
	require.NoError(t, os.WriteFile(types, []byte(widgets), 0o600))
	s := &runningServer{kubeconfig: filepath.Join(dir, "kubeconfig")}
	args := []string{
		"--listen", "127.0.0.1:0", "--data", filepath.Join(dir, "objects.db"),
		"--token", "secret", "--kubeconfig", s.kubeconfig,
	}
	args = append(append(args, flags...), types)

	ctx, cancel := context.WithCancel(context.Background())
	out, printed := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, args, printed, &s.messages)
		_ = printed.CloseWithError(io.EOF)
		ended <- err
	}()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { require.NoError(t, s.stop(), "%s", &s.messages) })

	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "address:"); ok {
			s.url = strings.TrimSpace(address)
		}
		if strings.HasPrefix(lines.Text(), "kubectl ") {
			return s
		}
	}
	t.Fatalf("the server did not start: %v\n%s", s.stop(), &s.messages)
	return nil
}
