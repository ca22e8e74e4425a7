package storagetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// Run checks a backend. open gives a new, empty one each time; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) storage.Backend) {
	tests := []struct {
		name string
		run  func(t *testing.T, b *fixture)
	}{
		{"an empty backend is at version 1", testEmpty},
		{"writes count versions up and compare them", testWrites},
		{"conflicts carry the current version", testConflicts},
		{"scans are in the order of bytes", testScanOrder},
		{"a scan starts at its key and stops on request", testScanBounds},
		{"a refused head is not visited", testScanMatch},
		{"reads see the state at a version", testOldVersions},
		{"many versions of a key do not hide its neighbours", testManyVersions},
		{"versions to come are refused", testFutureVersions},
		{"changes come in order with what was before", testChanges},
		{"commits are published in order before writers are told", testOnCommit},
		{"concurrent writers of one key exclude each other", testContention},
		{"compaction keeps what later reads need", testCompaction},
		{"a compacted deletion repeats no version", testCompactedDeletion},
		{"keys are due when their time has come", testExpiry},
		{"an ended context writes nothing", testContext},
		{"a closed backend says so", testClosed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := open(t)
			t.Cleanup(func() { require.NoError(t, b.Close()) })
			test.run(t, &fixture{Backend: b, t: t})
		})
	}
	t.Run("random operations agree with the model", func(t *testing.T) { testModel(t, open) })
}

// fixture is a backend with short ways to use it.
type fixture struct {
	storage.Backend
	t *testing.T
}

func value(text string) *object.Encoded {
	return &object.Encoded{Head: []byte{0, 0, 0}, Body: []byte(`{"metadata":{"name":"` + text + `"}}`)}
}

// put writes a key over whatever is there.
func (f *fixture) put(key, text string) *object.Encoded {
	f.t.Helper()
	prev, err := f.Get(key, 0)
	require.NoError(f.t, err)
	return f.write(storage.Write{Key: key, Prev: prev, Next: value(text)})
}

func (f *fixture) write(w storage.Write) *object.Encoded {
	f.t.Helper()
	version, err := f.Write(f.t.Context(), w)
	require.NoError(f.t, err)
	if w.Next == nil {
		return nil
	}
	return &object.Encoded{Version: version, Head: w.Next.Head, Body: w.Next.Body}
}

func (f *fixture) remove(key string) {
	f.t.Helper()
	prev, err := f.Get(key, 0)
	require.NoError(f.t, err)
	f.write(storage.Write{Key: key, Prev: prev})
}

// scan gives "key@version" of a range.
func (f *fixture) scan(prefix, from string, at object.ResourceVersion) []string {
	f.t.Helper()
	var got []string
	require.NoError(f.t, f.Scan(prefix, from, at, nil, func(key string, e *object.Encoded) bool {
		got = append(got, fmt.Sprintf("%s@%d", key, e.Version))
		return true
	}))
	return got
}

func testEmpty(t *testing.T, b *fixture) {
	require.EqualValues(t, 1, b.Version())
	require.EqualValues(t, 0, b.Compacted())
	e, err := b.Get("r/a", 0)
	require.NoError(t, err)
	require.Nil(t, e)
	require.Empty(t, b.scan("", "", 0))
	require.Empty(t, b.scan("", "", 1))
}

func testWrites(t *testing.T, b *fixture) {
	a := b.put("r/a", "one")
	require.EqualValues(t, 2, a.Version)
	two := b.put("r/a", "two")
	require.EqualValues(t, 3, two.Version)
	got, err := b.Get("r/a", 0)
	require.NoError(t, err)
	require.Equal(t, two, got)
	b.remove("r/a")
	require.EqualValues(t, 4, b.Version())
	got, err = b.Get("r/a", 0)
	require.NoError(t, err)
	require.Nil(t, got)
	require.EqualValues(t, 5, b.put("r/a", "again").Version)
}

