package limits

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// asked is what somebody asks for. A claim has no limits.
type asked struct {
	kind             string // as limit ranges name it
	requests, limits amounts.Amounts
}

// check gives what a request violates of a range. The error says that one of them could not
// be read.
func check(limitRange object.Object, req *admission.Request) (violations []error, err error) {
	subjects, err := subjectsOf(req)
	if err != nil {
		return nil, err
	}
	for _, item := range items(limitRange) {
		bounds, err := boundsOf(item)
		if err != nil {
			return nil, err
		}
		for _, s := range subjects {
			if s.kind == item["type"] {
				violations = append(violations, bounds.check(s)...)
			}
		}
	}
	return violations, nil
}

// subjectsOf gives all that a request asks for something with: its containers one by one and
// the pod as a whole, or the claim.
func subjectsOf(req *admission.Request) ([]asked, error) {
	if !isPod(req) {
		requests, err := amounts.Read(req.Object, "spec", "resources", "requests")
		return []asked{{"PersistentVolumeClaim", requests, nil}}, err
	}
	var all []asked
	cs, _ := containers(req.Object)
	for _, c := range cs {
		s, err := ask("Container", c, amounts.Of)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	pod, err := ask("Pod", req.Object, amounts.Spec)
	return append(all, pod), err
}

func ask(kind string, o object.Object, of func(object.Object, amounts.Part) (amounts.Amounts, error)) (asked, error) {
	requests, err := of(o, amounts.Requests)
	if err != nil {
		return asked{}, err
	}
	limits, err := of(o, amounts.Limits)
	return asked{kind, requests, limits}, err
}

// bounds are what an item of a range allows.
type bounds struct{ min, max, ratio amounts.Amounts }

func boundsOf(item object.Object) (b bounds, err error) {
	if b.min, err = amounts.Read(item, "min"); err != nil {
		return b, err
	}
	if b.max, err = amounts.Read(item, "max"); err != nil {
		return b, err
	}
	b.ratio, err = amounts.Read(item, "maxLimitRequestRatio")
	return b, err
}

func (b bounds) check(s asked) (violations []error) {
	isClaim := s.kind == "PersistentVolumeClaim"
	add := func(err error) {
		if err != nil {
			violations = append(violations, err)
		}
	}
	for _, name := range b.min.Names() {
		add(s.checkMin(name, b.min[name]))
	}
	for _, name := range b.max.Names() {
		if isClaim {
			add(s.checkMaxRequest(name, b.max[name]))
		} else {
			add(s.checkMax(name, b.max[name]))
		}
	}
	if !isClaim {
		for _, name := range b.ratio.Names() {
			add(s.checkRatio(name, b.ratio[name]))
		}
	}
	return violations
}

// order compares as precisely as the API does: to a thousandth, rounded up.
func order(a, b quantity.Quantity) int { return a.RoundedUp(-3).Compare(b.RoundedUp(-3)) }

func (s asked) checkMin(name string, least quantity.Quantity) error {
	rule := fmt.Sprintf("minimum %s usage per %s is %s", name, s.kind, least)
	switch request, limit := s.requests[name], s.limits[name]; {
	case !s.requests.Has(name):
		return fmt.Errorf("%s.  No request is specified", rule)
	case order(request, least) < 0:
		return fmt.Errorf("%s, but request is %s", rule, request)
	case s.limits.Has(name) && order(limit, least) < 0:
		return fmt.Errorf("%s, but limit is %s", rule, limit)
	}
	return nil
}

func (s asked) checkMax(name string, most quantity.Quantity) error {
	rule := fmt.Sprintf("maximum %s usage per %s is %s", name, s.kind, most)
	switch request, limit := s.requests[name], s.limits[name]; {
	case !s.limits.Has(name):
		return fmt.Errorf("%s.  No limit is specified", rule)
	case order(limit, most) > 0:
		return fmt.Errorf("%s, but limit is %s", rule, limit)
	case s.requests.Has(name) && order(request, most) > 0:
		return fmt.Errorf("%s, but request is %s", rule, request)
	}
	return nil
}

func (s asked) checkMaxRequest(name string, most quantity.Quantity) error {
	rule := fmt.Sprintf("maximum %s usage per %s is %s", name, s.kind, most)
	switch request := s.requests[name]; {
	case !s.requests.Has(name):
		return fmt.Errorf("%s.  No request is specified", rule)
	case order(request, most) > 0:
		return fmt.Errorf("%s, but request is %s", rule, request)
	}
	return nil
}

func (s asked) checkRatio(name string, most quantity.Quantity) error {
	rule := fmt.Sprintf("%s max limit to request ratio per %s is %s", name, s.kind, most)
	request, limit := s.requests[name].RoundedUp(-3), s.limits[name].RoundedUp(-3)
	switch {
	case request.Sign() == 0:
		return fmt.Errorf("%s, but no request is specified or request is 0", rule)
	case limit.Sign() == 0:
		return fmt.Errorf("%s, but no limit is specified or limit is 0", rule)
	}
	if ratio := limit.Float64() / request.Float64(); ratio > most.RoundedUp(-3).Float64() {
		return fmt.Errorf("%s, but provided ratio is %f", rule, ratio)
	}
	return nil
}
