package server

import (
	"fmt"
	"time"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// checkHeldConditions checks the preconditions for kinds that keep objects, which have words of their
// own for that.
func (c *call) checkHeldConditions(p *gc.Preconditions, o object.Object) error {
	if c.Held == nil || p == nil {
		return nil
	}
	failed := "precondition failed"
	if c.Group == "" { // namespaces begin with a capital
		failed = "Precondition failed"
	}
	switch {
	case p.UID != nil && *p.UID != o.UID():
		return object.Conflict(c.groupResource(), o.Name(), fmt.Errorf("%s: UID in precondition: %s, UID in object meta: %s", failed, *p.UID, o.UID()))
	case p.ResourceVersion != nil && *p.ResourceVersion != o.ResourceVersion():
		return object.Conflict(c.groupResource(), o.Name(),
			fmt.Errorf("%s: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s", failed, *p.ResourceVersion, o.ResourceVersion()))
	}
	return nil
}

// onlyOf gives the options as the API completes them for kinds that keep objects: they are
// about this object and no later one of its name, as stages of admission see.
func onlyOf(opts gc.DeleteOptions, o object.Object) gc.DeleteOptions {
	var conditions gc.Preconditions
	if opts.Preconditions != nil {
		conditions = *opts.Preconditions
	}
	if conditions.UID == nil {
		uid := o.UID()
		conditions.UID = &uid
	}
	opts.Preconditions = &conditions
	return opts
}

// beginHeld marks an object that its kind keeps until its own conditions are met. Of
// what others of its kind would become it may get the finalizer of the policy.
func (c *call) beginHeld(o, ordinary object.Object) (object.Object, gc.Outcome) {
	if !o.DeletionTimestamp().IsZero() {
		return o, gc.Unchanged
	}
	next := o.DeepCopy()
	if c.HeldByPolicy {
		next.SetFinalizers(ordinary.Finalizers())
	}
	next.SetDeletionTimestamp(time.Now())
	if c.BeginDelete != nil {
		c.BeginDelete(next)
	}
	return next, gc.Mark
}
