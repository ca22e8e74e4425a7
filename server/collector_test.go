package server

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// family is a world in which objects own one another, and a collector that may work.
type family struct {
	*testing.T
	*Server
	collector *gc.Collector
}

// inFamily runs a test in a bubble, in which the collector works.
func inFamily(t *testing.T, test func(f family)) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		f.start()
		test(f)
	})
}

func newFamily(t *testing.T) family {
	s := newWorld(t, widgets(), crates(), Resource{
		Plural: "events", Kind: "Event", Namespaced: true, Versions: []Version{{Name: "v1"}},
	})
	return family{t, s, gc.NewCollector(s.Cluster(), slog.New(slog.DiscardHandler))}
}

// start lets the collector work until the test ends.
func (f family) start() {
	ctx, cancel := context.WithCancel(f.Context())
	var wg sync.WaitGroup
	wg.Go(func() { f.collector.Run(ctx) })
	f.Cleanup(func() { cancel(); wg.Wait() })
}

func (f family) settle() { require.NoError(f, f.collector.Settle(f.Context())) }

// add creates a widget with the owners given and gives a reference to it.
func (f family) add(name string, owners ...object.OwnerReference) object.OwnerReference {
	f.Helper()
	o := widget(name)
	o.SetOwnerReferences(owners)
	return f.create(target(""), o)
}

func (f family) create(at Target, o object.Object) object.OwnerReference {
	f.Helper()
	created, err := f.Create(f.Context(), at, o, WriteOptions{})
	require.NoError(f, err)
	return object.OwnerReference{APIVersion: created.APIVersion(), Kind: created.Kind(), Name: created.Name(), UID: created.UID()}
}

func (f family) remove(name, policy string) {
	f.Helper()
	_, _, err := f.Delete(f.Context(), target(name), gc.DeleteOptions{PropagationPolicy: &policy})
	require.NoError(f, err)
}

func (f family) patch(name, patch string) {
	f.Helper()
	_, err := f.Patch(f.Context(), target(name), apply.MergePatch, []byte(patch), WriteOptions{})
	require.NoError(f, err)
}

// names are those of the widgets that there are, with those of their owners behind.
func (f family) names() (names []string) {
	f.Helper()
	items, _, err := f.List(f.Context(), target(""), ListOptions{})
	require.NoError(f, err)
	for _, o := range items {
		text := o.Name()
		for _, ref := range o.OwnerReferences() {
			text += "<" + ref.Name
		}
		names = append(names, text)
	}
	return names
}

func blocking(ref object.OwnerReference) object.OwnerReference {
	yes := true
	ref.BlockOwnerDeletion = &yes
	return ref
}

func TestDependentsGoWithTheirOwner(t *testing.T) {
	for _, policy := range []string{gc.Background, gc.Foreground} {
		t.Run(policy, func(t *testing.T) {
			inFamily(t, func(f family) {
				a := f.add("a")
				b := f.add("b", blocking(a))
				f.add("c", blocking(b))
				f.add("other")
				f.settle()
				require.Equal(t, []string{"a", "b<a", "c<b", "other"}, f.names())
				f.remove("a", policy)
				f.settle()
				require.Equal(t, []string{"other"}, f.names())
			})
		})
	}
}

func TestOrphansStay(t *testing.T) {
	inFamily(t, func(f family) {
		a, b := f.add("a"), f.add("b")
		f.add("c", a)
		f.add("d", a, b)
		f.remove("a", gc.Orphan)
		f.settle()
		require.Equal(t, []string{"b", "c", "d<b"}, f.names())
	})
}

func TestForegroundDeletionWaitsForWhatBlocksIt(t *testing.T) {
	inFamily(t, func(f family) {
		a := f.add("a")
		f.add("b", blocking(a))
		f.add("c", a)
		f.patch("b", `{"metadata":{"finalizers":["example.com/hold"]}}`)
		f.patch("c", `{"metadata":{"finalizers":["example.com/hold"]}}`)
		f.remove("a", gc.Foreground)
		f.settle()
		require.Equal(t, []string{"a", "b<a", "c<a"}, f.names())
		f.patch("b", `{"metadata":{"finalizers":null}}`)
		f.settle()
		require.Equal(t, []string{"c<a"}, f.names(), "c does not block")
		f.patch("c", `{"metadata":{"finalizers":null}}`)
		f.settle()
		require.Empty(t, f.names())
	})
}

