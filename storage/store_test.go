package storage_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
	"github.com/seed-6c0fa0ad/plinth/storage/memory"
)

var configMaps = object.GroupResource{Resource: "configmaps"}

func keyOf(namespace, name string) object.Key {
	return object.Key{GroupResource: configMaps, Namespace: namespace, Name: name}
}

func encoded(t testing.TB, namespace, name string, labels map[string]string) object.Encoded {
	o := object.Object{"kind": "ConfigMap", "apiVersion": "v1"}
	o.SetName(name)
	o.SetNamespace(namespace)
	o.SetLabels(labels)
	e, err := object.Encode(o, nil)
	require.NoError(t, err)
	return e
}

func newStore(t testing.TB, opts *storage.Options) *storage.Store {
	s, err := storage.New(memory.New(), opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func create(t testing.TB, s *storage.Store, namespace, name string, labels map[string]string) *object.Encoded {
	e, err := s.Put(t.Context(), keyOf(namespace, name), nil, encoded(t, namespace, name, labels), 0)
	require.NoError(t, err)
	return e
}

type page struct {
	names    []string
	version  object.ResourceVersion
	next     string
	remained *int64
}

func list(t testing.TB, s *storage.Store, collection object.Key, opts storage.ListOptions) page {
	l, err := s.List(t.Context(), collection, opts)
	require.NoError(t, err)
	p := page{version: l.Version()}
	require.NoError(t, l.Visit(func(key object.Key, e *object.Encoded) bool {
		name := key.Name
		if collection.Namespace == "" {
			name = key.Namespace + "/" + name
		}
		p.names = append(p.names, name)
		return true
	}))
	require.True(t, l.Done())
	p.next, p.remained = l.Continue(), l.Remaining()
	return p
}

func TestPutComparesVersions(t *testing.T) {
	s := newStore(t, nil)
	ctx := t.Context()
	a := create(t, s, "d", "a", nil)
	require.EqualValues(t, 2, a.Version)

	_, err := s.Put(ctx, keyOf("d", "a"), nil, encoded(t, "d", "a", nil), 0)
	require.True(t, object.IsAlreadyExists(err))
	require.EqualError(t, err, `configmaps "a" already exists`)

	b, err := s.Put(ctx, keyOf("d", "a"), a, encoded(t, "d", "a", map[string]string{"x": "y"}), 0)
	require.NoError(t, err)
	_, err = s.Put(ctx, keyOf("d", "a"), a, encoded(t, "d", "a", nil), 0)
	require.EqualError(t, err, `Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again`)

	_, err = s.Remove(ctx, keyOf("d", "a"), a)
	require.True(t, object.IsConflict(err))
	gone, err := s.Remove(ctx, keyOf("d", "a"), b)
	require.NoError(t, err)
	require.Equal(t, object.Encoded{Version: 4, Head: b.Head, Body: b.Body}, *gone)
	_, err = s.Get(ctx, keyOf("d", "a"))
	require.EqualError(t, err, `configmaps "a" not found`)
	old, err := s.GetAt(ctx, keyOf("d", "a"), a.Version)
	require.NoError(t, err)
	require.Equal(t, a, old)
}

func TestListPagesOneState(t *testing.T) {
	s := newStore(t, nil)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		create(t, s, "n", name, nil)
	}
	create(t, s, "n-2", "x", nil)
	create(t, s, "m", "y", nil)
	require.Equal(t, []string{"m/y", "n-2/x", "n/a", "n/b", "n/c", "n/d", "n/e"}, list(t, s, keyOf("", ""), storage.ListOptions{}).names)

	first := list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 2})
	require.Equal(t, []string{"a", "b"}, first.names)
	require.EqualValues(t, 3, *first.remained)
	create(t, s, "n", "ca", nil)
	second := list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 2, Continue: first.next})
	require.Equal(t, []string{"c", "d"}, second.names)
	require.EqualValues(t, 1, *second.remained)
	require.Equal(t, first.version, second.version)
	last := list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 2, Continue: second.next})
	require.Equal(t, page{names: []string{"e"}, version: first.version}, last)

	require.Empty(t, list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 6}).next)
	zero := list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 2, ResourceVersion: "0"})
	require.Len(t, zero.names, 6)
	exact := list(t, s, keyOf("n", ""), storage.ListOptions{ResourceVersion: "3", Match: storage.Exact})
	require.Equal(t, page{names: []string{"a", "b"}, version: 3}, exact)
	limited := list(t, s, keyOf("n", ""), storage.ListOptions{ResourceVersion: "3", Limit: 1})
	require.Equal(t, []string{"a"}, limited.names)
	require.EqualValues(t, 1, *limited.remained)
	newer := list(t, s, keyOf("n", ""), storage.ListOptions{ResourceVersion: "3", Match: storage.NotOlderThan, Limit: 1})
	require.EqualValues(t, 9, newer.version)
}

