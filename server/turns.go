package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// turns let the writers of one object go one after the other, so that those who
// are bound to lose a race find out before they do any work. The losers are told one
// at a time: each reads the object again and comes back, and if all did that at
// once, all but one would lose again. Both are courtesies: what keeps writes apart is
// the store, and nobody waits for long. The zero value is ready for use.
type turns struct {
	mu   sync.Mutex
	keys map[object.Key]*turn
}

// turn is who writes one object, or wants to.
type turn struct {
	busy  chan struct{} // full while somebody has the turn
	won   chan struct{} // full when a write succeeded since the last loser was told
	queue chan struct{} // has one for each loser who waits to be told
	line  chan struct{} // full while the next loser to be told waits
	told  time.Time     // when the last loser was told; for who has the line
	users int           // who have the turn, wait for it, or lost it
}

const (
	// patience is how long a writer waits for its turn or to be told that it lost:
	// longer than a commit takes, and short beside what a slow change may take.
	patience = 100 * time.Millisecond

	// comeback is how long a loser has to read the object and write it again before
	// the next one is told: a few round trips.
	comeback = 5 * time.Millisecond

	// inLine is how many losers wait to be told at most: those whom patience is enough
	// for. Others would hold what their requests hold and be told with the rest in the end.
	inLine = int(patience / comeback)
)

// writer is one who takes part.
type writer struct {
	*turn
	turns *turns
	key   object.Key
	has   bool // it has the turn
}

// take waits for the turn on a key, and goes on without it when patience or ctx
// end. The caller calls leave when it is done.
func (t *turns) take(ctx context.Context, key object.Key) *writer {
	turn := t.join(key)
	return &writer{turn: turn, turns: t, key: key, has: enter(ctx, turn.busy)}
}

// enter fills the channel, unless patience or ctx end before there is room.
func enter(ctx context.Context, room chan<- struct{}) bool {
	select {
	case room <- struct{}{}:
		return true
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case room <- struct{}{}:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// end gives the turn on and takes note of how the write went. For a loser it
// returns when the client may be told.
func (w *writer) end(ctx context.Context, err error) {
	w.pass()
	switch {
	case err == nil:
		select {
		case w.won <- struct{}{}:
		default:
		}
	case errors.Is(err, errOutdated):
		w.standInLine(ctx)
	}
}

// standInLine returns when a loser may be told: at once, if the line is long.
func (w *writer) standInLine(ctx context.Context) {
	select {
	case w.queue <- struct{}{}:
	default:
		return
	}
	if enter(ctx, w.line) {
		w.waitForComeback(ctx)
		<-w.line
	}
	<-w.queue
}

// waitForComeback waits until some write succeeded after the last loser was told, or
// that one has had its time.
func (w *writer) waitForComeback(ctx context.Context) {
	timer := time.NewTimer(comeback - time.Since(w.told))
	defer timer.Stop()
	select {
	case <-w.won:
	case <-timer.C:
	case <-ctx.Done():
	}
	w.told = time.Now()
}

// pass gives the turn on.
func (w *writer) pass() {
	if w.has {
		w.has = false
		<-w.busy
	}
}

// leave gives the turn on, if that was not done, and forgets the writer.
func (w *writer) leave() {
	w.pass()
	w.turns.leave(w.key, w.turn)
}

func (t *turns) join(key object.Key) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[object.Key]*turn{}
	}
	entry, ok := t.keys[key]
	if !ok {
		entry = &turn{
			busy: make(chan struct{}, 1), won: make(chan struct{}, 1),
			queue: make(chan struct{}, inLine), line: make(chan struct{}, 1),
		}
		t.keys[key] = entry
	}
	entry.users++
	return entry
}

func (t *turns) leave(key object.Key, entry *turn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if entry.users--; entry.users == 0 {
		delete(t.keys, key)
	}
}