func TestAbsentOwnersAreNone(t *testing.T) {
	inFamily(t, func(f family) {
		first := f.add("owner")
		f.remove("owner", gc.Background)
		second := f.add("owner")
		wrongName := second
		wrongName.Name = "elsewhere"
		f.add("of-first", first)
		f.add("of-second", second)
		f.add("of-both", first, second)
		f.add("of-wrong-name", wrongName)
		f.settle()
		require.Equal(t, []string{"of-both<owner", "of-second<owner", "owner"}, f.names())
	})
}

func TestFalseReferencesHarmNobodyElse(t *testing.T) {
	ahead := func(f family, owner object.OwnerReference) {
		wrong := owner
		wrong.Name = "elsewhere"
		far := target("")
		far.Namespace = "far"
		o := widget("of-far")
		o.SetOwnerReferences([]object.OwnerReference{owner})
		f.create(far, o)
		f.add("a-wrong", wrong)
	}
	after := func(f family, owner object.OwnerReference) { f.add("right", owner) }
	t.Run("while it runs", func(t *testing.T) {
		inFamily(t, func(f family) {
			owner := f.add("owner")
			ahead(f, owner)
			f.settle()
			after(f, owner)
			f.settle()
			require.Equal(t, []string{"owner", "right<owner"}, f.names())
		})
	})
	t.Run("from before it ran", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t)
			owner := f.add("owner")
			ahead(f, owner)
			after(f, owner)
			require.NoError(t, f.collector.Collect(t.Context()))
			require.Equal(t, []string{"owner", "right<owner"}, f.names())
		})
	})
	t.Run("of an owner that is seen later", func(t *testing.T) {
		inFamily(t, func(f family) {
			owner := f.add("owner", f.add("top"))
			f.settle()
			wrong := owner
			wrong.Name = "elsewhere"
			f.add("wrong", wrong)
			f.settle()
			require.Equal(t, []string{"owner<top", "top"}, f.names())
		})
	})
}

func TestCollectingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		for range 3 {
			f.add("b", f.add("a"))
			f.remove("a", gc.Background)
			require.NoError(t, f.collector.Collect(t.Context()))
			require.Empty(t, f.names())
		}
	})
}

func TestWhatIsNotServedIsNotGone(t *testing.T) {
	inFamily(t, func(f family) {
		a := f.add("a")
		b := f.add("b", a)
		f.add("c", b)
		f.Remove(object.GroupResource{Group: "example.com", Resource: "widgets"})
		crate := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "crates"}}
		o := object.Object{"metadata": map[string]any{"name": "of-b"}}
		o.SetOwnerReferences([]object.OwnerReference{b})
		f.create(crate, o)
		f.settle()
		time.Sleep(time.Hour)
		require.NoError(t, f.Server.Add(widgets()))
		time.Sleep(time.Hour)
		f.settle()
		require.Equal(t, []string{"a", "b<a", "c<b"}, f.names())
	})
}

func TestResourcesAddedWithObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		f.add("b", f.add("a"))
		f.Remove(object.GroupResource{Group: "example.com", Resource: "widgets"})
		f.start()
		f.settle()
		require.NoError(t, f.Server.Add(widgets()))
		f.remove("a", gc.Orphan)
		time.Sleep(time.Minute)
		f.settle()
		require.Equal(t, []string{"b"}, f.names())
	})
}

func TestReportsDontStandInTheWay(t *testing.T) {
	inFamily(t, func(f family) {
		owner := f.add("owner")
		far := target("")
		far.Namespace = "far"
		far.Name = strings.Repeat("x", 250)
		o := widget(far.Name)
		o.SetOwnerReferences([]object.OwnerReference{owner})
		f.create(far, o)
		f.settle()
		_, err := f.Get(f.Context(), far)
		require.True(t, object.IsNotFound(err), "%v", err)
		require.Len(t, f.reports(), 1)
	})
}

func TestPanicsOfKindsEndNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		trouble := widgets()
		trouble.Validate = func(next, old object.Object) object.FieldErrors {
			if next.Name() == "trouble" && old != nil {
				panic("trouble")
			}
			return nil
		}
		f.Remove(object.GroupResource{Group: "example.com", Resource: "widgets"})
		require.NoError(t, f.Server.Add(trouble))
		f.start()
		a := f.add("a")
		f.add("trouble", a)
		f.add("b", a)
		f.remove("a", gc.Orphan)
		f.settle()
		require.Equal(t, []string{"a", "b", "trouble<a"}, f.names())
	})
}

