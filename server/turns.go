package server

import (
	"context"
	"sync"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// turns let the writers of one object go one after the other, so that those who
// are bound to lose a race find out before they do any work. A turn is a courtesy:
// what keeps writes apart is the store, and nobody waits for a turn for long. The
// zero value is ready for use.
type turns struct {
	mu   sync.Mutex
	keys map[object.Key]*turn
}

// turn is who writes one object, or wants to.
type turn struct {
	busy  chan struct{} // full while somebody has the turn
	users int           // who have it or wait for it
}

// patience is how long a writer waits for its turn: longer than a commit takes, and
// short beside what a slow change may take.
const patience = 100 * time.Millisecond

// take waits for the turn on a key, and goes on without it when patience or ctx
// end. The caller calls the result when it is done.
func (t *turns) take(ctx context.Context, key object.Key) (done func()) {
	turn := t.join(key)
	select {
	case turn.busy <- struct{}{}:
		return func() { <-turn.busy; t.leave(key, turn) }
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case turn.busy <- struct{}{}:
		return func() { <-turn.busy; t.leave(key, turn) }
	case <-timer.C:
	case <-ctx.Done():
	}
	return func() { t.leave(key, turn) }
}

func (t *turns) join(key object.Key) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys == nil {
		t.keys = map[object.Key]*turn{}
	}
	entry, ok := t.keys[key]
	if !ok {
		entry = &turn{busy: make(chan struct{}, 1)}
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
