package storagetest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// model is the simplest backend there is: all states, whole, and all changes.
type model struct {
	states    []map[string]*object.Encoded // by version
	changes   []storage.Change
	compacted object.ResourceVersion
}

func newModel() *model {
	return &model{states: []map[string]*object.Encoded{nil, {}}}
}

func (m *model) version() object.ResourceVersion { return object.ResourceVersion(len(m.states) - 1) }

func (m *model) write(key string, next *object.Encoded) {
	state := maps.Clone(m.states[m.version()])
	version := m.version() + 1
	change := storage.Change{Version: version, Key: key, Prev: state[key]}
	delete(state, key)
	if next != nil {
		change.Next = &object.Encoded{Version: version, Head: next.Head, Body: next.Body}
		state[key] = change.Next
	}
	m.states = append(m.states, state)
	m.changes = append(m.changes, change)
}

func (m *model) scan(prefix, from string, at object.ResourceVersion) []string {
	var got []string
	for _, key := range slices.Sorted(maps.Keys(m.states[at])) {
		if strings.HasPrefix(key, prefix) && key >= from {
			got = append(got, entryText(key, m.states[at][key]))
		}
	}
	return got
}

func (m *model) changesAfter(prefix string, after object.ResourceVersion) []string {
	var got []string
	for _, c := range m.changes {
		if c.Version > after && strings.HasPrefix(c.Key, prefix) {
			got = append(got, tell(c))
		}
	}
	return got
}

func entryText(key string, e *object.Encoded) string {
	return fmt.Sprintf("%s@%d %q %q", key, e.Version, e.Head, e.Body)
}

// testModel does random operations on a backend and on the model.
func testModel(t *testing.T, open func(t *testing.T) storage.Backend) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := &randomRun{rand: rand.New(rand.NewPCG(seed, 0)), model: newModel(), backend: open(t)}
	defer func() { require.NoError(t, r.backend.Close()) }()
	for range 2000 {
		r.step(t)
	}
}

type randomRun struct {
	rand    *rand.Rand
	model   *model
	backend storage.Backend
}

func (r *randomRun) step(t *testing.T) {
	switch n := r.rand.IntN(100); {
	case n < 60:
		r.write(t)
	case n < 80:
		r.read(t)
	case n < 90:
		r.readChanges(t)
	case n < 93:
		r.compact(t)
	case n < 95:
		r.reopen(t)
	default:
		r.checkCompacted(t)
	}
}

// key is one of few, some of which are beginnings of others.
func (r *randomRun) key() string {
	return "r/" + []string{"n", "n-1", "m"}[r.rand.IntN(3)] + "/" + strings.Repeat("a", 1+r.rand.IntN(3)) + []string{"", "-", "b"}[r.rand.IntN(3)]
}

// at is a version that can be read.
func (r *randomRun) at() object.ResourceVersion {
	low := max(r.model.compacted, 1)
	return low + object.ResourceVersion(r.rand.IntN(int(r.model.version()-low)+1))
}

func (r *randomRun) write(t *testing.T) {
	key := r.key()
	prev := r.model.states[r.model.version()][key]
	w := storage.Write{Key: key, Prev: prev, Next: value(fmt.Sprint(r.rand.IntN(1000)))}
	if r.rand.IntN(20) == 0 {
		w.Next.Body = append(w.Next.Body[:len(w.Next.Body)-2], []byte(strings.Repeat("x", 9000)+`"}}`)...)
	}
	if prev != nil && r.rand.IntN(3) == 0 {
		w.Next = nil
	}
	if r.rand.IntN(10) == 0 {
		w.Prev = &object.Encoded{Version: r.model.version() + 7}
		_, err := r.backend.Write(t.Context(), w)
		var conflict *storage.ConflictError
		require.ErrorAs(t, err, &conflict)
		return
	}
	version, err := r.backend.Write(t.Context(), w)
	require.NoError(t, err)
	r.model.write(key, w.Next)
	require.Equal(t, r.model.version(), version)
}

func (r *randomRun) read(t *testing.T) {
	at, key := r.at(), r.key()
	e, err := r.backend.Get(key, at)
	require.NoError(t, err)
	require.Equal(t, r.model.states[at][key], e, "%s at %d", key, at)

	prefix := []string{"", "r/", "r/n/", "r/m/"}[r.rand.IntN(4)]
	from := []string{"", r.key(), r.key() + "\x00"}[r.rand.IntN(3)]
	var got []string
	require.NoError(t, r.backend.Scan(prefix, from, at, nil, func(key string, e *object.Encoded) bool {
		got = append(got, entryText(key, e))
		return true
	}))
	require.Equal(t, r.model.scan(prefix, from, at), got, "scan of %q from %q at %d", prefix, from, at)
}

func (r *randomRun) readChanges(t *testing.T) {
	after, prefix := r.at(), []string{"", "r/n/", "r/m/"}[r.rand.IntN(3)]
	require.Equal(t, r.model.changesAfter(prefix, after), changesOf(t, r.backend, prefix, after))
}

func (r *randomRun) compact(t *testing.T) {
	upTo := r.at()
	require.NoError(t, r.backend.Compact(t.Context(), upTo))
	r.model.compacted = max(r.model.compacted, upTo)
	require.Equal(t, r.model.compacted, r.backend.Compacted())
}

func (r *randomRun) checkCompacted(t *testing.T) {
	if r.model.compacted < 2 {
		return
	}
	_, err := r.backend.Get(r.key(), r.model.compacted-1)
	require.ErrorIs(t, err, storage.ErrCompacted)
}

// reopener is a backend that can be closed and opened again with its contents.
type reopener interface{ Reopen() error }

func (r *randomRun) reopen(t *testing.T) {
	if b, ok := r.backend.(reopener); ok {
		require.NoError(t, b.Reopen())
		require.Equal(t, r.model.version(), r.backend.Version())
		require.Equal(t, r.model.compacted, r.backend.Compacted())
	}
}
