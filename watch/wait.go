package watch

import "sync/atomic"

// wait is where all sleep who have read everything and wait for the next entry of
// one scope. It lives from the first of them until that entry comes, or until the
// last of them has gone.
type wait struct {
	wake     chan struct{} // closed when first is set
	first    *entry        // what they waited for
	sleepers atomic.Int64
}

// alert ends the waits for an entry and appends them to due, to be woken once the lock is released.
func (e *entry) alert(due []*wait) []*wait {
	if len(e.topic.waits) == 0 {
		return due
	}
	namespace, name := e.event.Key.Namespace, e.event.Key.Name
	due = e.alertScope(due, scope{})
	due = e.alertScope(due, scope{name: name})
	if namespace != "" {
		due = e.alertScope(due, scope{namespace: namespace})
		due = e.alertScope(due, scope{namespace: namespace, name: name})
	}
	return due
}

func (e *entry) alertScope(due []*wait, s scope) []*wait {
	w := e.topic.waits[s]
	if w == nil {
		return due
	}
	w.first = e
	delete(e.topic.waits, s)
	return append(due, w)
}

// enter joins the wait for a scope; nil if there is something to read before it.
func (b *Broadcaster) enter(t *topic, s scope, c *cursor) *wait {
	b.mu.RLock()
	atEnd, w := c.next == t.end(), t.waits[s]
	if atEnd && w != nil {
		w.sleepers.Add(1)
	}
	b.mu.RUnlock()
	if !atEnd {
		return nil
	}
	if w != nil {
		return w
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.next != t.end() {
		return nil
	}
	if w = t.waits[s]; w == nil {
		w = &wait{wake: make(chan struct{})}
		t.waits[s] = w
	}
	w.sleepers.Add(1)
	return w
}

// leave ends a wait for another reason than what it waited for, and says whether
// that has come all the same. The cursor ends up behind all that it waited through.
func (b *Broadcaster) leave(t *topic, s scope, c *cursor, w *wait) (over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if w.first != nil {
		c.jump(w.first)
		return true
	}
	c.drain(b.window, t)
	if w.sleepers.Add(-1) == 0 {
		delete(t.waits, s)
	}
	return false
}
