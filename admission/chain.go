package admission

import "context"

// Chain is what each request goes through. The zero value lets everything pass.
type Chain struct {
	Mutators   []Mutator
	Validators []Validator
}

// Run mutates and validates. A caller that has something to do in between calls
// Mutate and Validate.
func (c *Chain) Run(ctx context.Context, req *Request) error {
	if err := c.Mutate(ctx, req); err != nil {
		return err
	}
	return c.Validate(ctx, req)
}

// Mutate calls the mutators in order. Where one changed the object, those before it are
// called a second time, so that each had a look at what others made of it; they must
// not mind that. A [Reinvoker] decides by itself what it calls then. What the second calls
// change is not looked at again. The first error ends it.
func (c *Chain) Mutate(ctx context.Context, req *Request) error {
	last, err := c.mutateAll(ctx, req)
	if req.mutated = last >= 0; err != nil || !req.mutated {
		return err
	}
	for i, m := range c.Mutators {
		if _, ok := m.(Reinvoker); ok || i < last && isReinvocable(m) {
			if err := mutate(ctx, req, m, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// mutateAll calls each mutator once. last is the place of the last one that changed
// something, or -1. One alone that takes care of itself may have changed something.
func (c *Chain) mutateAll(ctx context.Context, req *Request) (last int, err error) {
	if len(c.Mutators) <= 1 {
		for _, m := range c.Mutators {
			err = mutate(ctx, req, m, false)
		}
		return len(c.Mutators) - 1, err
	}
	last = -1
	before := fingerprint(req.Object)
	for i, m := range c.Mutators {
		if err := mutate(ctx, req, m, false); err != nil {
			return 0, err
		}
		if after := fingerprint(req.Object); after != before {
			before, last = after, i
		}
	}
	return last, nil
}

func mutate(ctx context.Context, req *Request, m Mutator, again bool) error {
	call := m.Mutate
	if r, ok := m.(Reinvoker); ok && again {
		call = r.Reinvoke
	}
	if req.Trace == nil {
		return refusal(req, call(ctx, req))
	}
	before := req.Object.DeepCopy()
	step := Step{Stage: nameOf(m), Mutates: true, Again: again}
	return req.Trace.record(req, step, func() error {
		return refusal(req, call(ctx, req))
	}, func(s *Step) { s.Changes = differences(before, req.Object) })
}

// Validate calls the validators in order. The first error ends it.
func (c *Chain) Validate(ctx context.Context, req *Request) error {
	for _, v := range c.Validators {
		if err := validate(ctx, req, v); err != nil {
			return err
		}
	}
	return nil
}

func validate(ctx context.Context, req *Request, v Validator) error {
	if req.Trace == nil {
		return refusal(req, v.Validate(ctx, req))
	}
	return req.Trace.record(req, Step{Stage: nameOf(v)}, func() error {
		return refusal(req, v.Validate(ctx, req))
	}, nil)
}