// TestFalseReferenceCostsNobodyElseTheirOwner: whatever the collector sees first after a start,
// a reference from where its owner cannot be says nothing of those who are right.
func TestFalseReferenceCostsNobodyElseTheirOwner(t *testing.T) {
	for range 20 { // collections are read in any order
		synctest.Test(t, func(t *testing.T) {
			f := newFamily(t)
			a := f.add("a")
			f.add("of-a", a)
			narrow := object.Object{"metadata": map[string]any{"name": "narrow"}}
			narrow.SetOwnerReferences([]object.OwnerReference{a})
			f.create(Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "crates"}}, narrow)
			f.start()
			f.settle()
			require.Equal(t, []string{"a", "of-a<a"}, f.names())
		})
	}
}

func TestOwnersInOtherScopes(t *testing.T) {
	inFamily(t, func(f family) {
		crate := Target{Resource: object.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "crates"}}
		wide := f.create(crate, object.Object{"metadata": map[string]any{"name": "wide"}})
		f.add("of-wide", wide)
		a := f.add("a")
		f.add("of-a", a)
		far := target("")
		far.Namespace = "far"
		o := widget("of-far")
		o.SetOwnerReferences([]object.OwnerReference{a})
		f.create(far, o)
		narrow := object.Object{"metadata": map[string]any{"name": "narrow"}}
		narrow.SetOwnerReferences([]object.OwnerReference{a})
		f.create(crate, narrow)
		f.settle()
		require.Equal(t, []string{"a", "of-a<a", "of-wide<wide"}, f.names())

		crate.Name = "narrow"
		_, err := f.Get(f.Context(), crate)
		require.NoError(t, err, "a namespaced owner of what has no namespace is no owner, but who knows")
		far.Name = "of-far"
		_, err = f.Get(f.Context(), far)
		require.True(t, object.IsNotFound(err), "%v", err)
		require.Equal(t, []string{
			`default: narrow: ownerRef [example.com/v1/Widget, namespace: , name: a, uid: ` + a.UID + `] does not exist in namespace ""`,
			`far: of-far: ownerRef [example.com/v1/Widget, namespace: far, name: a, uid: ` + a.UID + `] does not exist in namespace "far"`,
		}, f.reports())

		crate.Name = "wide"
		_, _, err = f.Delete(f.Context(), crate, gc.DeleteOptions{})
		require.NoError(t, err)
		f.settle()
		require.Equal(t, []string{"a", "of-a<a"}, f.names())
	})
}

func (f family) reports() (texts []string) {
	items, _, err := f.List(f.Context(), Target{Resource: object.GroupVersionResource{Version: "v1", Resource: "events"}}, ListOptions{})
	require.NoError(f, err)
	for _, o := range items {
		involved := o["involvedObject"].(map[string]any)
		require.Equal(f, "OwnerRefInvalidNamespace", o["reason"])
		texts = append(texts, fmt.Sprintf("%s: %s: %s", o.Namespace(), involved["name"], o["message"]))
	}
	return texts
}

func TestCirclesEnd(t *testing.T) {
	for _, policy := range []string{gc.Background, gc.Foreground} {
		t.Run(policy, func(t *testing.T) {
			inFamily(t, func(f family) {
				a := f.add("a")
				b := f.add("b", blocking(a))
				c := f.add("c", blocking(b))
				f.patch("a", fmt.Sprintf(`{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"blockOwnerDeletion":true}]}}`,
					c.APIVersion, c.Kind, c.Name, c.UID))
				f.settle()
				require.Len(t, f.names(), 3)
				f.remove("b", policy)
				f.settle()
				require.Empty(t, f.names())
			})
		})
	}
}

func TestKindsThatAppearLater(t *testing.T) {
	inFamily(t, func(f family) {
		f.add("a", object.OwnerReference{APIVersion: "later.example.com/v1", Kind: "Late", Name: "l", UID: "1"})
		f.settle()
		time.Sleep(10 * time.Minute)
		f.settle()
		require.Equal(t, []string{"a<l"}, f.names(), "nobody knows whether the owner is there")

		require.NoError(t, f.Add(Resource{Group: "later.example.com", Plural: "lates", Kind: "Late", Versions: []Version{{Name: "v1"}}}))
		time.Sleep(time.Minute)
		f.settle()
		require.Empty(t, f.names())
	})
}

func TestCollectorFindsWhatHappenedBeforeItBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFamily(t)
		a := f.add("a")
		f.add("of-a", a)
		f.add("of-of-a", f.add("of-a2", a))
		f.remove("a", gc.Background)
		b := f.add("b")
		f.add("of-b", blocking(b))
		f.remove("b", gc.Foreground)
		c := f.add("c")
		f.add("of-c", c)
		f.remove("c", gc.Orphan)
		require.NoError(t, f.collector.Collect(t.Context()), "it does all at once and returns")
		require.Equal(t, []string{"of-c"}, f.names())
	})
}