func TestVisitGoesOnWhereItStopped(t *testing.T) {
	s := newStore(t, nil)
	for i := range 10 {
		create(t, s, "n", fmt.Sprintf("o%d", i), nil)
	}
	l, err := s.List(t.Context(), keyOf("n", ""), storage.ListOptions{Limit: 7})
	require.NoError(t, err)
	var names []string
	for rounds := 0; !l.Done(); rounds++ {
		require.Less(t, rounds, 10)
		n := 0
		require.NoError(t, l.Visit(func(key object.Key, e *object.Encoded) bool {
			names = append(names, key.Name)
			n++
			return n < 3
		}))
	}
	require.Equal(t, []string{"o0", "o1", "o2", "o3", "o4", "o5", "o6"}, names)
	require.EqualValues(t, 3, *l.Remaining())
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	s := newStore(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		create(t, s, "n", name, nil)
	}
	l, err := s.List(t.Context(), keyOf("n", ""), storage.ListOptions{})
	require.NoError(t, err)
	var names []string
	visit := func(failing string) error {
		return l.Each(func(key object.Key, _ *object.Encoded) error {
			names = append(names, key.Name)
			if key.Name == failing {
				return storage.ErrClosed
			}
			return nil
		})
	}
	require.ErrorIs(t, visit("b"), storage.ErrClosed)
	require.Equal(t, []string{"a", "b"}, names)
	require.NoError(t, visit(""))
	require.Equal(t, []string{"a", "b", "c"}, names)
	require.True(t, l.Done())
}

