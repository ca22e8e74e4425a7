package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// frame is one line of a watch and when it came, after its beginning.
type frame struct {
	at     time.Duration
	event  object.EventType
	object object.Object
}

func (f frame) String() string {
	if f.event == object.Failed {
		return fmt.Sprintf("%v ERROR %v", f.at, f.object["reason"])
	}
	return fmt.Sprintf("%v %s %s@%s", f.at, f.event, f.object.Name(), f.object.ResourceVersion())
}

// watchFrames opens a watch whose frames come through the channel, which is closed
// when the watch ends. ctx is the client's patience.
func watchFrames(t testing.TB, ctx context.Context, s *Server, path string) <-chan frame {
	t.Helper()
	start := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server"+path, nil)
	require.NoError(t, err)
	answer, err := Transport(s).RoundTrip(r)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
	frames := make(chan frame, 1000)
	go func() {
		defer close(frames)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e struct {
				Type   object.EventType
				Object object.Object
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Errorf("%s: %v", lines.Text(), err)
				return
			}
			frames <- frame{time.Since(start), e.Type, e.Object}
		}
	}()
	return frames
}

func collect(frames <-chan frame) (all []string) {
	for f := range frames {
		all = append(all, f.String())
	}
	return all
}

func TestBookmarksComeEveryMinuteAndBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets(), crates())
		frames := watchFrames(t, t.Context(), s, widgetsPath+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=200")
		time.Sleep(70 * time.Second)
		_, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{
			"1m0s BOOKMARK @1", "1m10s ADDED a@2", "2m10s BOOKMARK @2", "3m10s BOOKMARK @2", "3m18s BOOKMARK @2",
		}, collect(frames))
	})
}

func TestAShortWatchHasItsLastBookmark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		frames := watchFrames(t, t.Context(), s, widgetsPath+"?watch=1&resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=1")
		require.Equal(t, []string{"0s BOOKMARK @1"}, collect(frames))
	})
}

func TestWatchesEndByTheirTimeout(t *testing.T) {
	for query, want := range map[string][2]time.Duration{
		"timeoutSeconds=90":                  {90 * time.Second, 90 * time.Second},
		"timeoutSeconds=1":                   {time.Second, time.Second},
		"":                                   {shortestWatch, longestWatch},
		"timeoutSeconds=0":                   {shortestWatch, longestWatch},
		"timeoutSeconds=9223372036854775807": {24 * time.Hour, 24 * time.Hour}, // the client's patience
	} {
		t.Run(query, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newWorld(t, widgets())
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
				defer cancel()
				require.Empty(t, collect(watchFrames(t, ctx, s, widgetsPath+"?watch=1&"+query)))
				require.GreaterOrEqual(t, time.Since(start), want[0])
				require.LessOrEqual(t, time.Since(start), want[1])
			})
		})
	}
}

func TestAnObjectWithATimeToLiveExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, notes())
		at := target("")
		at.Resource.Resource = "notes"
		_, err := s.Create(t.Context(), at, object.Object{"metadata": map[string]any{"name": "n"}}, WriteOptions{})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		frames := watchFrames(t, ctx, s, "/apis/example.com/v1/notes?watch=1&timeoutSeconds=7000")
		require.Equal(t, "0s ADDED n@2", (<-frames).String())
		deleted := <-frames
		require.Equal(t, "n@3", deleted.object.Name()+"@"+deleted.object.ResourceVersion())
		require.Equal(t, object.Deleted, deleted.event)
		require.InDelta(t, time.Hour, deleted.at, float64(time.Second))
		require.Empty(t, collect(frames))
	})
}

func TestShutdownEndsWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		var watches []<-chan frame
		for range 5 {
			watches = append(watches, watchFrames(t, t.Context(), s, widgetsPath+"?watch=1"))
		}
		synctest.Wait() // until all wait for events
		start := time.Now()
		_, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
		require.NoError(t, err)
		require.NoError(t, s.Shutdown(t.Context()))
		require.Zero(t, time.Since(start))
		for _, frames := range watches {
			require.Equal(t, []string{"0s ADDED a@2"}, collect(frames))
		}
		require.NoError(t, s.Shutdown(t.Context()))
		_, err = s.Get(t.Context(), target("a"))
		require.NoError(t, err, "other requests are still answered")
	})
}

func TestShutdownWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		fill(t, s, 40, strings.Repeat("x", 100<<10))
		answer := ask(t, s, http.MethodGet, widgetsPath+"?watch=1", "") // nobody reads on
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.ErrorIs(t, s.Shutdown(ctx), context.DeadlineExceeded)
		require.NoError(t, answer.Body.Close())
		require.NoError(t, s.Shutdown(t.Context()))
	})
}

func TestAClientThatGoesAwayLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		frames := watchFrames(t, ctx, s, widgetsPath+"?watch=1")
		answer := ask(t, s, http.MethodGet, widgetsPath+"?watch=1", "")
		require.Equal(t, 2, s.streams.count())
		require.NoError(t, answer.Body.Close())
		require.Equal(t, 1, s.streams.count())
		require.Empty(t, collect(frames))
		synctest.Wait()
		require.Zero(t, s.streams.count())
	}) // the bubble would not end with a goroutine in it
}

func TestAStalledWatchIsFeltByNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		stalled := ask(t, s, http.MethodGet, widgetsPath+"?watch=1", "")
		frames := watchFrames(t, t.Context(), s, widgetsPath+"?watch=1")
		start := time.Now()
		fill(t, s, 50, strings.Repeat("x", 100<<10))
		for i := range 50 {
			require.Equal(t, fmt.Sprintf("w%d", i), (<-frames).object.Name())
		}
		require.Zero(t, time.Since(start), "writers and neighbours wait for nothing")
		lines := bufio.NewScanner(stalled.Body)
		lines.Buffer(nil, 1<<20)
		for range 50 {
			require.True(t, lines.Scan(), "what it missed is still there")
		}
		require.NoError(t, stalled.Body.Close())
	})
}

func TestAStalledListIsFeltByNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets())
		fill(t, s, 50, strings.Repeat("x", 100<<10))
		answer := ask(t, s, http.MethodGet, widgetsPath, "")
		start := time.Now()
		_, err := s.Create(t.Context(), target(""), widget("z"), WriteOptions{})
		require.NoError(t, err)
		_, removed, err := s.Delete(t.Context(), target("w49"), gc.DeleteOptions{})
		require.NoError(t, err)
		require.True(t, removed)
		require.Zero(t, time.Since(start))
		time.Sleep(10 * time.Minute) // the history that it shows is compacted meanwhile
		var list struct{ Items []object.Object }
		if err := json.NewDecoder(answer.Body).Decode(&list); err == nil {
			require.Len(t, list.Items, 50, "a list that ends well is the list of its version")
		}
		require.NoError(t, answer.Body.Close())
	})
}

// TestWatchesOfClientsThatDoNotReadEnd: a client whose window is full holds a watch
// no longer than it was to last.
func TestWatchesOfClientsThatDoNotReadEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newWorld(t, widgets(), crates())
		_, err := s.Create(t.Context(), target(""), widget("a"), WriteOptions{})
		require.NoError(t, err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, widgetsPath+"?watch=1&timeoutSeconds=20", nil)
		require.NoError(t, err)
		start := time.Now()
		s.ServeHTTP(&stalled{header: http.Header{}}, r)
		require.Equal(t, 20*time.Second+lastWrites, time.Since(start))
		require.Zero(t, s.streams.count())
	})
}

// stalled is the connection of a client that reads nothing.
type stalled struct {
	header   http.Header
	deadline time.Time
}

func (c *stalled) Header() http.Header                 { return c.header }
func (c *stalled) WriteHeader(int)                     {}
func (c *stalled) FlushError() error                   { return nil }
func (c *stalled) SetWriteDeadline(at time.Time) error { c.deadline = at; return nil }

func (c *stalled) Write([]byte) (int, error) {
	time.Sleep(time.Until(c.deadline))
	return 0, os.ErrDeadlineExceeded
}