func testConflicts(t *testing.T, b *fixture) {
	a := b.put("r/a", "one")
	newer := b.put("r/a", "two")
	tests := []struct {
		name    string
		write   storage.Write
		current object.ResourceVersion
	}{
		{"create over one that is there", storage.Write{Key: "r/a", Next: value("x")}, newer.Version},
		{"update of an old state", storage.Write{Key: "r/a", Prev: a, Next: value("x")}, newer.Version},
		{"deletion of an old state", storage.Write{Key: "r/a", Prev: a}, newer.Version},
		{"update of one that is absent", storage.Write{Key: "r/b", Prev: a, Next: value("x")}, 0},
		{"deletion of one that is absent", storage.Write{Key: "r/b", Prev: a}, 0},
		{"deletion of nothing", storage.Write{Key: "r/b"}, 0},
	}
	for _, test := range tests {
		_, err := b.Write(t.Context(), test.write)
		var conflict *storage.ConflictError
		require.ErrorAs(t, err, &conflict, test.name)
		require.Equal(t, storage.ConflictError{Key: test.write.Key, Current: test.current}, *conflict, test.name)
	}
	require.Equal(t, newer.Version, b.Version())
}

func testScanOrder(t *testing.T, b *fixture) {
	for _, key := range []string{"r/n/b", "r/n-2/a", "r/n/a", "r.g/x", "s/a", "r/n/ab", "r/a"} {
		b.put(key, "v")
	}
	require.Equal(t, []string{"r/a@8", "r/n-2/a@3", "r/n/a@4", "r/n/ab@7", "r/n/b@2"}, b.scan("r/", "", 0))
	require.Equal(t, []string{"r/n/a@4", "r/n/ab@7", "r/n/b@2"}, b.scan("r/n/", "", 0))
	require.Equal(t, []string{"r.g/x@5"}, b.scan("r.", "", 0))
	require.Len(t, b.scan("", "", 0), 7)
}

func testScanBounds(t *testing.T, b *fixture) {
	for _, key := range []string{"r/a", "r/a-", "r/aa", "r/b", "s/x"} {
		b.put(key, "v")
	}
	require.Equal(t, []string{"r/aa@4", "r/b@5"}, b.scan("r/", "r/aa", 0))
	require.Equal(t, []string{"r/b@5"}, b.scan("r/", "r/aa\x00", 0))
	require.Equal(t, []string{"r/a-@3", "r/aa@4", "r/b@5"}, b.scan("r/", "r/a\x00", 0))
	require.Empty(t, b.scan("r/", "s", 0))
	require.Len(t, b.scan("r/", "a", 0), 4)
	calls := 0
	require.NoError(t, b.Scan("r/", "", 0, nil, func(string, *object.Encoded) bool { calls++; return calls < 2 }))
	require.Equal(t, 2, calls)
}

func testScanMatch(t *testing.T, b *fixture) {
	for _, key := range []string{"r/a", "r/b", "r/c"} {
		b.put(key, key)
	}
	var asked, visited []string
	require.NoError(t, b.Scan("r/", "", 0, func(key string, e *object.Encoded) bool {
		require.Equal(t, []byte{0, 0, 0}, e.Head)
		asked = append(asked, strings.Clone(key))
		return key != "r/b"
	}, func(key string, e *object.Encoded) bool {
		require.Equal(t, value(key).Body, e.Body)
		visited = append(visited, key)
		return true
	}))
	require.Equal(t, []string{"r/a", "r/b", "r/c"}, asked)
	require.Equal(t, []string{"r/a", "r/c"}, visited)
}

func testOldVersions(t *testing.T, b *fixture) {
	b.put("r/a", "1") // 2
	b.put("r/b", "1") // 3
	b.put("r/a", "2") // 4
	b.remove("r/b")   // 5
	b.put("r/c", "1") // 6
	want := map[object.ResourceVersion][]string{
		1: nil, 2: {"r/a@2"}, 3: {"r/a@2", "r/b@3"}, 4: {"r/a@4", "r/b@3"}, 5: {"r/a@4"}, 6: {"r/a@4", "r/c@6"},
	}
	for at, keys := range want {
		require.Equal(t, keys, b.scan("r/", "", at), "at %d", at)
	}
	e, err := b.Get("r/a", 3)
	require.NoError(t, err)
	require.Equal(t, value("1").Body, e.Body)
	e, err = b.Get("r/b", 5)
	require.NoError(t, err)
	require.Nil(t, e)
}

