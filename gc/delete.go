package gc

import (
	"fmt"
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Outcome is what a DELETE makes of an object.
type Outcome int

const (
	Remove    Outcome = iota // take it out of the store
	Mark                     // store the next state, which waits for its finalizers
	Unchanged                // it is marked already and there is nothing to store
	Finish                   // store the next state, and then take it out of the store
)

// Grace is how long an object is given to end when a DELETE asks for a time, nil if it asks
// for none, in seconds. Kinds without graceful deletion have none: there, a grace period is accepted
// and means nothing.
type Grace func(o object.Object, asked *int64) int64

// BeginDelete decides what a DELETE means for an object; grace may be nil.
//
// An object that has finalizers, or gets one from the propagation policy, is to be
// marked: next is a copy with the finalizers, deletionTimestamp now,
// deletionGracePeriodSeconds 0, and, when it is marked for the first time, the
// generation one higher if it has any. A further DELETE may still change the policy,
// and else is Unchanged. Without finalizers it is to be removed. For Remove and
// Unchanged next is o itself.
//
// With grace, the deletionTimestamp is when the time given is over, which a further DELETE
// can only shorten, and deletionGracePeriodSeconds is that time. An object that is given none is
// marked all the same, and finished.
//
// Errors are Invalid for the options and Conflict for the preconditions.
func BeginDelete(o object.Object, opts DeleteOptions, grace Grace, now time.Time) (next object.Object, outcome Outcome, err error) {
	if err := opts.Validate(); err != nil {
		return nil, Unchanged, err
	}
	if err := opts.Preconditions.check(o); err != nil {
		return nil, Unchanged, err
	}
	have := o.Finalizers()
	finalizers := opts.finalizers(have)
	if grace != nil && !timeIsOver(o) {
		next, outcome = beginGraceful(o, opts, grace, now)
		if outcome != Unchanged {
			next.SetFinalizers(finalizers)
		}
		if outcome == Finish && len(finalizers) > 0 {
			outcome = Mark
		}
		return next, outcome, nil
	}
	if len(finalizers) == 0 {
		return o, Remove, nil
	}
	if isMarked(o, now) && slices.Equal(have, finalizers) {
		return o, Unchanged, nil
	}
	next = o.DeepCopy()
	next.SetFinalizers(finalizers)
	mark(next, now)
	return next, Mark, nil
}

// timeIsOver says whether an object is marked and has no time left.
func timeIsOver(o object.Object) bool {
	given, _ := o.DeletionGracePeriodSeconds()
	return !o.DeletionTimestamp().IsZero() && given == 0
}

// beginGraceful marks an object of a kind with graceful deletion.
func beginGraceful(o object.Object, opts DeleteOptions, grace Grace, now time.Time) (next object.Object, outcome Outcome) {
	asked := opts.GracePeriodSeconds
	if asked != nil && *asked < 0 {
		asked = new(int64(1))
	}
	next = o.DeepCopy()
	deleted := o.DeletionTimestamp()
	given, _ := o.DeletionGracePeriodSeconds()
	switch {
	case deleted.IsZero():
		given = max(0, grace(o, asked))
		if o.Generation() > 0 {
			next.SetGeneration(o.Generation() + 1)
		}
		next.SetDeletionTimestamp(now.Add(time.Duration(given) * time.Second))
	case asked == nil || *asked >= given:
		return o, Unchanged
	default:
		end := deleted.Add(time.Duration(*asked-given) * time.Second)
		given = *asked
		if end.Before(now) { // whoever ends the object still gets the time to do so
			end, given = now, min(given, 1)
		}
		next.SetDeletionTimestamp(end)
	}
	next.SetDeletionGracePeriodSeconds(given)
	if given > 0 {
		return next, Mark
	}
	return next, Finish
}

// check compares what the client knows of the object. The error names the kind,
// where others name the resource.
func (p *Preconditions) check(o object.Object) error {
	var err error
	switch {
	case p == nil:
		return nil
	case p.UID != nil && *p.UID != o.UID():
		err = fmt.Errorf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, o.UID())
	case p.ResourceVersion != nil && *p.ResourceVersion != o.ResourceVersion():
		err = fmt.Errorf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, o.ResourceVersion())
	default:
		return nil
	}
	gvk := o.GroupVersionKind()
	return object.Conflict(object.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, o.Name(), err)
}

// finalizers are those that the object gets: its own, and at the end the one of
// the policy. The order stays as it is if the names do.
func (opts DeleteOptions) finalizers(have []string) []string {
	var names []string
	for _, name := range have {
		if name != object.FinalizerOrphan && name != object.FinalizerForeground {
			names = append(names, name)
		}
	}
	switch opts.policy(have) {
	case Orphan:
		names = append(names, object.FinalizerOrphan)
	case Foreground:
		names = append(names, object.FinalizerForeground)
	}
	if sameNames(have, names) {
		return have
	}
	return names
}

// NamesPolicy says whether the options say what becomes of what the object owns.
func (opts DeleteOptions) NamesPolicy() bool {
	return opts.OrphanDependents != nil || opts.PropagationPolicy != nil
}

// policy is the one that the options name, or else the one that the object's
// finalizers stand for, or else Background.
func (opts DeleteOptions) policy(have []string) string {
	switch {
	case opts.OrphanDependents != nil && *opts.OrphanDependents:
		return Orphan
	case opts.OrphanDependents != nil:
		return Background
	case opts.PropagationPolicy != nil:
		return *opts.PropagationPolicy
	}
	for _, name := range have {
		switch name {
		case object.FinalizerOrphan:
			return Orphan
		case object.FinalizerForeground:
			return Foreground
		}
	}
	return Background
}

// sameNames says whether two lists have the same members, in whatever order and number.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Compact(slices.Sorted(slices.Values(a))), slices.Compact(slices.Sorted(slices.Values(b))))
}

func isMarked(o object.Object, now time.Time) bool {
	deleted := o.DeletionTimestamp()
	grace, ok := o.DeletionGracePeriodSeconds()
	return !deleted.IsZero() && !deleted.After(now) && ok && grace == 0
}

// mark sets the fields of an object that is being deleted.
func mark(o object.Object, now time.Time) {
	deleted := o.DeletionTimestamp()
	if deleted.IsZero() && o.Generation() > 0 {
		o.SetGeneration(o.Generation() + 1)
	}
	if deleted.IsZero() || deleted.After(now) {
		o.SetDeletionTimestamp(now)
	}
	o.SetDeletionGracePeriodSeconds(0)
}
