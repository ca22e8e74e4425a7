package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
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

// tally is the count of one resource for several quotas.
type tally struct {
	*measure
	quotas []*quota
	used   []amounts.Amounts // of each
	open   map[key][]ticket
	there  map[key]bool // the objects that there are tickets for
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
	if err := add(ctx, e.objects, namespace); err != nil {
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

// meet notes that there is an object of a name.
func (t *tally) meet(name string) key {
	k := key{t.resource, name}
	if t.open[k] != nil {
		t.there[k] = true
	}
	return k
}

// addNumber counts objects that all use one of what they use. There is no need to read them.
func (t *tally) addNumber(ctx context.Context, objects Objects, namespace string) error {
	n := int64(0)
	for name, err := range objects.Names(ctx, t.resource, namespace) {
		if err != nil {
			return err
		}
		t.meet(name)
		n++
	}
	for i, q := range t.quotas {
		for _, name := range q.names(t.measure) {
			if len(q.scopes) == 0 {
				t.used[i][name] = quantity.Of(n)
			}
		}
	}
	return nil
}

// addEach adds what each object uses of each quota that it counts for, or will use.
func (t *tally) addEach(ctx context.Context, objects Objects, namespace string) error {
	for o, err := range objects.List(ctx, t.resource, namespace) {
		if err != nil {
			return err
		}
		if err := t.add(o, t.open[t.meet(o.Name())]); err != nil {
			return fmt.Errorf("%s: %w", o.Name(), err)
		}
	}
	return nil
}

func (t *tally) add(o object.Object, open []ticket) error {
	usage, err := t.usage(o)
	if err != nil {
		return err
	}
	for i, q := range t.quotas {
		in, err := q.contains(t.measure, o)
		if err != nil {
			return err
		}
		own := usage
		if !in {
			own = nil
		}
		t.used[i].Add(expected(own, o, open, q.name))
	}
	return nil
}

// addTickets adds what is to be created, where nothing of its name is there yet.
func (t *tally) addTickets() {
	for k, open := range t.open {
		if k.resource != t.resource || t.there[k] {
			continue
		}
		for i, q := range t.quotas {
			t.used[i].Add(expected(nil, nil, open, q.name))
		}
	}
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
