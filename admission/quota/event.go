package quota

import (
	"reflect"

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
	k := key{event.Resource, event.Name}
	t := s.tickets[k]
	if t != nil {
		delete(s.tickets, k)
	}
	if !s.hasQuotas || s.measured != nil && !s.measured[event.Resource] {
		e.tidy(s)
		return
	}
	if e.changes(s, t, event) {
		e.soil(s)
	}
}

// changes says whether an event changes what is used. What was paid for doesn't.
func (e *Enforcer) changes(s *space, t *ticket, event Event) bool {
	switch event.Type {
	case object.Added:
		return t == nil || t.shared || t.version != "" || t.epoch != s.epoch
	case object.Modified:
		m := measureOf(event.Resource)
		return t != nil || !m.fixed && changesUsage(m, s.scopes, event)
	}
	return true
}

// changesUsage compares a modified object with what it was.
func changesUsage(m *measure, scopes []scope, event Event) bool {
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
		if err != nil || !reflect.DeepEqual(now["spec"], before["spec"]) {
			e.expect(event.Namespace)
		}
	}
}
