package memory

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTreeAgreesWithAMap(t *testing.T) {
	for _, keys := range []int{10, 300, 5000} {
		t.Run(fmt.Sprint(keys), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(keys), 1))
			var tr tree[int]
			want := map[string]int{}
			type frozen struct {
				tree tree[int]
				want map[string]int
			}
			var old []frozen
			for i := range 20_000 {
				key := fmt.Sprint(r.IntN(keys))
				// Phases of growing and of shrinking.
				if r.IntN(10) < 3+4*(i/5000%2) {
					tr = tr.remove(key)
					delete(want, key)
				} else {
					tr = tr.set(key, i)
					want[key] = i
				}
				if i%4000 == 0 {
					old = append(old, frozen{tr, maps.Clone(want)})
				}
			}
			old = append(old, frozen{tr, want})
			for _, f := range old {
				requireTree(t, f.want, f.tree, fmt.Sprint(r.IntN(keys)))
			}
		})
	}
}

func requireTree(t *testing.T, want map[string]int, tr tree[int], from string) {
	t.Helper()
	for key, v := range want {
		got, ok := tr.get(key)
		require.True(t, ok)
		require.Equal(t, v, got)
	}
	_, ok := tr.get("absent")
	require.False(t, ok)
	sorted := slices.Sorted(maps.Keys(want))
	var got []string
	tr.ascend("", func(key string, v int) bool {
		require.Equal(t, want[key], v)
		got = append(got, key)
		return true
	})
	require.Equal(t, sorted, got)
	i, _ := slices.BinarySearch(sorted, from)
	got = nil
	tr.ascend(from, func(key string, _ int) bool { got = append(got, key); return true })
	require.Equal(t, append([]string(nil), sorted[i:]...), got)
}
