package apitest

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// objectVersion is short for what counts the writes of a store.
type objectVersion = object.ResourceVersion

// journal is what is known of the writes beside what they did: when, and by whom. The first
// write of a store has version 2.
type journal struct {
	mu     sync.Mutex
	writes []*write // never changed in place, so that snapshots share them
}

// write is one of them.
type write struct {
	at    time.Time
	key   object.Key
	actor atomic.Pointer[actor] // nil until somebody says who it was
}

// actor is who made a write, and by which verb.
type actor struct {
	verb, subresource, manager, user string
}

// firstWrite is the version of the first write of a store.
const firstWrite = 2

// committed is told of every commit.
func (j *journal) committed(events []object.Event) {
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range events {
		for objectVersion(len(j.writes)+firstWrite) < events[i].Version {
			j.writes = append(j.writes, &write{at: now}) // from before anybody listened
		}
		j.writes = append(j.writes, &write{at: now, key: events[i].Key})
	}
}

// wrote is told who made a write.
func (j *journal) wrote(about server.Attributes, manager string, version objectVersion) {
	if w := j.find(version); w != nil {
		w.actor.Store(&actor{about.Verb, about.Subresource, manager, about.User.Name})
	}
}

// find gives the write of a version, or nil.
func (j *journal) find(version objectVersion) *write {
	j.mu.Lock()
	defer j.mu.Unlock()
	if i := int(version) - firstWrite; i >= 0 && i < len(j.writes) {
		return j.writes[i]
	}
	return nil
}

// upTo gives a journal of its own that begins with what this one knows up to a version.
func (j *journal) upTo(version objectVersion) *journal {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := min(max(0, int(version)-firstWrite+1), len(j.writes))
	return &journal{writes: j.writes[:n:n]}
}

// last gives the moment of the newest write, and how many there were.
func (j *journal) last() (at time.Time, writes int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if n := len(j.writes); n > 0 {
		at = j.writes[n-1].at
	}
	return at, len(j.writes)
}
