package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
	"github.com/seed-6c0fa0ad/plinth/storage/storagetest"
)

// reopened is a backend that can be closed and opened again.
type reopened struct {
	*bolt.Backend
	path string
}

func (r *reopened) Reopen() error {
	if err := r.Close(); err != nil {
		return err
	}
	b, err := bolt.Open(r.path)
	if err == nil {
		r.Backend = b
	}
	return err
}

func open(t testing.TB, path string) *bolt.Backend {
	b, err := bolt.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func TestContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Backend {
		path := filepath.Join(t.TempDir(), "data")
		return &reopened{open(t, path), path}
	})
}
