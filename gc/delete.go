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
)

// BeginDelete decides what a DELETE means for an object of a kind without graceful
// deletion (there, a grace period is accepted and means nothing).
//
// An object that has finalizers, or gets one from the propagation policy, is to be
// marked: next is a copy with the finalizers, deletionTimestamp now,
// deletionGracePeriodSeconds 0, and, when it is marked for the first time, the
// generation one higher if it has any. A further DELETE may still change the policy,
// and else is Unchanged. Without finalizers it is to be removed. For Remove and
// Unchanged next is o itself.
//
// Errors are Invalid for the options and Conflict for the preconditions.
func BeginDelete(o object.Object, opts DeleteOptions, now time.Time) (next object.Object, outcome Outcome, err error) {
	if err := opts.Validate(); err != nil {
		return nil, Unchanged, err
	}
	if err := opts.Preconditions.check(o); err != nil {
		return nil, Unchanged, err
	}
	have := o.Finalizers()
	finalizers := opts.finalizers(have)
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

// check compares what the client knows of the object. The error names the kind,
// where others name the resource.
func (p Preconditions) check(o object.Object) error {
	var err error
	switch {
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
