package quota

import (
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// patience is how long a request may take from its charge until it comes to pass.
const patience = 10 * time.Second

// ticket is a charge for something that has not been seen to come to pass. As long as it
// is open it counts as much as what there is.
type ticket struct {
	key     key
	amounts map[string]amounts.Amounts // by the names of quotas
	version string                     // of the object before; empty for one that is created
	until   time.Time
	epoch   int // of the namespace, when it was charged
	shared  bool
}

// key names an object of a namespace.
type key struct {
	resource object.GroupResource
	name     string
}

func newTicket(req *admission.Request) *ticket {
	t := &ticket{
		key:     key{req.Resource.GroupResource(), req.Object.Name()},
		amounts: map[string]amounts.Amounts{},
	}
	if req.Operation == admission.Update {
		t.version = req.OldObject.ResourceVersion()
	}
	return t
}

// isIn says whether an object of the ticket's name is in the state that was paid for, or a
// later one.
func (t *ticket) isIn(o object.Object) bool {
	return t.version == "" || o.ResourceVersion() != t.version
}

// remember keeps the ticket of a request that was let pass, if there is somebody who sees
// what becomes of it, and a name to see it by.
func (e *Enforcer) remember(s *space, t *ticket) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running || t.key.name == "" {
		return
	}
	t.until, t.epoch = time.Now().Add(patience), s.epoch
	if other := s.tickets[t.key]; other != nil { // of two requests for one name, one comes to nothing
		t = other.and(t)
	}
	s.tickets[t.key] = t
	e.schedule(s, t.until)
}

// giveBack drops the ticket of a request that came to nothing. One of several requests may
// still come to pass.
func (e *Enforcer) giveBack(namespace string, k key) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.spaces[namespace]
	if s == nil || !e.running {
		return
	}
	if t := s.tickets[k]; t != nil && !t.shared {
		delete(s.tickets, k)
	}
	e.soil(s)
}

// and makes one ticket of two.
func (t *ticket) and(u *ticket) *ticket {
	both := *u
	both.shared = true
	both.amounts = map[string]amounts.Amounts{}
	for name, a := range u.amounts {
		both.amounts[name] = a.Plus(t.amounts[name])
	}
	for name, a := range t.amounts {
		if both.amounts[name] == nil {
			both.amounts[name] = a
		}
	}
	return &both
}

// open gives the tickets of a namespace that are not too old, and forgets the others.
func (e *Enforcer) open(s *space) map[key]*ticket {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	open := make(map[key]*ticket, len(s.tickets))
	for k, t := range s.tickets {
		if now.Before(t.until) {
			open[k] = t
		} else {
			delete(s.tickets, k)
		}
	}
	return open
}
