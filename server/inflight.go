package server

import (
	"sync/atomic"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxInFlight is how many requests that are no watches are served at a time. Those
// beyond it are asked to come again: work that piles up would hold memory for
// answers which nobody waits for any more.
const maxInFlight = 600

// inFlight counts the requests under way. The zero value is ready for use.
type inFlight struct{ n atomic.Int64 }

// enter lets a request in, or says with 429 that there are too many. Who is let in leaves.
func (f *inFlight) enter() error {
	if f.n.Add(1) > maxInFlight {
		f.n.Add(-1)
		return object.TooManyRequests("Too many requests, please try again later.", 1)
	}
	return nil
}

func (f *inFlight) leave() { f.n.Add(-1) }
