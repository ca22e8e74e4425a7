package quota

import (
	"slices"
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
	key      key
	amounts  map[string]amounts.Amounts // by the names of quotas
	version  string                     // of the object before; empty for one that is created
	until    time.Time
	epoch    int  // of the namespace, when it was charged
	happened bool // whether it is said to have come to pass
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

// expected gives what may be used under a name, by an object that is there, and by those that are
// still to come: one of them at a time. o is nil if it doesn't matter or there is none.
func expected(used amounts.Amounts, o object.Object, open []ticket, quota string) amounts.Amounts {
	most := used
	for _, t := range open {
		switch {
		case t.happened:
		case t.version == "":
			most = most.Max(t.amounts[quota])
		case o.ResourceVersion() == t.version:
			most = most.Max(used.Plus(t.amounts[quota]))
		}
	}
	return most
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
	s.tickets[t.key] = append(s.tickets[t.key], t)
	e.schedule(s, t.until)
}

// finish is told what came of a request. What came to pass is still to be seen.
func (e *Enforcer) finish(namespace string, t *ticket, happened bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := e.spaces[namespace]
	switch {
	case s == nil || !e.running:
	case happened:
		t.happened = true
	default:
		s.drop(t.key, func(other *ticket) bool { return other == t })
		e.soil(s)
	}
}

// drop forgets tickets for an object, and says how many.
func (s *space) drop(k key, is func(*ticket) bool) int {
	before := s.tickets[k]
	rest := slices.DeleteFunc(slices.Clone(before), is)
	if s.tickets[k] = rest; len(rest) == 0 {
		delete(s.tickets, k)
	}
	return len(before) - len(rest)
}

// open gives the tickets of a namespace as they are now. Those that are too old are
// forgotten.
func (e *Enforcer) open(s *space) map[key][]ticket {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	open := make(map[key][]ticket, len(s.tickets))
	for k := range s.tickets {
		s.drop(k, func(t *ticket) bool { return !now.Before(t.until) })
		for _, t := range s.tickets[k] {
			open[k] = append(open[k], *t)
		}
	}
	return open
}
