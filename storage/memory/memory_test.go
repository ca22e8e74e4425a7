package memory_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
	"github.com/seed-6c0fa0ad/plinth/storage/storagetest"
)

func TestContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Backend { return memory.New() })
}

// forked is a backend that goes on as a fork of itself, while the one before is written to as well.
type forked struct{ *memory.Backend }

func (f *forked) Reopen() error {
	before := f.Backend
	f.Backend = before.Fork()
	for _, key := range []string{"r/n/a", "r/m/aab", "r/zzz"} {
		prev, err := before.Get(key, 0)
		if err != nil {
			return err
		}
		if _, err := before.Write(context.Background(), storage.Write{Key: key, Prev: prev, Next: &object.Encoded{}}); err != nil {
			return err
		}
	}
	return before.Compact(context.Background(), before.Version())
}

func TestForksKeepTheContract(t *testing.T) {
	storagetest.Run(t, func(t *testing.T) storage.Backend { return &forked{memory.New()} })
}

func TestForksAreIndependent(t *testing.T) {
	ctx := t.Context()
	base := memory.New()
	write := func(b *memory.Backend, key, body string) {
		t.Helper()
		prev, err := b.Get(key, 0)
		require.NoError(t, err)
		_, err = b.Write(ctx, storage.Write{Key: key, Prev: prev, Next: &object.Encoded{Body: []byte(body)}})
		require.NoError(t, err)
	}
	body := func(b *memory.Backend, key string, at object.ResourceVersion) string {
		e, err := b.Get(key, at)
		require.NoError(t, err)
		return string(e.Body)
	}
	write(base, "a", "0")
	snapshot := base.Snapshot()
	one, two := snapshot.Fork(), snapshot.Fork()
	write(one, "a", "1")
	write(two, "a", "2")
	write(base, "a", "3")
	require.Equal(t, []string{"1", "2", "3"}, []string{body(one, "a", 0), body(two, "a", 0), body(base, "a", 0)})
	require.NoError(t, one.Compact(ctx, one.Version()))
	require.Equal(t, "0", body(two, "a", 2))
	require.Equal(t, "0", body(snapshot.Fork(), "a", 0))
}
