package apitest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/pprof"
	"strings"
	"testing"
	"time"
)

// guard ends a server with its test, and sees to it that nothing is left.
//
// Goroutines are known by a label that those inherit which the test starts, directly or not,
// after its server. So the goroutines of other tests that run at the same time don't count.
type guard struct {
	t       testing.TB
	id      string
	ignored []string
	server  *Server // nil until it has started
}

// label is the key of the label of goroutines.
const label = "apitest"

// beginGuard is called before anything is started, by the goroutine of the test.
func beginGuard(t testing.TB, ignored []string) *guard {
	g := &guard{t: t, id: fmt.Sprintf("%016x", rand.Uint64()), ignored: ignored}
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(label, g.id)))
	t.Cleanup(g.end)
	return g
}

// patience is how long what was told to end before may take to do so.
const patience = 5 * time.Second

func (g *guard) end() {
	if g.server != nil {
		g.checkWatches()
		if g.t.Failed() && g.server.Version() > g.server.began {
			g.t.Log(g.server.Record())
		}
		if err := g.server.stop(); err != nil {
			g.t.Errorf("stopping the API server: %v", err)
		}
	}
	pprof.SetGoroutineLabels(context.Background()) // this goroutine is not one of those left
	if !g.t.Failed() {
		g.checkGoroutines()
	}
}

// checkWatches fails the test if a watch is open that nobody has ended.
func (g *guard) checkWatches() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if g.server.traffic.wait(ctx) == nil {
		return
	}
	for _, s := range g.server.traffic.watches() {
		g.t.Errorf("a watch is left over, open since %s: GET %s by %s", s.since.Format("15:04:05.000"), s.path, s.agent)
	}
}

// checkGoroutines fails the test if a goroutine is left over.
func (g *guard) checkGoroutines() {
	deadline := time.Now().Add(patience)
	left := g.goroutines()
	for pause := 100 * time.Microsecond; len(left) > 0 && time.Now().Before(deadline); pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
		left = g.goroutines()
	}
	for _, stack := range left {
		g.t.Errorf("goroutines are left over:\n%s", stack)
	}
}

// goroutines gives the stacks of those with the label.
func (g *guard) goroutines() (stacks []string) {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return []string{"the profile of goroutines cannot be read: " + err.Error()}
	}
	mark := fmt.Sprintf("%q:%q", label, g.id)
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		if strings.Contains(group, mark) && !g.isIgnored(group) {
			stacks = append(stacks, group)
		}
	}
	return stacks
}

func (g *guard) isIgnored(stack string) bool {
	for _, function := range g.ignored {
		if strings.Contains(stack, "\t"+function+"+0x") || strings.Contains(stack, "\t"+function+".") {
			return true
		}
	}
	return false
}
