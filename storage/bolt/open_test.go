package bolt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/bolt"
)

func write(t testing.TB, b *bolt.Backend, key, body string) {
	t.Helper()
	prev, err := b.Get(key, 0)
	require.NoError(t, err)
	_, err = b.Write(t.Context(), storage.Write{Key: key, Prev: prev, Next: &object.Encoded{Head: []byte{0, 0, 0}, Body: []byte(body)}})
	require.NoError(t, err)
}

func TestOpenRefuses(t *testing.T) {
	sound := func(t *testing.T, path string) {
		b := open(t, path)
		for i := range 200 {
			write(t, b, fmt.Sprintf("r/%d", i), string(make([]byte, 500)))
		}
		require.NoError(t, b.Close())
	}
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    string
	}{
		{"a file of something else", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, make([]byte, 100_000), 0o600))
		}, "is not a file of this store"},
		{"a short text", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("hello"), 0o600))
		}, "is not a file of this store"},
		{"an empty file", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}, "is not a file of this store"},
		{"a bbolt file of another program", func(t *testing.T, path string) {
			db, err := bbolt.Open(path, 0o600, nil)
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}, "is not a file of this store"},
		{"a file of another format", func(t *testing.T, path string) {
			sound(t, path)
			db, err := bbolt.Open(path, 0o600, nil)
			require.NoError(t, err)
			require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("meta")).Put([]byte("format"), []byte("plinth-objects/9"))
			}))
			require.NoError(t, db.Close())
		}, `has the format "plinth-objects/9", not "plinth-objects/1"`},
		{"a file that was cut off", func(t *testing.T, path string) {
			sound(t, path)
			require.NoError(t, os.Truncate(path, 64<<10))
		}, "is shorter than it says; it has been cut off"},
		{"a directory", func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, "is a directory"},
		{"a place that is not there", func(t *testing.T, path string) {
			require.NoError(t, os.RemoveAll(filepath.Dir(path)))
		}, "no such file or directory"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "sub", "data")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			test.prepare(t, path)
			_, err := bolt.Open(path)
			require.ErrorContains(t, err, "opening "+path+": ")
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAFileInUseIsRefusedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	open(t, path)
	_, err := bolt.Open(path)
	require.ErrorIs(t, err, bolt.ErrLocked)
	require.EqualError(t, err, "opening "+path+": is in use by another process")
}

func TestWhatACrashLeftOfANewFileIsNoObstacle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(path+".new", []byte("half of it"), 0o600))
	write(t, open(t, path), "r/a", "x")
	require.NoFileExists(t, path+".new")
}

func TestAFileThatIsMostlyFreeShrinksAtOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data")
	b := open(t, path)
	body := string(make([]byte, 1<<20))
	for range 60 {
		write(t, b, "r/a", body)
	}
	write(t, b, "r/b", "kept")
	require.NoError(t, b.Compact(t.Context(), b.Version()))
	require.NoError(t, b.Close())
	before, err := os.Stat(path)
	require.NoError(t, err)
	b = open(t, path)
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.Less(t, after.Size(), before.Size()/2)
	e, err := b.Get("r/b", 0)
	require.NoError(t, err)
	require.Equal(t, "kept", string(e.Body))
	require.EqualValues(t, 62, b.Version())
	write(t, b, "r/b", "again")
}

// FuzzDamagedFile changes bytes of a sound file. Whatever comes of it is an error,
// or a store that works.
func FuzzDamagedFile(f *testing.F) {
	path := filepath.Join(f.TempDir(), "data")
	b, err := bolt.Open(path)
	require.NoError(f, err)
	for i := range 300 {
		key := fmt.Sprintf("r/%d", i%100)
		prev, err := b.Get(key, 0)
		require.NoError(f, err)
		next := &object.Encoded{Head: []byte{0, 0, 0}, Body: make([]byte, 300)}
		if i%50 == 0 {
			next.Body = make([]byte, 10_000)
		}
		_, err = b.Write(f.Context(), storage.Write{Key: key, Prev: prev, Next: next})
		require.NoError(f, err)
	}
	require.NoError(f, b.Compact(f.Context(), 50))
	require.NoError(f, b.Close())
	sound, err := os.ReadFile(path)
	require.NoError(f, err)
	sound = sound[:min(len(sound), 1<<20)]
	for i := range 40 {
		f.Add(uint32(i*4096), uint64(0xff), uint32(i*4096+8), uint64(1))
		f.Add(uint32(i*4096+10), uint64(0xffff), uint32(i*4096+24), uint64(0x8000))
	}
	f.Fuzz(func(t *testing.T, at1 uint32, change1 uint64, at2 uint32, change2 uint64) {
		data := append([]byte(nil), sound...)
		damage(data, at1, change1)
		damage(data, at2, change2)
		path := filepath.Join(t.TempDir(), "data")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		use(t, path)
	})
}

func damage(data []byte, at uint32, change uint64) {
	for i := range 8 {
		data[(int(at)+i)%len(data)] ^= byte(change >> (8 * i))
	}
}

// use does all that a store does with its file; errors are fine.
func use(t *testing.T, path string) {
	b, err := bolt.Open(path)
	if err != nil {
		require.ErrorContains(t, err, path)
		return
	}
	_ = b.Scan("", "", 0, nil, func(string, *object.Encoded) bool { return true })
	_ = b.Changes("", b.Compacted(), func(storage.Change) bool { return true })
	for i := range 100 {
		key := fmt.Sprintf("r/%d", i)
		prev, err := b.Get(key, 0)
		if err != nil {
			continue
		}
		_, _ = b.Write(t.Context(), storage.Write{Key: key, Prev: prev, Next: &object.Encoded{Head: []byte{0, 0, 0}, Body: make([]byte, 500)}})
	}
	_ = b.Compact(t.Context(), b.Version())
	_ = b.Close()
}
