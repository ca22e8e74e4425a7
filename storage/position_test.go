package storage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

// visitSome visits up to n objects.
func visitSome(t *testing.T, l *storage.List, n int) (names []string) {
	t.Helper()
	require.NoError(t, l.Visit(func(key object.Key, _ *object.Encoded) bool {
		names = append(names, key.Name)
		return len(names) < n
	}))
	return names
}

func openList(t *testing.T, s *storage.Store, opts storage.ListOptions) *storage.List {
	t.Helper()
	l, err := s.List(t.Context(), keyOf("n", ""), opts)
	require.NoError(t, err)
	return l
}

func position(t *testing.T, l *storage.List) storage.Position {
	t.Helper()
	p, ok := l.Position()
	require.True(t, ok)
	return p
}

func TestSkipGoesWhereAnotherListWent(t *testing.T) {
	s := newStore(t, nil)
	for i := range 10 {
		create(t, s, "n", fmt.Sprintf("o%d", i), nil)
	}
	for _, limit := range []int64{0, 4, 9, 10, 20} {
		for seen := 1; seen <= 11; seen++ {
			t.Run(fmt.Sprintf("%d of a page of %d", seen, limit), func(t *testing.T) {
				opts := storage.ListOptions{Limit: limit}
				one, other := openList(t, s, opts), openList(t, s, opts)
				require.Equal(t, position(t, one), position(t, other))
				visitSome(t, one, seen)
				require.NoError(t, other.Skip(position(t, one)))
				require.Equal(t, position(t, one), position(t, other))
				require.Equal(t, one.Done(), other.Done())

				require.Equal(t, visitSome(t, one, 100), visitSome(t, other, 100))
				require.Equal(t, one.Continue(), other.Continue())
				require.Equal(t, one.Remaining(), other.Remaining())
			})
		}
	}
}

func TestPositionsTellStatesApart(t *testing.T) {
	s := newStore(t, nil)
	all := storage.ListOptions{}
	create(t, s, "n", "a", nil)
	before := openList(t, s, all)
	first := position(t, before)
	pods := object.Key{GroupResource: object.GroupResource{Resource: "pods"}, Namespace: "n", Name: "p"}
	_, err := s.Put(t.Context(), pods, nil, encoded(t, "n", "p", nil), 0)
	require.NoError(t, err)
	require.Equal(t, first, position(t, openList(t, s, all)), "a write to another collection")
	require.NotEqual(t, first, position(t, openList(t, s, storage.ListOptions{Limit: 1})), "a page")

	create(t, s, "n", "b", nil)
	require.NotEqual(t, first, position(t, openList(t, s, all)), "a write to the collection")
	_, ok := before.Position()
	require.False(t, ok, "a list of a state that is over")

	labels, err := object.ParseLabelSelector("a=b")
	require.NoError(t, err)
	_, ok = openList(t, s, storage.ListOptions{Selector: object.Selector{Labels: labels}}).Position()
	require.False(t, ok, "a selection")
}

func TestPositionsBeginWithTheStore(t *testing.T) {
	backend := memory.New()
	s, err := storage.New(backend, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	first := create(t, s, "n", "a", nil)
	create(t, s, "n", "b", nil)

	fork, err := storage.New(backend.Fork(), nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, fork.Close()) })
	_, ok := openList(t, fork, storage.ListOptions{}).Position()
	require.True(t, ok)
	_, ok = openList(t, fork, storage.ListOptions{ResourceVersion: first.Version.String(), Match: storage.Exact}).Position()
	require.False(t, ok, "what was written before is not known")
}
