package admission

import (
	"context"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Reinvoker is a [Mutator] of many parts, such as the webhooks of a cluster, that finds out by
// itself which of them must be called again. A [Chain] calls it a second time if anything
// changed the object, also if nobody but itself did. A [Round] does the bookkeeping.
type Reinvoker interface {
	Mutator
	Reinvoke(ctx context.Context, req *Request) error
}

// Round is what a stage of many parts knows of one request: which of them it has called,
// and which are due again because the object changed behind them. A part is any value that can
// be compared, such as a pointer.
//
// A stage brackets its calls with Begin and End, asks Due before it calls a part and reports
// Called after it did.
type Round struct {
	again  bool
	called []any  // that want to be called again, and have seen the object as it is now
	due    []any  // for which the object has changed since
	output uint64 // what the stage left behind
}

// Round gives that of a stage, which is the same for both its calls.
func (r *Request) Round(stage any) *Round {
	if round, ok := r.rounds[stage]; ok {
		return round
	}
	if r.rounds == nil {
		r.rounds = map[any]*Round{}
	}
	r.rounds[stage] = &Round{}
	return r.rounds[stage]
}

// Begin begins a call of the stage. At the second one, whoever was called is due if the
// object is not as the stage had left it.
func (r *Round) Begin(o object.Object) {
	if r.again && len(r.called) > 0 && fingerprint(o) != r.output {
		r.Changed()
	}
}

// Due says whether a part is to be called: each at the first time.
func (r *Round) Due(part any) bool { return !r.again || slices.Contains(r.due, part) }

// Called says that a part was called, whether it wants to be called again if others change
// the object after it, and whether it changed the object itself.
func (r *Round) Called(part any, reinvocable, changed bool) {
	if changed {
		r.Changed()
	}
	r.due = slices.DeleteFunc(r.due, func(p any) bool { return r.again && p == part })
	if reinvocable {
		r.called = append(r.called, part)
	}
}

// End ends a call of the stage.
func (r *Round) End(o object.Object) {
	r.again = true
	if len(r.called) > 0 {
		r.output = fingerprint(o)
	}
}

// Changed says that the object changed: whoever was called before is due. A stage whose parts
// want to see their own changes again calls it at its end.
func (r *Round) Changed() {
	r.due = append(r.due, r.called...)
	r.called = nil
}
