package bolt_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAFullDiskFailsTheCommitOnly(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	path := filepath.Join(dir, "data")
	var out strings.Builder
	require.NoError(t, failAndCheck(path, &out))
	// Room for the file to be written to again.
	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=8m"))
	requireKept(t, path, strings.Split(strings.TrimSpace(out.String()), "\n"))
}
