package apply

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// Updates that only give new values to what the writer owns are accounted for in a
// shorter way, which must come to the same.
func TestShortWayOfTrackingAgreesWithTheLongOne(t *testing.T) {
	for _, m := range thingMergers(t) {
		short, created := 0, 0
		for seed := range uint64(200) {
			r := rand.New(rand.NewPCG(seed, 1))
			var live object.Object
			for step := range 12 {
				next := randomThing(r)
				w := Writer{Manager: fmt.Sprint("m", r.IntN(2)), Now: time.Unix(int64(1000+step/2), 0)}
				if r.IntN(2) == 0 {
					w.Filter = Except("status")
				}
				if live != nil && r.IntN(3) > 0 { // change little
					next = live.DeepCopy()
					next["spec"].(map[string]any)["n"] = int64(r.IntN(5))
					next.SetLabels(map[string]string{"l": fmt.Sprint(r.IntN(3))})
					setInner(r, next)
				}
				long, quick := next.DeepCopy(), next.DeepCopy()
				require.NoError(t, m.account(live, long, w))
				require.NoError(t, m.Track(live, quick, w))
				require.Equal(t, long, quick, "seed %d, step %d", seed, step)
				if try := next.DeepCopy(); live != nil && m.trackOwn(live, try, w) {
					short++
				}
				if try := next.DeepCopy(); live == nil && m.trackNew(nil, try, w) {
					created++
				}
				live = quick
			}
		}
		require.Greater(t, short, 100)
		require.Greater(t, created, 50)
	}
}

// So must applies that only give new values to what was applied before, and updates of what
// others have applied.
func TestShortWayOfApplyingAgreesWithTheLongOne(t *testing.T) {
	for i, m := range thingMergers(t)[:2] {
		applied, tracked := 0, 0
		for seed := range uint64(150) {
			r := rand.New(rand.NewPCG(seed, 2))
			last := map[string]object.Object{}
			var live object.Object
			for step := range 14 {
				w := Writer{Manager: fmt.Sprint("m", r.IntN(3)), Now: time.Unix(int64(1000+step/2), 0)}
				if r.IntN(2) == 0 {
					w.Filter = Except("status")
				}
				if live != nil && r.IntN(3) == 0 {
					next := live.DeepCopy()
					next["spec"].(map[string]any)["n"] = int64(r.IntN(3))
					setInner(r, next)
					long, try := next.DeepCopy(), next.DeepCopy()
					require.NoError(t, m.account(live, long, w))
					if m.trackOwn(live, try, w) {
						tracked++
					}
					require.NoError(t, m.Track(live, next, w))
					require.Equal(t, long, next, "seed %d, step %d", seed, step)
					live = next
					continue
				}
				config := randomThing(r)
				if before := last[w.Manager]; before != nil && r.IntN(3) > 0 { // change little
					config = before.DeepCopy()
					config["spec"].(map[string]any)["n"] = int64(r.IntN(3))
					setInner(r, config)
				}
				force := r.IntN(2) == 0
				untouched := live.DeepCopy()
				long, changed, err := m.merge(live.DeepCopy(), config.DeepCopy(), w, force)
				quick, quickly, quickErr := m.Apply(live, config, w, force)
				require.Equal(t, err, quickErr, "seed %d, step %d", seed, step)
				require.Equal(t, changed, quickly, "seed %d, step %d", seed, step)
				require.Equal(t, long, quick, "seed %d, step %d", seed, step)
				require.Equal(t, untouched, live.DeepCopy(), "seed %d, step %d", seed, step)
				if err != nil {
					continue
				}
				if repeats, differs := m.repeats(live, config, w); repeats && differs {
					if _, ok := m.applyOwn(live, config, w); ok {
						applied++
					}
				}
				live, last[w.Manager] = quick, config
			}
		}
		require.Greater(t, applied, 30, "merger %d", i)
		require.Greater(t, tracked, 20, "merger %d", i)
	}
}

// setInner changes something in an item of a list of type map, if there is one.
func setInner(r *rand.Rand, o object.Object) {
	if keyed, ok := o["spec"].(map[string]any)["keyed"].([]any); ok {
		keyed[r.IntN(2)].(map[string]any)["in"] = map[string]any{"n": int64(r.IntN(3))}
	}
}

// thingMergers have a kind with a schema, one without, and one with a type that shows
// members always.
func thingMergers(t *testing.T) []*Merger {
	s, errs := schema.Parse(object.Object{"type": "object", "properties": map[string]any{
		"spec": map[string]any{"type": "object", "properties": map[string]any{
			"n":      map[string]any{"type": "integer"},
			"atomic": map[string]any{"type": "object", "x-kubernetes-map-type": "atomic", "additionalProperties": map[string]any{"type": "integer"}},
			"list":   map[string]any{"type": "array", "items": map[string]any{"type": "integer"}},
			"set":    map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "integer"}},
			"map":    map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer"}},
			"keyed": map[string]any{"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"a", "b"},
				"items": map[string]any{"type": "object", "properties": map[string]any{
					"a": map[string]any{"type": "string"}, "b": map[string]any{"type": "integer", "default": int64(1)},
					"in": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}},
				}}},
		}},
		"status": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}},
	}})
	require.Empty(t, errs)
	kind := object.GroupVersionKind{Group: "ex.org", Version: "v1", Kind: "Thing"}
	shared, free := NewType(s), NewType(nil)
	typed := func(string) *Type { return shared }
	return []*Merger{
		{Kind: kind, Type: typed},
		{Kind: kind, Type: func(string) *Type { return free }},
		{Kind: kind, Type: typed, Empty: func() object.Object {
			return object.Object{"apiVersion": "ex.org/v1", "kind": "Thing", "metadata": map[string]any{}, "spec": map[string]any{"keyed": nil}}
		}},
	}
}

func randomThing(r *rand.Rand) object.Object {
	n := func() int64 { return int64(r.IntN(3)) }
	spec := map[string]any{"n": n()}
	for name, value := range map[string]any{
		"atomic": map[string]any{"a": n()}, "list": []any{n()}, "set": []any{n(), n()}, "map": map[string]any{fmt.Sprint(n()): n()},
		"keyed": []any{map[string]any{"a": "<x>", "b": n(), "in": map[string]any{"n": n()}}, map[string]any{"a": "y", "b": n(), "in": map[string]any{}}},
	} {
		if r.IntN(2) == 0 {
			spec[name] = value
		}
	}
	o := object.Object{"apiVersion": "ex.org/v1", "kind": "Thing", "metadata": map[string]any{"name": "a", "uid": "u"}, "spec": spec}
	if r.IntN(2) == 0 {
		o["status"] = map[string]any{"n": n()}
	}
	if r.IntN(2) == 0 {
		o.SetLabels(map[string]string{"l": fmt.Sprint(n())})
	}
	return o
}