func TestThousandsOfDependents(t *testing.T) {
	for _, policy := range []string{gc.Background, gc.Foreground, gc.Orphan} {
		t.Run(policy, func(t *testing.T) {
			inFamily(t, func(f family) {
				a := f.add("a")
				for i := range 3000 {
					f.add(fmt.Sprint("d", i), blocking(a))
				}
				f.remove("a", policy)
				f.settle()
				if policy == gc.Orphan {
					require.Len(t, f.names(), 3000)
					return
				}
				require.Empty(t, f.names())
			})
		})
	}
}

// TestCollectionOfRandomGraphs compares with a model: an object goes when all its owners
// have, and loses those that have gone.
func TestCollectionOfRandomGraphs(t *testing.T) {
	for seed := range uint64(40) {
		inFamily(t, func(f family) {
			r := rand.New(rand.NewPCG(seed, 7))
			m := newModel()
			for range 60 {
				m.step(f, r)
				f.settle()
				require.Equal(t, m.names(), f.names(), "seed %d", seed)
			}
		})
	}
}

// TestCollectionUnderWay only looks at the end of many deletions at once: nothing that has a
// living owner goes, and nothing stays whose owners are all gone.
func TestCollectionUnderWay(t *testing.T) {
	policies := []string{gc.Background, gc.Foreground}
	for seed := range uint64(40) {
		inFamily(t, func(f family) {
			r := rand.New(rand.NewPCG(seed, 8))
			m := newModel()
			for range 60 {
				m.create(f, r)
			}
			for _, name := range slices.Sorted(maps.Keys(m.owners)) {
				if r.IntN(4) > 0 {
					continue
				}
				policy := policies[r.IntN(2)]
				_, _, err := f.Delete(f.Context(), target(name), gc.DeleteOptions{PropagationPolicy: &policy})
				if !object.IsNotFound(err) {
					require.NoError(t, err)
				}
				m.remove(name)
			}
			f.settle()
			require.Equal(t, m.names(), f.names(), "seed %d", seed)
		})
	}
}

// model is who owns whom.
type model struct {
	next   int
	refs   map[string]object.OwnerReference
	owners map[string][]string
}

func newModel() *model {
	return &model{refs: map[string]object.OwnerReference{}, owners: map[string][]string{}}
}

func (m *model) step(f family, r *rand.Rand) {
	if len(m.owners) == 0 || r.IntN(3) > 0 {
		m.create(f, r)
		return
	}
	names := slices.Sorted(maps.Keys(m.owners))
	name := names[r.IntN(len(names))]
	policy := []string{gc.Background, gc.Foreground, gc.Orphan}[r.IntN(3)]
	f.remove(name, policy)
	if policy == gc.Orphan {
		m.orphan(name)
		delete(m.owners, name)
		return
	}
	m.remove(name)
}

// create adds an object with up to three owners, living ones and some that are gone.
func (m *model) create(f family, r *rand.Rand) {
	name := fmt.Sprintf("o%03d", m.next)
	m.next++
	var refs []object.OwnerReference
	var owners []string
	for range r.IntN(4) {
		i := r.IntN(m.next)
		owner := fmt.Sprintf("o%03d", i)
		if ref, ok := m.refs[owner]; ok && !slices.Contains(owners, owner) {
			if r.IntN(2) == 0 {
				ref = blocking(ref)
			}
			refs, owners = append(refs, ref), append(owners, owner)
		}
	}
	m.refs[name] = f.add(name, refs...)
	m.owners[name] = owners
	m.drop(name)
}

// drop lets an object lose the owners that are gone, and go if none is left.
func (m *model) drop(name string) {
	owners := m.owners[name]
	if len(owners) == 0 {
		return
	}
	living := slices.DeleteFunc(slices.Clone(owners), func(owner string) bool { _, ok := m.owners[owner]; return !ok })
	if len(living) == 0 {
		m.remove(name)
		return
	}
	m.owners[name] = living
}

func (m *model) remove(name string) {
	if _, ok := m.owners[name]; !ok {
		return
	}
	delete(m.owners, name)
	for _, other := range slices.Sorted(maps.Keys(m.owners)) {
		if slices.Contains(m.owners[other], name) {
			m.drop(other)
		}
	}
}

func (m *model) orphan(name string) {
	for other, owners := range m.owners {
		m.owners[other] = slices.DeleteFunc(owners, func(owner string) bool { return owner == name })
	}
}

func (m *model) names() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(m.owners)) {
		text := name
		for _, owner := range m.owners[name] {
			text += "<" + owner
		}
		names = append(names, text)
	}
	return names
}
