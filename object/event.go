package object

// EventType is the kind of a change, in the word that a watch puts on the wire.
type EventType string

// The types of events. Stores make the first three, watches all but the last,
// which a server makes when a watch fails.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
	Failed   EventType = "ERROR"
)

// Event is one committed change of one object.
//
// Object is the state after the change; for Deleted, the last state, with the
// version of the deletion. Prev is the state before, nil for Added. Neither is
// set for a Bookmark, which says only that nothing up to Version is still to come.
type Event struct {
	Type    EventType
	Key     Key
	Version ResourceVersion
	Object  *Encoded
	Prev    *Encoded
}