func testManyVersions(t *testing.T, b *fixture) {
	b.put("r/a", "v")
	b.put("r/c", "v")
	for range 50 {
		b.put("r/b", "v")
	}
	require.Equal(t, []string{"r/a@2", "r/b@53", "r/c@3"}, b.scan("r/", "", 0))
	require.Equal(t, []string{"r/a@2", "r/b@4", "r/c@3"}, b.scan("r/", "", 4))
	require.Equal(t, []string{"r/a@2", "r/b@30", "r/c@3"}, b.scan("r/", "", 30))
	require.Equal(t, []string{"r/a@2", "r/c@3"}, b.scan("r/", "", 3))
}

func testFutureVersions(t *testing.T, b *fixture) {
	b.put("r/a", "v")
	_, err := b.Get("r/a", 3)
	require.Error(t, err)
	require.Error(t, b.Scan("r/", "", 3, nil, func(string, *object.Encoded) bool { return true }))
}

func changesOf(t *testing.T, b storage.Backend, prefix string, after object.ResourceVersion) []string {
	var got []string
	require.NoError(t, b.Changes(prefix, after, func(c storage.Change) bool {
		got = append(got, tell(c))
		return true
	}))
	return got
}

func tell(c storage.Change) string {
	side := func(e *object.Encoded) string {
		if e == nil {
			return "-"
		}
		return fmt.Sprintf("%d%s", e.Version, e.Body[len(`{"metadata":{"name":`):len(e.Body)-2])
	}
	return fmt.Sprintf("%d %s %s %s", c.Version, c.Key, side(c.Prev), side(c.Next))
}

func testChanges(t *testing.T, b *fixture) {
	b.put("r/a", "x")
	b.put("s/b", "x")
	b.put("r/a", "y")
	b.remove("r/a")
	b.put("r/a", "z")
	require.Equal(t, []string{`2 r/a - 2"x"`, `4 r/a 2"x" 4"y"`, `5 r/a 4"y" -`, `6 r/a - 6"z"`}, changesOf(t, b, "r/", 0))
	require.Equal(t, []string{`3 s/b - 3"x"`, `4 r/a 2"x" 4"y"`}, changesOf(t, b, "", 2)[:2])
	require.Empty(t, changesOf(t, b, "", 6))
	calls := 0
	require.NoError(t, b.Changes("", 0, func(storage.Change) bool { calls++; return false }))
	require.Equal(t, 1, calls)
}

