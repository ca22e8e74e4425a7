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

// delivery is what a watch gives, and when.
type delivery struct {
	event gc.Event
	err   error
	at    time.Time
}

func (c shuffled) Watch(ctx context.Context) iter.Seq2[gc.Event, error] {
	return func(yield func(gc.Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		in := c.deliver(ctx)
		var held []delivery
		for {
			var due <-chan time.Time
			if len(held) > 0 {
				due = time.After(time.Until(held[0].at))
			}
			var d delivery
			select {
			case d = <-in:
				if c.holds(d, len(held) > 0) {
					d.at = time.Now().Add(lateness)
					held = append(held, d)
					continue
				}
			case <-due:
				d, held = held[0], held[1:]
			case <-ctx.Done():
				d.err = ctx.Err()
			}
			if !yield(d.event, d.err) || d.err != nil {
				return
			}
		}
	}
}

// deliver reads the watch of the cluster until ctx or the watch ends, with an error.
func (c shuffled) deliver(ctx context.Context) <-chan delivery {
	out := make(chan delivery)
	go func() {
		for e, err := range c.Cluster.Watch(ctx) {
			select {
			case out <- delivery{event: e, err: err}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// holds says whether something comes late. What a bookmark speaks of comes before it.
func (c shuffled) holds(d delivery, behind bool) bool {
	if d.err != nil {
		return false
	}
	if d.event.Type == object.Bookmark {
		return behind
	}
	return c.late(d.event.Key)
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
