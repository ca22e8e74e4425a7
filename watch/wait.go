package watch

import "sync/atomic"

// wait is where all sleep who have read everything and wait for the next entry of
// one scope. It lives from the first of them until that entry comes, or until the
// last of them has gone.
//
// They sleep in groups, and whoever publishes wakes the first group only: each
// group wakes two others, as in a heap. So the work of waking ten thousand is the
// sleepers' own and shared by all processors.
//
// The groups change under the broadcaster's read lock and the topic's mutex, as long
// as first is nil. That is set under the broadcaster's write lock, and nothing
// changes after it.
type wait struct {
	first  *entry // what they waited for
	groups []*group
}

// groupSize is how many sleep in one group.
const groupSize = 32

type group struct {
	wait     *wait
	place    int // in the groups of the wait
	sleepers int // at least one
	wake     chan struct{}
	passed   atomic.Bool // it has woken the others that it has to
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

// wakeUp wakes the group at a place, if there is one.
func (w *wait) wakeUp(place int) {
	if place < len(w.groups) {
		close(w.groups[place].wake)
	}
}

// pass wakes the groups that are this one's to wake. All who were in it when the wait
// ended call it, however they noticed; the first does the work.
func (g *group) pass() {
	if !g.passed.Load() && g.passed.CompareAndSwap(false, true) {
		g.wait.wakeUp(2*g.place + 1)
		g.wait.wakeUp(2*g.place + 2)
	}
}

// enter joins the wait for a scope; nil if there is something to read before it.
func (b *Broadcaster) enter(t *topic, s scope, c *cursor) *group {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if c.next != t.end() {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.waits[s]
	if w == nil {
		w = &wait{}
		t.waits[s] = w
	}
	return w.join()
}

func (w *wait) join() *group {
	n := len(w.groups)
	if n == 0 || w.groups[n-1].sleepers == groupSize {
		w.groups = append(w.groups, &group{wait: w, place: n, sleepers: 1, wake: make(chan struct{})})
		return w.groups[n]
	}
	w.groups[n-1].sleepers++
	return w.groups[n-1]
}

// leave ends a wait for another reason than what it waited for, and says whether
// that has come all the same. The cursor ends up behind all that it waited through.
func (b *Broadcaster) leave(t *topic, s scope, c *cursor, g *group) (over bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if g.wait.first != nil {
		g.pass()
		c.jump(g.wait.first)
		return true
	}
	c.drain(b.window, t)
	t.mu.Lock()
	defer t.mu.Unlock()
	if g.sleepers--; g.sleepers == 0 {
		g.wait.remove(g)
	}
	if len(g.wait.groups) == 0 {
		delete(t.waits, s)
	}
	return false
}

// remove takes an empty group out; the last one gets its place.
func (w *wait) remove(g *group) {
	last := len(w.groups) - 1
	w.groups[g.place] = w.groups[last]
	w.groups[g.place].place = g.place
	w.groups[last] = nil
	w.groups = w.groups[:last]
}
