package quota

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// handle has a namespace counted again if an event may have changed what is used there.
func (e *Enforcer) handle(event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if event.Resource == quotas {
		e.handleQuota(event)
	}
	s := e.spaces[event.Namespace]
	if s == nil || isIgnored(event.Resource) {
		return
	}
	counted := s.hasQuotas && (s.measured == nil || s.measured[event.Resource])
	switch wasted, paid := s.settle(event); {
	case !counted:
		e.tidy(s)
	case wasted, !paid && (event.Type != object.Modified || changesUsage(measureOf(event.Resource), s.scopes, event)):
		e.soil(s)
	}
}

// settle takes the tickets that an event is the end of. wasted says that something was
// charged in vain, perhaps, and paid that an object was created for which all quotas of now
// were charged.
func (s *space) settle(event Event) (wasted, paid bool) {
	k := key{event.Resource, event.Name}
	if event.Type != object.Added {
		// What was to be changed has changed, or is gone. Another object of its name may still be
		// created.
		return s.drop(k, func(t *ticket) bool { return t.version != "" && t.version != event.Version }) > 0, false
	}
	created := slices.DeleteFunc(slices.Clone(s.tickets[k]), func(t *ticket) bool { return t.version != "" })
	mine := slices.IndexFunc(created, func(t *ticket) bool { return t.happened })
	if mine < 0 && len(created) == 1 {
		mine = 0
	}
	if mine >= 0 { // otherwise it is one of several, and time will show which
		s.drop(k, func(t *ticket) bool { return t == created[mine] })
		created = created[mine : mine+1]
	}
	return false, len(created) > 0 && !slices.ContainsFunc(created, func(t *ticket) bool { return t.epoch != s.epoch })
}

// changesUsage compares a modified object with what it was.
func changesUsage(m *measure, scopes []scope, event Event) bool {
	if m.fixed {
		return false
	}
	now, before, err := event.Objects()
	if err != nil {
		return true
	}
	usage, err := m.usage(now)
	if err != nil {
		return true
	}
	if used, err := m.usage(before); err != nil || !usage.Equal(used) {
		return true
	}
	for _, s := range scopes {
		if m.inScope == nil {
			return false
		}
		in, err := m.inScope(now, s)
		was, wasErr := m.inScope(before, s)
		if err != nil || wasErr != nil || in != was {
			return true
		}
	}
	return false
}

// handleQuota sees to new quotas and those with new limits. Their statuses are the own work of
// who enforces them.
func (e *Enforcer) handleQuota(event Event) {
	switch event.Type {
	case object.Added:
		e.expect(event.Namespace)
	case object.Deleted:
		e.soil(e.space(event.Namespace))
	case object.Modified:
		now, before, err := event.Objects()
		if err != nil || !object.EqualValues(now["spec"], before["spec"]) {
			e.expect(event.Namespace)
		}
	}
}
