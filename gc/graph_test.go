package gc

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// seenObject is the event of an object with owners.
func seenObject(i int, owners ...string) Event {
	name := fmt.Sprintf("object-%06d", i)
	o := object.Object{"kind": "ConfigMap", "apiVersion": "v1", "metadata": map[string]any{
		"name": name, "namespace": "default", "uid": uidOf(i), "resourceVersion": fmt.Sprint(i + 1),
	}}
	var refs []object.OwnerReference
	for _, uid := range owners {
		refs = append(refs, object.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: uid})
	}
	o.SetOwnerReferences(refs)
	return Event{Type: object.Added, Object: o, Key: object.Key{
		GroupResource: object.GroupResource{Resource: "configmaps"}, Namespace: "default", Name: name,
	}}
}

func uidOf(i int) string { return fmt.Sprintf("%08d-0000-4000-8000-000000000000", i) }

func TestGraphKeepsNothingOfNoInterest(t *testing.T) {
	var due []string
	g := newGraph(func(uid string) { due = append(due, uid) })
	g.observe(seenObject(1))
	require.Empty(t, g.nodes, "it neither has owners nor is one")

	g.observe(seenObject(2, "owner"))
	require.Equal(t, []string{"owner"}, due, "nobody has seen it")
	require.Len(t, g.nodes, 2)
	g.observe(seenObject(3, "owner"))
	require.Equal(t, []string{"owner"}, due, "once is enough")

	g.observe(seenObject(2))
	require.Len(t, g.nodes, 2)
	gone := seenObject(3, "owner")
	gone.Type = object.Deleted
	g.observe(gone)
	require.Empty(t, g.nodes)
}

func TestGraphTellsDependentsOfTheirLoss(t *testing.T) {
	due := map[string]int{}
	g := newGraph(func(uid string) { due[uid]++ })
	g.observe(seenObject(1, "owner"))
	g.observe(seenObject(2, "owner", uidOf(1)))
	clear(due)
	g.lost("owner")
	require.Equal(t, map[string]int{uidOf(1): 1, uidOf(2): 1}, due)
	clear(due)
	g.observe(seenObject(3, "owner"))
	require.Equal(t, map[string]int{uidOf(3): 1}, due, "it is known to be gone")
}

// valid checks what the graph says of itself.
func (g *graph) valid(t *testing.T) {
	for uid, n := range g.nodes {
		require.Equal(t, uid, n.uid)
		owners := map[*node]bool{}
		for _, e := range n.owners {
			require.False(t, owners[e.owner], "one edge for each owner")
			owners[e.owner] = true
			require.Same(t, e.owner, g.nodes[e.owner.uid], "owners are in the graph")
			require.Contains(t, e.owner.dependents, n)
		}
		blockers := 0
		for d := range n.dependents {
			require.Same(t, d, g.nodes[d.uid], "dependents are in the graph")
			require.True(t, leads(d.owners, n))
			if blocks(d.owners, n) {
				blockers++
			}
		}
		require.Equal(t, blockers, n.blockers)
		require.True(t, len(n.owners)+len(n.dependents) > 0 || n.waiting || n.orphaning, "it is of interest")
		if len(n.owners) > 0 || n.waiting || n.orphaning {
			require.Equal(t, there, n.state)
		}
	}
}

func TestGraphStaysValid(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := newGraph(func(string) {})
		for range 300 {
			e := randomEvent(r)
			switch r.IntN(12) {
			case 0:
				g.lost(uidOf(r.IntN(12)))
			case 1:
				g.missing(uidOf(r.IntN(12)))
			default:
				g.observe(e)
			}
			g.valid(t)
		}
	}
}

func randomEvent(r *rand.Rand) Event {
	e := seenObject(r.IntN(10))
	var refs []object.OwnerReference
	for range r.IntN(4) {
		blocks := r.IntN(2) == 0
		refs = append(refs, object.OwnerReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: fmt.Sprint("object-", r.IntN(3)), UID: uidOf(r.IntN(12)), BlockOwnerDeletion: &blocks,
		})
	}
	e.Object.SetOwnerReferences(refs)
	if r.IntN(3) == 0 {
		e.Object.Metadata()["deletionTimestamp"] = "2026-01-02T03:04:05Z"
		e.Object.SetFinalizers([]string{[]string{object.FinalizerForeground, object.FinalizerOrphan}[r.IntN(2)]})
	}
	if r.IntN(4) == 0 {
		e.Type = object.Deleted
	}
	return e
}

// BenchmarkGraph reports what the graph holds of each of many dependents, their texts included.
func BenchmarkGraph(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		g := newGraph(func(string) {})
		for i := range n {
			g.observe(seenObject(i, fmt.Sprint("owner-", i/10)))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/object")
		runtime.KeepAlive(g)
	}
}