func testOnCommit(t *testing.T, b *fixture) {
	var mu sync.Mutex
	var got []string
	var last object.ResourceVersion = 1
	b.OnCommit(func(changes []storage.Change) {
		mu.Lock()
		defer mu.Unlock()
		for _, c := range changes {
			if c.Version != last+1 {
				t.Errorf("version %d published after %d", c.Version, last)
			}
			last = c.Version
			got = append(got, tell(c))
		}
	})
	published := func() object.ResourceVersion {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 20 {
				w := storage.Write{Key: fmt.Sprintf("r/%d-%d", i, j), Next: value("v")}
				version, err := b.Write(t.Context(), w)
				if err != nil || published() < version || b.Version() < version {
					t.Errorf("write told before it was published: %d, %v", version, err)
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, changesOf(t, b, "", 0), got)
	require.Len(t, got, 160)
}

func testContention(t *testing.T, b *fixture) {
	b.put("r/a", "v")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for done := 0; done < 10; {
				prev, err := b.Get("r/a", 0)
				if err == nil {
					_, err = b.Write(t.Context(), storage.Write{Key: "r/a", Prev: prev, Next: value("v")})
				}
				var conflict *storage.ConflictError
				switch {
				case err == nil:
					done++
				case !errors.As(err, &conflict):
					t.Error(err)
					return
				case conflict.Current <= prev.Version || conflict.Current > b.Version():
					t.Errorf("read %d, but the conflict is with %d", prev.Version, conflict.Current)
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 82, b.Version())
}

func testCompaction(t *testing.T, b *fixture) {
	b.put("r/a", "1") // 2
	b.put("r/b", "1") // 3
	b.put("r/a", "2") // 4
	b.remove("r/b")   // 5
	b.put("r/a", "3") // 6
	require.NoError(t, b.Compact(t.Context(), 4))
	require.EqualValues(t, 4, b.Compacted())
	_, err := b.Get("r/a", 3)
	require.ErrorIs(t, err, storage.ErrCompacted)
	require.ErrorIs(t, b.Scan("r/", "", 3, nil, func(string, *object.Encoded) bool { return true }), storage.ErrCompacted)
	require.ErrorIs(t, b.Changes("", 3, func(storage.Change) bool { return true }), storage.ErrCompacted)
	require.Equal(t, []string{"r/a@4", "r/b@3"}, b.scan("r/", "", 4))
	require.Equal(t, []string{"r/a@6"}, b.scan("r/", "", 0))
	require.Equal(t, []string{`5 r/b 3"1" -`, `6 r/a 4"2" 6"3"`}, changesOf(t, b, "", 4))

	require.NoError(t, b.Compact(t.Context(), 2), "going back changes nothing")
	require.EqualValues(t, 4, b.Compacted())
	require.NoError(t, b.Compact(t.Context(), 99))
	require.EqualValues(t, 6, b.Compacted())
	require.Equal(t, []string{"r/a@6"}, b.scan("r/", "", 0))
	require.EqualValues(t, 7, b.put("r/b", "2").Version)
}

func testCompactedDeletion(t *testing.T, b *fixture) {
	for i := range 600 {
		b.put(fmt.Sprintf("r/%03d", i), "v")
	}
	for i := range 600 {
		b.remove(fmt.Sprintf("r/%03d", i))
	}
	require.NoError(t, b.Compact(t.Context(), b.Version()))
	require.Empty(t, b.scan("", "", 0))
	require.EqualValues(t, 1202, b.put("r/000", "v").Version)
}

func testExpiry(t *testing.T, b *fixture) {
	start := time.Now().Truncate(time.Second)
	a := b.write(storage.Write{Key: "r/a", Next: value("v"), Expires: start.Add(time.Minute)})
	c := b.write(storage.Write{Key: "r/c", Next: value("v"), Expires: start.Add(2 * time.Minute)})
	d := b.write(storage.Write{Key: "r/d", Next: value("v"), Expires: start.Add(time.Second)})
	b.put("r/e", "v")
	check := func(now time.Time, limit int, want []storage.Due, wantNext time.Time) {
		t.Helper()
		due, next, err := b.Expired(now, limit)
		require.NoError(t, err)
		require.Equal(t, want, due)
		require.True(t, wantNext.Equal(next), "%v, not %v", next, wantNext)
	}
	dueD, dueA := storage.Due{Key: "r/d", Version: d.Version}, storage.Due{Key: "r/a", Version: a.Version}
	check(start, 9, nil, start.Add(time.Second))
	check(start.Add(time.Minute), 9, []storage.Due{dueD, dueA}, start.Add(2*time.Minute))
	check(start.Add(time.Minute), 1, []storage.Due{dueD}, start.Add(time.Minute))
	b.remove("r/d")
	a = b.write(storage.Write{Key: "r/a", Prev: a, Next: value("v"), Expires: start.Add(time.Hour)})
	b.write(storage.Write{Key: "r/c", Prev: c, Next: value("v")})
	check(start, 9, nil, start.Add(time.Hour))
	b.write(storage.Write{Key: "r/a", Prev: a})
	check(start.Add(time.Hour), 9, nil, time.Time{})
}

func testContext(t *testing.T, b *fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.Write(ctx, storage.Write{Key: "r/a", Next: value("v")})
	require.ErrorIs(t, err, context.Canceled)
	require.EqualValues(t, 2, b.put("r/b", "v").Version)
	require.ErrorIs(t, b.Compact(ctx, 2), context.Canceled)
}

func testClosed(t *testing.T, b *fixture) {
	b.put("r/a", "v")
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	_, err := b.Get("r/a", 0)
	require.ErrorIs(t, err, storage.ErrClosed)
	_, err = b.Write(t.Context(), storage.Write{Key: "r/b", Next: value("v")})
	require.ErrorIs(t, err, storage.ErrClosed)
	require.ErrorIs(t, b.Changes("", 0, func(storage.Change) bool { return true }), storage.ErrClosed)
	require.ErrorIs(t, b.Compact(t.Context(), 2), storage.ErrClosed)
}
