package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "widgets.db")
	for range 2 { // the second time on the file of the first
		var out bytes.Buffer
		require.NoError(t, run(t.Context(), path, &out))
		require.Equal(t, "ADDED, generation 1: wants 3, has 0\nMODIFIED, generation 1: wants 3, has 3\n", out.String())
	}
}
