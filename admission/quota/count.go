package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// count puts quotas in force with all their limits and sums up what is used of them: what
// there is, and what has been charged and is still to come. The turn of the namespace is held.
//
// The quotas were read before. So whatever was charged to them by then has a ticket, or it
// came to pass before the lists below are made; and what is charged later, by others, makes
// the write of the status fail.
func (e *Enforcer) count(ctx context.Context, s *space, quotas []*quota) error {
	open := e.open(s)
	var names []string
	for _, q := range quotas {
		q.hard, q.used = q.spec, amounts.Amounts{}
		names = append(names, q.hard.Names()...)
	}
	slices.Sort(names)
	for _, m := range measures(slices.Compact(names)) {
		err := e.sum(ctx, s.name, m, quotas, open)
		if err != nil && !object.IsNotFound(err) {
			return fmt.Errorf("counting the %s of namespace %s: %w", m.resource, s.name, err)
		}
	}
	return nil
}

// sum adds up the objects of one resource.
func (e *Enforcer) sum(ctx context.Context, namespace string, m *measure, quotas []*quota, open map[key][]ticket) error {
	used := make([]amounts.Amounts, len(quotas))
	there := map[key]bool{}
	add := func(name string, o object.Object) error {
		k := key{m.resource, name}
		there[k] = true
		return m.addTo(used, quotas, o, open[k])
	}
	if err := e.each(ctx, namespace, m, add); err != nil {
		return err
	}
	for k, tickets := range open {
		if k.resource != m.resource || there[k] {
			continue
		}
		for i, q := range quotas {
			used[i] = used[i].Plus(expected(nil, nil, tickets, q.name))
		}
	}
	for i, q := range quotas {
		for _, name := range q.names(m) {
			q.used[name] = q.used[name].Add(used[i][name])
		}
	}
	return nil
}

// each visits the objects of one resource. Where they all use the same there is no need to
// read them: o is nil.
func (e *Enforcer) each(ctx context.Context, namespace string, m *measure, visit func(name string, o object.Object) error) error {
	if m.fixed {
		for name, err := range e.objects.Names(ctx, m.resource, namespace) {
			if err != nil {
				return err
			}
			if err := visit(name, nil); err != nil {
				return err
			}
		}
		return nil
	}
	for o, err := range e.objects.List(ctx, m.resource, namespace) {
		if err != nil {
			return err
		}
		if err := visit(o.Name(), o); err != nil {
			return fmt.Errorf("%s: %w", o.Name(), err)
		}
	}
	return nil
}

// addTo adds what an object uses of each quota that it counts for, or will use.
func (m *measure) addTo(used []amounts.Amounts, quotas []*quota, o object.Object, open []ticket) error {
	usage, err := m.usage(o)
	if err != nil {
		return err
	}
	for i, q := range quotas {
		in, err := q.contains(m, o)
		if err != nil {
			return err
		}
		own := usage
		if !in {
			own = nil
		}
		used[i] = used[i].Plus(expected(own, o, open, q.name))
	}
	return nil
}

// recount writes the statuses of all quotas of a namespace that are not right.
func (e *Enforcer) recount(ctx context.Context, s *space) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		err := e.recountOnce(ctx, s)
		var lost *lostRace
		if !errors.As(err, &lost) {
			return err
		}
		select {
		case <-time.After(raceRest):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// raceRest is how long somebody else who writes the status of a quota is left alone.
const raceRest = 10 * time.Millisecond

func (e *Enforcer) recountOnce(ctx context.Context, s *space) error {
	documents, err := e.store.Quotas(ctx, s.name)
	if err != nil {
		return unreadable(s.name, err)
	}
	all, err := parseAll(documents)
	if err != nil {
		return unreadable(s.name, err)
	}
	before := make([]quota, len(all))
	for i, q := range all {
		before[i] = *q
	}
	if err := e.count(ctx, s, all); err != nil {
		return err
	}
	changed := map[*quota][]*waiter{}
	for i, q := range all {
		if !q.hard.Equal(before[i].hard) || !q.used.Equal(before[i].used) || q.document["status"] == nil {
			changed[q] = nil
		}
	}
	if err := e.writeAll(ctx, changed); err != nil {
		return err
	}
	e.know(s, all)
	return nil
}
