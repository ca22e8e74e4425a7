package apitest

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// Change is what one write did to one object.
type Change struct {
	Version object.ResourceVersion
	Time    time.Time

	// How it was made: create, update (patches and applies included), delete, or restore.
	Verb        string
	Subresource string

	// Who made it: the manager of fields, which is the program that asked if it named none, or else
	// the user; "the test" if it used the verbs in Go without any of that, and "the server".
	By string

	// Object is the state after the write, or the last one of an object that it removed.
	Object  object.Object
	Fields  []FieldChange // that it changed; none if the object is new, or removed
	Removed bool
	isNew   bool
}

// History is what became of one object, in order.
type History []Change

// History tells what became of an object since there is one of its name: before the server was
// forked, too.
func (s *Server) History(ctx context.Context, t server.Target) (History, error) {
	if t.Name == "" {
		return nil, fmt.Errorf("reading the history of one of %s: the target has no name", t.Resource.GroupResource())
	}
	return s.changes(ctx, t, 0)
}

// changes tells what happened to an object, or a collection, after a version.
func (s *Server) changes(ctx context.Context, t server.Target, after object.ResourceVersion) (all History, err error) {
	for c, err := range s.Server.History(ctx, t, after) {
		if err != nil {
			return all, fmt.Errorf("reading the history of %s: %w", nameOf(t), err)
		}
		all = append(all, s.change(&c))
	}
	return all, nil
}

// change adds to a write who made it, and when.
func (s *Server) change(c *server.Change) Change {
	change := Change{Version: c.Version, Object: c.Next, isNew: c.Prev == nil, Removed: c.Next == nil}
	switch {
	case change.isNew:
		change.Verb = "create"
	case change.Removed:
		change.Verb, change.Object = "delete", c.Prev
	default:
		change.Verb, change.Fields = "update", Diff(c.Prev, c.Next)
		change.By, change.Subresource = managerOf(c.Prev, c.Next)
	}
	if w := s.journal.find(c.Version); w != nil {
		change.Time = w.at
		if a := w.actor.Load(); a != nil {
			change.Verb, change.Subresource = a.verb, a.subresource
			change.By = cmp.Or(a.manager, a.user, change.By, "the test")
		}
	}
	change.By = cmp.Or(change.By, "the server")
	return change
}

// managerOf reads from managedFields who has changed an object.
func managerOf(before, after object.Object) (manager, subresource string) {
	known := before.ManagedFields()
	for _, entry := range after.ManagedFields() {
		isKnown := false
		for i := range known {
			isKnown = isKnown || reflect.DeepEqual(known[i], entry)
		}
		if !isKnown {
			return entry.Manager, entry.Subresource
		}
	}
	return "", ""
}

// clock is how moments are shown.
const clock = "15:04:05.000"

// what says in a word or two what the write was.
func (c *Change) what() string {
	switch {
	case c.isNew && c.Verb == "restore":
		return "put back"
	case c.isNew:
		return "created"
	case c.Removed:
		return "removed"
	case c.Verb == "delete":
		return "marked as being deleted"
	case c.Verb == "restore":
		return "restored"
	case c.Subresource != "":
		return "updated (" + c.Subresource + ")"
	}
	return "updated"
}

// String shows the change: a line that says who did what when, and one for each field.
func (c *Change) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d  %s  %s by %s\n", c.Version, c.Time.Format(clock), c.what(), c.By)
	for _, f := range c.Fields {
		b.WriteString("    " + f.String() + "\n")
	}
	return b.String()
}

// String shows the changes one below the other.
func (h History) String() string {
	var b strings.Builder
	for i := range h {
		b.WriteString(h[i].String())
	}
	if len(h) == 0 {
		return "(nothing has happened to it)\n"
	}
	return b.String()
}
