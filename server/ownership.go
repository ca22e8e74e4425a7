package server

import (
	"cmp"
	"time"

	"github.com/seed-6c0fa0ad/plinth/apply"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Filters of endpoints whose rules name none.
var (
	exceptStatus = apply.Except("status")
	exceptSpec   = apply.Except("spec")
)

// track accounts in next for the owners of the fields that differ from live, both in
// the version of the call. live is nil for a new object. A write is not refused because
// its account fails: the owners stay those of live then.
func (c *call) track(live, next object.Object) {
	if err := c.face.merger.Track(live, next, c.writer()); err != nil {
		c.config.Logger.Warn("managed fields", "resource", c.groupResource(), "name", next.Name(), "error", err)
	}
}

func (c *call) writer() apply.Writer {
	w := apply.Writer{Manager: cmp.Or(c.opts.FieldManager, c.agent), Filter: c.changes(), Now: time.Now()}
	if c.sub != nil {
		w.Subresource = c.sub.Name
	}
	return w
}

// changes are the fields that the endpoint can change.
func (c *call) changes() *apply.Filter {
	if own := c.rules().Changes; own != nil {
		return own
	}
	if c.sub != nil {
		if c.sub.Name == "status" {
			return exceptSpec
		}
		return nil
	}
	if _, ok := c.subresource("status"); ok {
		return exceptStatus
	}
	return nil
}

// keepTimes puts the owners of old back if nothing but their times has changed: such a
// write changes nothing.
func keepTimes(next, old object.Object) {
	owners, ok := old.Metadata()["managedFields"]
	if ok && equalBut(next, old, "metadata") && equalBut(next.Metadata(), old.Metadata(), "managedFields") &&
		equalButTimes(next.Metadata()["managedFields"], owners) {
		next.Metadata()["managedFields"] = owners
	}
}

// equalBut compares two maps without one of their members.
func equalBut(a, b map[string]any, without string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, value := range a {
		was, ok := b[name]
		if name != without && (!ok || !object.EqualValues(value, was)) {
			return false
		}
	}
	return true
}

func equalButTimes(a, b any) bool {
	x, _ := a.([]any)
	y, _ := b.([]any)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		entry, _ := x[i].(map[string]any)
		was, _ := y[i].(map[string]any)
		if !equalBut(entry, was, "time") {
			return false
		}
	}
	return true
}
