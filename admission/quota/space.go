package quota

import (
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// space is what is known of a namespace. All but its turn is guarded by the mutex of the
// Enforcer.
type space struct {
	name    string
	turn    chan struct{} // held by whoever reads and writes the statuses of its quotas
	users   int           // that hold or want the turn
	waiting []*waiter
	tickets map[key][]*ticket

	// What follows is kept while changes are followed.
	hasQuotas bool
	measured  map[object.GroupResource]bool // what the quotas count; nil for anything
	scopes    []scope                       // of the quotas
	epoch     int                           // grows with new quotas and new limits
	dirty     bool                          // whether to count again when it is due
	due       time.Time                     // zero for never
	rest      time.Time                     // before which it is not counted again; not zero
	settled   time.Time                     // when it was counted last
}

// enter gives the namespace of a name, for one user more.
func (e *Enforcer) enter(name string, w *waiter) *space {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.space(name)
	s.users++
	if w != nil {
		s.waiting = append(s.waiting, w)
	}
	return s
}

// leave is called by each user in the end.
func (e *Enforcer) leave(s *space) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s.users--
	e.tidy(s)
}

// withdraw is for a request that waits no longer. It says whether nobody has taken it yet.
func (e *Enforcer) withdraw(s *space, w *waiter) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	return i >= 0
}

// batch takes all that wait.
func (e *Enforcer) batch(s *space) []*waiter {
	e.mu.Lock()
	defer e.mu.Unlock()
	batch := s.waiting
	s.waiting = nil
	return batch
}

// space gives the namespace of a name. The mutex is held, as it is for the functions below.
func (e *Enforcer) space(name string) *space {
	s := e.spaces[name]
	if s == nil {
		s = &space{name: name, turn: make(chan struct{}, 1), tickets: map[key][]*ticket{}, rest: time.Now()}
		e.spaces[name] = s
	}
	return s
}

// tidy forgets a namespace of which nothing need be known.
func (e *Enforcer) tidy(s *space) {
	if s.users == 0 && len(s.tickets) == 0 && !s.hasQuotas && s.due.IsZero() {
		delete(e.spaces, s.name)
	}
}

// schedule has a namespace looked at no later than at a time.
func (e *Enforcer) schedule(s *space, at time.Time) {
	if !s.due.IsZero() && !at.Before(s.due) {
		return
	}
	s.due = at
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// soil has a namespace counted again soon.
func (e *Enforcer) soil(s *space) {
	s.dirty = true
	e.schedule(s, s.rest)
}

// mark has a namespace counted again soon, if changes are followed. It takes the mutex.
func (e *Enforcer) mark(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running {
		e.soil(e.space(name))
	}
}
