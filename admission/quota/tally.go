package quota

import (
	"context"
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// tally is the count of one resource for several quotas.
type tally struct {
	*measure
	quotas []*quota
	used   []amounts.Amounts // of each
	open   map[key][]ticket
	there  map[key]bool // the objects that there are tickets for
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
