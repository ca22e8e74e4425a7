package quota

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// quota is a ResourceQuota taken apart.
type quota struct {
	document   object.Object // as it was read
	name       string
	spec       amounts.Amounts // the limits that are wanted
	hard, used amounts.Amounts // the limits that are in force, and what counts for them
	scopes     []scope
}

func parse(o object.Object) (*quota, error) {
	q := &quota{document: o, name: o.Name(), scopes: scopesOf(o)}
	for _, part := range []struct {
		to   *amounts.Amounts
		path []string
	}{{&q.spec, []string{"spec", "hard"}}, {&q.hard, []string{"status", "hard"}}, {&q.used, []string{"status", "used"}}} {
		a, err := amounts.Read(o, part.path...)
		if err != nil {
			return nil, fmt.Errorf("reading quota %s: %w", q.name, err)
		}
		*part.to = a
	}
	return q, nil
}

// parseAll gives quotas in the order of their names.
func parseAll(documents []object.Object) ([]*quota, error) {
	all := make([]*quota, len(documents))
	for i, o := range documents {
		q, err := parse(o)
		if err != nil {
			return nil, err
		}
		all[i] = q
	}
	slices.SortFunc(all, func(a, b *quota) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// withStatus gives the document with the quota's limits and use.
func (q *quota) withStatus() object.Object {
	o := q.document.DeepCopy()
	o["status"] = map[string]any{"hard": q.hard.Document(), "used": q.used.Document()}
	return o
}

// names gives what of the limits a measure counts, sorted.
func (q *quota) names(m *measure) []string {
	return slices.DeleteFunc(q.hard.Names(), func(name string) bool { return !m.counts(name) })
}

// contains says whether an object is in all scopes.
func (q *quota) contains(m *measure, o object.Object) (bool, error) {
	for _, s := range q.scopes {
		if m.inScope == nil {
			return false, nil
		}
		in, err := m.inScope(o, s)
		if err != nil {
			return false, fmt.Errorf("error matching scopes of quota %s, err: %w", q.name, err)
		}
		if !in {
			return false, nil
		}
	}
	return true, nil
}

// matches says whether the quota limits anything of an object.
func (q *quota) matches(m *measure, o object.Object) (bool, error) {
	if len(q.names(m)) == 0 {
		return false, nil
	}
	return q.contains(m, o)
}

// demand is what a request asks of one quota.
type demand struct {
	of    *quota
	asked amounts.Amounts
}

// demands gives what a request asks of which quotas, which leave nothing out that they limit.
// The errors say why the request is refused before anything is added up.
func demands(quotas []*quota, m *measure, req *admission.Request) ([]demand, error) {
	var concerned []*quota
	for _, q := range quotas {
		match, err := q.matches(m, req.Object)
		if err != nil {
			return nil, err
		}
		if !match {
			continue
		}
		if err := q.check(m, req.Object); err != nil {
			return nil, err
		}
		concerned = append(concerned, q)
	}
	if len(concerned) == 0 {
		return nil, nil
	}
	usage, err := m.usage(req.Object)
	if err != nil {
		return nil, err
	}
	if negative := usage.Only(func(name string) bool { return usage[name].Sign() < 0 }); len(negative) > 0 {
		return nil, fmt.Errorf("quota usage is negative for resource(s): %s", strings.Join(negative.Names(), ","))
	}
	return demandsOf(concerned, m, req, usage)
}

func (q *quota) check(m *measure, o object.Object) error {
	names := q.names(m)
	if m.missing != nil {
		if err := m.missing(o, names); err != nil {
			return fmt.Errorf("failed quota: %s: %w", q.name, err)
		}
	}
	for _, name := range names {
		if !q.used.Has(name) {
			return fmt.Errorf("status unknown for quota: %s, resources: %s", q.name, strings.Join(names, ","))
		}
	}
	return nil
}

// demandsOf charges an update with what it adds to what counts already.
func demandsOf(concerned []*quota, m *measure, req *admission.Request, usage amounts.Amounts) ([]demand, error) {
	before := amounts.Amounts{}
	isUpdate := req.Operation == admission.Update && req.OldObject.ResourceVersion() != ""
	if isUpdate {
		var err error
		if before, err = m.usage(req.OldObject); err != nil {
			return nil, err
		}
	}
	var all []demand
	for _, q := range concerned {
		counted := false
		if isUpdate {
			var err error
			if counted, err = q.matches(m, req.OldObject); err != nil {
				return nil, err
			}
		}
		asked := usage
		if counted {
			asked = usage.Beyond(before)
		}
		asked = asked.Only(func(name string) bool { return q.hard.Has(name) && asked[name].Sign() != 0 })
		if len(asked) > 0 {
			all = append(all, demand{q, asked})
		}
	}
	return all, nil
}

// fits says why there is not enough left for a demand. A write of a status tells what has happened
// already, and is never refused.
func (d demand) fits(req *admission.Request) error {
	if req.Subresource == "status" {
		return nil
	}
	sum := d.of.used.Plus(d.asked)
	isExceeded := func(name string) bool { return d.asked.Has(name) && sum[name].Compare(d.of.hard[name]) > 0 }
	if exceeded := d.of.hard.Only(isExceeded); len(exceeded) > 0 {
		return fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s",
			d.of.name, d.asked.Only(isExceeded), d.of.used.Only(isExceeded), exceeded)
	}
	return nil
}
