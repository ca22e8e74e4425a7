package storage

import (
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// maxCounts is how many lists a store remembers that are being read in pages.
const maxCounts = 256

// counts remembers how many keys there are from the start of a page on, so that
// the pages of a list are counted once and not once each. What it knows of a
// version never changes. The zero value is ready.
type counts struct {
	mu    sync.Mutex
	known map[pageStart]int64
}

// pageStart is where a page begins, in one state of the store.
type pageStart struct {
	prefix, from string
	version      object.ResourceVersion
}

func (c *counts) get(at pageStart) (n int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok = c.known[at]
	return n, ok
}

func (c *counts) set(at pageStart, n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[pageStart]int64)
	}
	for other := range c.known {
		if len(c.known) < maxCounts {
			break
		}
		delete(c.known, other)
	}
	c.known[at] = n
}
