package quota

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxAttempts is how often the status of a quota is tried to be written against others who
// write it.
const maxAttempts = 8

// charge decides about requests and charges those that pass to the quotas, all with one
// write for each quota. A quota that somebody else wrote meanwhile is looked at again, alone: what
// the others were charged stays. The turn of the namespace is held.
func (e *Enforcer) charge(ctx context.Context, s *space, batch []*waiter) {
	if len(batch) == 0 {
		return
	}
	err := e.attempt(ctx, s, batch, nil)
	for i := 1; i < maxAttempts && err != nil; i++ {
		var lost *lostRace
		if !errors.As(err, &lost) {
			break
		}
		err = e.attempt(ctx, s, batch, lost.quotas)
	}
	for _, w := range batch {
		if !w.decided {
			w.decide(err)
		}
		switch {
		case w.charged && w.err == nil:
			e.remember(s, w.ticket)
		case w.charged:
			e.mark(s.name) // for what it was charged in vain
		}
	}
}

// lostRace says which quotas were written by others.
type lostRace struct {
	quotas []string
	err    error
}

func (l *lostRace) Error() string { return l.err.Error() }
func (l *lostRace) Unwrap() error { return l.err }

// attempt charges the quotas of these names, or all. It decides about the requests that are
// refused or change nothing; for the others it did what had to be done if it returns nil.
func (e *Enforcer) attempt(ctx context.Context, s *space, batch []*waiter, only []string) error {
	documents, err := e.cluster.Quotas(ctx, s.name)
	if err != nil {
		return unreadable(s.name, err)
	}
	all, err := parseAll(documents)
	if err != nil {
		return unreadable(s.name, err)
	}
	if only != nil {
		all = slices.DeleteFunc(all, func(q *quota) bool { return !slices.Contains(only, q.name) })
	}
	filled, err := e.fill(ctx, s, all, batch)
	if err != nil {
		return unreadable(s.name, err)
	}
	payers := map[*quota][]*waiter{}
	for _, q := range filled {
		payers[q] = nil
	}
	for _, w := range batch {
		if w.decided {
			continue
		}
		if err := w.chargeTo(all, payers); err != nil {
			w.decide(err)
		}
	}
	return e.writeAll(ctx, payers)
}

// fill counts what there is for quotas that are new or got other limits, if requests need to
// know it. It gives these quotas, whose statuses are to be written.
func (e *Enforcer) fill(ctx context.Context, s *space, all []*quota, batch []*waiter) ([]*quota, error) {
	var stale []*quota
	for _, q := range all {
		if slices.ContainsFunc(batch, func(w *waiter) bool { return q.isStaleFor(w.measure) }) {
			stale = append(stale, q)
		}
	}
	if len(stale) == 0 {
		return nil, nil
	}
	return stale, e.count(ctx, s, stale)
}

// isStaleFor says whether a quota limits what a measure counts, and its status doesn't say
// how much is used.
func (q *quota) isStaleFor(m *measure) bool {
	isCurrent := q.hard.Equal(q.spec)
	for _, name := range q.spec.Names() {
		if m.counts(name) && !(isCurrent && q.used.Has(name)) {
			return true
		}
	}
	return false
}

// chargeTo charges a request to quotas, if there is enough left in all of them.
func (w *waiter) chargeTo(all []*quota, payers map[*quota][]*waiter) error {
	wanted, err := demands(all, w.measure, w.req)
	if err != nil {
		return err
	}
	for _, d := range wanted {
		if err := d.fits(w.req); err != nil {
			return err
		}
	}
	if w.req.DryRun || len(wanted) == 0 {
		w.decide(nil)
		return nil
	}
	if w.ticket == nil {
		w.ticket = newTicket(w.req)
	}
	for _, d := range wanted {
		d.of.used = d.of.used.Plus(d.asked)
		w.ticket.amounts[d.of.name] = d.asked
		payers[d.of] = append(payers[d.of], w)
	}
	return nil
}

// writeAll writes the quotas that changed, and tells those who pay for it.
func (e *Enforcer) writeAll(ctx context.Context, payers map[*quota][]*waiter) error {
	lost := &lostRace{}
	var failure error
	for q, waiters := range payers {
		err := e.cluster.UpdateStatus(ctx, q.withStatus())
		switch {
		case err == nil:
			for _, w := range waiters {
				w.charged = true
			}
		case object.IsConflict(err), object.IsNotFound(err):
			lost.quotas, lost.err = append(lost.quotas, q.name), err
		default:
			failure = fmt.Errorf("charging quota %s of namespace %s: %w", q.name, q.document.Namespace(), err)
		}
	}
	switch {
	case failure != nil:
		return failure
	case lost.err != nil:
		return lost
	}
	return nil
}
