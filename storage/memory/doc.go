// Package memory keeps the objects of a store in memory, by the same contract as
// a durable backend.
//
// Its nouns are [Backend]; [Snapshot], the frozen contents of one; and a fork,
// which is a backend that starts from a snapshot. Both cost the same whatever the
// number of objects, since all contents are immutable and shared. A test prepares
// a world once and gives each of its cases a fork of it.
//
// A backend is data and one mutex that is never held across a wait: it has no
// goroutine, channel or timer, and may be used inside and outside a testing/synctest
// bubble.
package memory
