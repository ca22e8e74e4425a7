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

// sum adds up the objects of one resource, and what is still to come of it.
func (e *Enforcer) sum(ctx context.Context, namespace string, m *measure, quotas []*quota, open map[key][]ticket) error {
	t := &tally{m, quotas, make([]amounts.Amounts, len(quotas)), open, map[key]bool{}}
	for i := range quotas {
		t.used[i] = amounts.Amounts{}
	}
	add := t.addEach
	if m.fixed {
		add = t.addNumber
	}
	if err := add(ctx, e.cluster, namespace); err != nil {
		return err
	}
	t.addTickets()
	for i, q := range quotas {
		for _, name := range q.names(m) {
			q.used[name] = q.used[name].Add(t.used[i][name])
		}
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
	documents, err := e.cluster.Quotas(ctx, s.name)
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
