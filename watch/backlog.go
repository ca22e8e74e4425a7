package watch

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Bounds of what a watcher takes from the history at a time.
const (
	backlogCount = 256
	backlogBytes = 1 << 20
)

// backlog is a piece of the history that a watcher is reading.
type backlog struct {
	events []object.Event // not yet read
	// through is how far the piece goes, if it is the last of the history: beyond
	// the last event when there are others in between.
	through object.ResourceVersion
}

func (l *backlog) pending() bool { return len(l.events) > 0 || l.through > 0 }

// next takes the next event of the scope and moves the cursor past it.
func (l *backlog) next(c *cursor, s scope) (object.Event, bool) {
	for len(l.events) > 0 {
		ev := l.events[0]
		l.events = l.events[1:]
		if ev.Version <= c.version {
			continue
		}
		c.version = ev.Version
		if s.holds(&ev.Key) {
			return ev, true
		}
	}
	c.version = max(c.version, l.through)
	*l = backlog{}
	return object.Event{}, false
}

// readBack takes the next piece of the history for a cursor that the window has left behind.
func (b *Broadcaster) readBack(ctx context.Context, t *topic, collection object.Key, c *cursor) (backlog, error) {
	b.mu.RLock()
	published, floor := b.window.version, t.floor
	b.mu.RUnlock()
	if b.history == nil {
		return backlog{}, expired(c.version, floor)
	}
	var l backlog
	size := 0
	for ev, err := range b.history(ctx, collection, c.version) {
		if err != nil {
			return backlog{}, historyError(err, c.version, floor)
		}
		l.events = append(l.events, ev)
		size += sizeOf(&ev)
		if len(l.events) == backlogCount || size >= backlogBytes {
			return l, nil
		}
	}
	l.through = published
	return l, nil
}

func historyError(err error, after, floor object.ResourceVersion) error {
	var status *object.StatusError
	if errors.Is(err, object.ErrExpired) && !errors.As(err, &status) {
		return expired(after, floor)
	}
	return fmt.Errorf("reading the history after %d: %w", after, err)
}

// expired is the failure of a watch that begins, or has fallen, below what is
// kept; the API's words.
func expired(after, oldest object.ResourceVersion) error {
	return object.Expired("too old resource version: %d (%d)", after, oldest)
}
