package main

import (
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestAStartThatFailsLeavesNothingRunning: synctest finds what is left.
func TestAStartThatFailsLeavesNothingRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := run(t.Context(), []string{"--data", inMemory, "--listen", "127.0.0.1:99999"}, io.Discard, io.Discard)
		require.ErrorContains(t, err, "listening")
	})
}
