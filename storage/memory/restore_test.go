package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// contentsOf are the bodies by key.
func contentsOf(t *testing.T, b *memory.Backend) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, b.Scan("", "", 0, nil, func(key string, e *object.Encoded) bool {
		all[key] = string(e.Body)
		return true
	}))
	return all
}

// scribble makes random writes.
func scribble(t *testing.T, r *rand.Rand, b *memory.Backend) {
	t.Helper()
	for range r.IntN(40) {
		w := storage.Write{Key: fmt.Sprint("r/", r.IntN(20)), Next: &object.Encoded{Body: []byte{byte(r.IntN(3))}}}
		var err error
		if w.Prev, err = b.Get(w.Key, 0); err == nil && w.Prev != nil && r.IntN(3) == 0 {
			w.Next = nil
		}
		require.NoError(t, err)
		_, err = b.Write(t.Context(), w)
		require.NoError(t, err)
	}
}

func TestRestoreWritesEachKeyThatDiffers(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		b := memory.New()
		scribble(t, r, b)
		to := b.Snapshot()
		want := contentsOf(t, to.Fork())
		scribble(t, r, b)
		before := contentsOf(t, b)
		var commits [][]storage.Change
		b.OnCommit(func(changes []storage.Change) { commits = append(commits, changes) })

		after, upTo, err := b.Restore(to)
		require.NoError(t, err)
		require.Equal(t, want, contentsOf(t, b), "seed %d", seed)
		require.Equal(t, want, contentsOf(t, to.Fork()), "the snapshot is as it was")
		require.Equal(t, b.Version(), upTo)
		if upTo == after {
			require.Empty(t, commits)
			continue
		}
		require.Len(t, commits, 1)
		require.Len(t, commits[0], int(upTo-after))
		for i, change := range commits[0] {
			require.Equal(t, after+1+object.ResourceVersion(i), change.Version)
			require.NotEqual(t, before[change.Key], want[change.Key])
			if change.Prev == nil {
				require.NotContains(t, before, change.Key)
				continue
			}
			require.Equal(t, before[change.Key], string(change.Prev.Body))
		}
	}
}

func TestWhatIsRestoredExpiresWhenItDidBefore(t *testing.T) {
	b := memory.New()
	at := time.Now().Add(time.Minute)
	_, err := b.Write(t.Context(), storage.Write{Key: "r/a", Next: &object.Encoded{}, Expires: at})
	require.NoError(t, err)
	to := b.Snapshot()
	prev, err := b.Get("r/a", 0)
	require.NoError(t, err)
	_, err = b.Write(t.Context(), storage.Write{Key: "r/a", Prev: prev})
	require.NoError(t, err)
	_, _, err = b.Restore(to)
	require.NoError(t, err)
	due, _, err := b.Expired(at, 10)
	require.NoError(t, err)
	require.Equal(t, []storage.Due{{Key: "r/a", Version: b.Version()}}, due)
}

func TestAClosedBackendIsNotRestored(t *testing.T) {
	b := memory.New()
	to := b.Snapshot()
	require.NoError(t, b.Close())
	_, _, err := b.Restore(to)
	require.ErrorIs(t, err, storage.ErrClosed)
}
