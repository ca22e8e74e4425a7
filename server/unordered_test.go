package server

import (
	"context"
	"fmt"
	"hash/fnv"
	"iter"
	"log/slog"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// shuffled is a cluster as one far away: the changes of each object come in order, but those of some
// objects come before those of others, with time to act on that.
type shuffled struct {
	gc.Cluster
	family
	late func(object.Key) bool
}

const lateness = 10 * time.Second

func (c shuffled) Watch(ctx context.Context) iter.Seq2[gc.Event, error] {
	return func(yield func(gc.Event, error) bool) {
		var held []gc.Event
		for e, err := range c.Cluster.Watch(ctx) {
			switch {
			case err == nil && e.Type == object.Bookmark && len(held) > 0:
				time.Sleep(lateness)
				for _, e := range held {
					if !yield(e, nil) {
						return
					}
				}
				held = nil
			case err == nil && e.Type != object.Bookmark && c.late(e.Key):
				held = append(held, e)
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func (c shuffled) Dependents(ctx context.Context, _ object.Key, uid string) (map[object.Key]object.Object, error) {
	found := map[object.Key]object.Object{}
	for _, resource := range []string{"widgets", "crates"} {
		at := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: resource}}
		items, _, err := c.List(ctx, at, ListOptions{})
		if err != nil {
			return nil, err
		}
		for _, o := range items {
			for _, ref := range o.OwnerReferences() {
				if ref.UID == uid {
					key := object.Key{GroupResource: object.GroupResource{Group: "example.com", Resource: resource}, Namespace: o.Namespace(), Name: o.Name()}
					found[key] = o
				}
			}
		}
	}
	return found, nil
}

// inShuffledFamily is as inFamily, with a collector that sees some objects late.
func inShuffledFamily(t *testing.T, late func(object.Key) bool, test func(f family)) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		f.collector = gc.NewCollector(shuffled{f.Cluster(), f, late}, slog.New(slog.DiscardHandler))
		f.start()
		f.settle()
		test(f)
	})
}

func TestDependentsThatAreSeenLateAreWaitedFor(t *testing.T) {
	for policy, names := range map[string]struct{ soon, finally []string }{
		gc.Foreground: {[]string{"of-crate<crate"}, nil},
		gc.Orphan:     {[]string{"of-crate"}, []string{"of-crate"}},
	} {
		t.Run(policy, func(t *testing.T) {
			inShuffledFamily(t, func(key object.Key) bool { return key.Resource == "widgets" }, func(f family) {
				crate := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "crates"}}
				owner := f.create(crate, object.Object{"metadata": map[string]any{"name": "crate"}})
				f.add("of-crate", blocking(owner))
				crate.Name = "crate"
				_, _, err := f.Delete(f.Context(), crate, gc.DeleteOptions{PropagationPolicy: &policy})
				require.NoError(t, err)
				time.Sleep(lateness / 2)
				_, err = f.Get(f.Context(), crate)
				require.Equal(t, policy == gc.Foreground, err == nil, "%v", err)
				require.Equal(t, names.soon, f.names())
				f.settle()
				time.Sleep(time.Minute) // what failed is tried again
				f.settle()
				_, err = f.Get(f.Context(), crate)
				require.True(t, object.IsNotFound(err), "%v", err)
				require.Equal(t, names.finally, f.names())
			})
		})
	}
}

// TestCollectionOfRandomGraphsThatAreSeenOutOfOrder compares with a model, as
// TestCollectionOfRandomGraphs does.
func TestCollectionOfRandomGraphsThatAreSeenOutOfOrder(t *testing.T) {
	for seed := range uint64(20) {
		late := func(key object.Key) bool {
			digest := fnv.New64a()
			fmt.Fprint(digest, key, seed)
			return digest.Sum64()%2 == 0
		}
		inShuffledFamily(t, late, func(f family) {
			r := rand.New(rand.NewPCG(seed, 9))
			m := newModel()
			for range 60 {
				m.step(f, r)
				f.settle()
				time.Sleep(2 * time.Minute) // what failed is tried again
				f.settle()
				require.Equal(t, m.names(), f.names(), "seed %d", seed)
			}
		})
	}
}