func TestListRefusals(t *testing.T) {
	s := newStore(t, nil)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		create(t, s, "n", name, nil)
	}
	raw := base64.RawURLEncoding.EncodeToString
	tests := []struct {
		name    string
		opts    storage.ListOptions
		code    int
		message string
	}{
		{"token with version", storage.ListOptions{Continue: raw([]byte(`{"v":"meta.k8s.io/v1","rv":3,"start":"a"}`)), ResourceVersion: "3"}, 400, "specifying resource version is not allowed when using continue"},
		{"token that is no text", storage.ListOptions{Continue: "nonsense"}, 400, `invalid continue token: continue key is not valid: invalid character '\u009e' looking for beginning of value`},
		{"token of another format", storage.ListOptions{Continue: raw([]byte(`{"v":"meta.k8s.io/v9","rv":1,"start":"a"}`))}, 400, "invalid continue token: continue key is not valid: server does not recognize this encoded version meta.k8s.io/v9"},
		{"token without version", storage.ListOptions{Continue: raw([]byte(`{"v":"meta.k8s.io/v1","start":"a"}`))}, 400, "invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{"token without start", storage.ListOptions{Continue: raw([]byte(`{"v":"meta.k8s.io/v1","rv":1}`))}, 400, "invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)"},
		{"token that climbs out", storage.ListOptions{Continue: raw([]byte(`{"v":"meta.k8s.io/v1","rv":-1,"start":"../../secrets"}`))}, 400, "invalid continue token: continue key is not valid: ../../secrets"},
		{"version that is no number", storage.ListOptions{ResourceVersion: "abc"}, 400, `invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
		{"version to come", storage.ListOptions{ResourceVersion: "99"}, 504, "Timeout: Too large resource version: 99, current: 6"},
		{"match with a token", storage.ListOptions{Continue: "x", Match: storage.Exact}, 422, `ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided]`},
		{"unknown match", storage.ListOptions{ResourceVersion: "x", Match: "Latest"}, 422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Latest": supported values: "Exact", "NotOlderThan", ""`},
		{"exact at zero", storage.ListOptions{ResourceVersion: "0", Match: storage.Exact}, 422, `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := s.List(t.Context(), keyOf("n", ""), test.opts)
			require.EqualError(t, err, test.message)
			require.Equal(t, test.code, object.AsStatus(err).Code)
		})
	}
}

func TestOldPagesExpireWithATokenToGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &storage.Options{KeepAge: time.Minute})
		for _, name := range []string{"a", "b", "c"} {
			create(t, s, "n", name, nil)
		}
		first := list(t, s, keyOf("n", ""), storage.ListOptions{Limit: 1})
		time.Sleep(2 * time.Minute)
		create(t, s, "n", "bb", nil)
		time.Sleep(2 * time.Minute)

		_, err := s.List(t.Context(), keyOf("n", ""), storage.ListOptions{ResourceVersion: "2", Match: storage.Exact})
		require.EqualError(t, err, "The resourceVersion for the provided list is too old.")
		_, err = s.List(t.Context(), keyOf("n", ""), storage.ListOptions{Limit: 1, Continue: first.next})
		require.True(t, object.IsExpired(err))
		token := object.AsStatus(err).Metadata.Continue
		require.Equal(t, []string{"b", "bb", "c"}, list(t, s, keyOf("n", ""), storage.ListOptions{Continue: token}).names)

		for _, err := range s.History(t.Context(), keyOf("n", ""), 2) {
			require.True(t, object.IsExpired(err))
		}
	})
}

func TestObjectsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		a, err := s.Put(t.Context(), keyOf("n", "a"), nil, encoded(t, "n", "a", nil), time.Hour)
		require.NoError(t, err)
		time.Sleep(30 * time.Minute)
		_, err = s.Put(t.Context(), keyOf("n", "b"), nil, encoded(t, "n", "b", nil), time.Minute)
		require.NoError(t, err)
		_, err = s.Put(t.Context(), keyOf("n", "a"), a, encoded(t, "n", "a", nil), time.Hour)
		require.NoError(t, err)
		time.Sleep(59 * time.Minute)
		require.Equal(t, []string{"a"}, list(t, s, keyOf("n", ""), storage.ListOptions{}).names)
		time.Sleep(time.Minute + 20*time.Millisecond)
		require.Empty(t, list(t, s, keyOf("n", ""), storage.ListOptions{}).names)
	})
}

func TestEventsAreHistoryAndThenLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, nil)
		create(t, s, "n", "a", nil)
		create(t, s, "other", "b", nil)
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		finished := make(chan error, 1)
		go func() {
			var last error
			for e, err := range s.Events(ctx, keyOf("n", ""), 1) {
				if last = err; err == nil {
					got = append(got, fmt.Sprintf("%s %s %d", e.Type, e.Key.Name, e.Version))
				}
			}
			finished <- last
		}()
		synctest.Wait()
		c := create(t, s, "n", "c", nil)
		synctest.Wait()
		_, err := s.Remove(t.Context(), keyOf("n", "c"), c)
		require.NoError(t, err)
		synctest.Wait()
		cancel()
		require.ErrorIs(t, <-finished, context.Canceled)
		require.Equal(t, []string{"ADDED a 2", "ADDED c 4", "DELETED c 5"}, got)
	})
}

// TestHistoryHoldsLittleAtATime: what lies behind the event that a consumer looks at
// is read when the consumer gets there.
func TestHistoryHoldsLittleAtATime(t *testing.T) {
	backend := &counting{Backend: memory.New()}
	s, err := storage.New(backend, nil)
	require.NoError(t, err)
	defer s.Close()
	large := encoded(t, "n", "a", map[string]string{"x": strings.Repeat("x", 300<<10)})
	var last *object.Encoded
	for range 20 {
		last, err = s.Put(t.Context(), keyOf("n", "a"), last, large, 0)
		require.NoError(t, err)
	}
	seen := 0
	for _, err := range s.History(t.Context(), keyOf("n", ""), 1) {
		require.NoError(t, err)
		seen++
		require.LessOrEqual(t, backend.changes, seen+3)
	}
	require.Equal(t, 20, seen)
}

// counting counts the changes that it hands out.
type counting struct {
	storage.Backend
	changes int
}

func (c *counting) Changes(prefix string, after object.ResourceVersion, visit func(storage.Change) bool) error {
	return c.Backend.Changes(prefix, after, func(change storage.Change) bool {
		c.changes++
		return visit(change)
	})
}

func TestHistoryIsBoundedByCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, &storage.Options{KeepCount: 100})
		last := create(t, s, "n", "a", nil)
		for range 1000 {
			var err error
			last, err = s.Put(t.Context(), keyOf("n", "a"), last, encoded(t, "n", "a", nil), 0)
			require.NoError(t, err)
		}
		synctest.Wait()
		_, err := s.GetAt(t.Context(), keyOf("n", "a"), last.Version-200)
		require.True(t, object.IsExpired(err), "without waiting for the next tick")
		_, err = s.GetAt(t.Context(), keyOf("n", "a"), last.Version-100)
		require.NoError(t, err)
	})
}

func TestSubscribersSeeEveryCommitFromTheirVersionOn(t *testing.T) {
	s := newStore(t, nil)
	a := create(t, s, "n", "a", nil)
	var got []object.Event
	from, cancel := s.Subscribe(func(events []object.Event) { got = append(got, events...) })
	require.Equal(t, a.Version, from)
	b, err := s.Put(t.Context(), keyOf("n", "a"), a, encoded(t, "n", "a", map[string]string{"x": "y"}), 0)
	require.NoError(t, err)
	gone, err := s.Remove(t.Context(), keyOf("n", "a"), b)
	require.NoError(t, err)
	cancel()
	create(t, s, "n", "c", nil)
	require.Equal(t, []object.Event{
		{Type: object.Modified, Key: keyOf("n", "a"), Version: 3, Object: b, Prev: a},
		{Type: object.Deleted, Key: keyOf("n", "a"), Version: 4, Object: gone, Prev: b},
	}, got)
}

func TestKeysOfCollectionsDoNotMix(t *testing.T) {
	s := newStore(t, nil)
	for _, key := range []object.Key{
		{GroupResource: object.GroupResource{Resource: "pods"}, Namespace: "n", Name: "a"},
		{GroupResource: object.GroupResource{Resource: "pods", Group: "metrics"}, Namespace: "n", Name: "b"},
		{GroupResource: object.GroupResource{Resource: "podsets"}, Namespace: "n", Name: "c"},
		{GroupResource: object.GroupResource{Resource: "namespaces"}, Name: "d"},
	} {
		_, err := s.Put(t.Context(), key, nil, encoded(t, key.Namespace, key.Name, nil), 0)
		require.NoError(t, err)
		l, err := s.List(t.Context(), object.Key{GroupResource: key.GroupResource}, storage.ListOptions{})
		require.NoError(t, err)
		var keys []object.Key
		require.NoError(t, l.Visit(func(key object.Key, _ *object.Encoded) bool { keys = append(keys, key); return true }))
		require.Equal(t, []object.Key{key}, keys)
	}
}

func TestAListOfOneNameEndsWithItsObject(t *testing.T) {
	s := newStore(t, nil)
	for _, name := range []string{"a", "ab", "b", "ba", "c"} {
		create(t, s, "n", name, nil)
	}
	of := func(selector, namespace string, limit int64) page {
		fields, err := object.ParseFieldSelector(selector)
		require.NoError(t, err)
		return list(t, s, keyOf(namespace, ""), storage.ListOptions{Selector: object.Selector{Fields: fields}, Limit: limit})
	}
	require.Equal(t, page{names: []string{"b"}, version: 6}, of("metadata.name=b", "n", 0))
	require.Equal(t, page{names: []string{"n/b"}, version: 6}, of("metadata.name=b", "", 0))
	require.Equal(t, page{names: []string{"b"}, version: 6}, of("metadata.name=b", "n", 1))
	require.Equal(t, page{names: []string{"n/b"}, version: 6}, of("metadata.name=b,metadata.namespace=n", "", 1))
	require.NotEmpty(t, of("metadata.name=b", "", 1).next, "other namespaces may have one, too")
	require.NotEmpty(t, of("metadata.namespace=n", "n", 1).next)
}
