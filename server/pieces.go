package server

import (
	"bytes"
	"sync"
	"weak"

	"github.com/seed-6c0fa0ad/plinth/storage"
)

// piece is a part of a list in the form in which the objects are stored: items in JSON,
// each behind a comma.
type piece struct {
	items []byte
	end   storage.Position
}

// pieces remembers what lists of a collection sent that nobody has written to since: clients that
// come together, as they do after a restart, or come again, are answered without another read of the
// store. A piece is made when its part of the list is asked for a second time, so that
// a collection which is always written to costs nothing here, and goes with the next
// garbage collection that finds no list sending it. The zero value is ready.
type pieces struct {
	mu    sync.Mutex
	known map[storage.Position]weak.Pointer[piece] // nil inside where the list stood once
}

// maxPieces bounds the positions that are remembered; they cover some 256 MB of lists.
const maxPieces = 1024

// find gives the piece at a position, nil if there is none. asked says that this is not
// the first time.
func (p *pieces) find(at storage.Position) (found *piece, asked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, asked := p.known[at]
	if !asked {
		p.set(at, weak.Pointer[piece]{})
	}
	return kept.Value(), asked
}

// keep remembers a copy of items between two positions.
func (p *pieces) keep(at, end storage.Position, items []byte) {
	kept := &piece{items: bytes.Clone(items), end: end}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(at, weak.Make(kept))
}

func (p *pieces) set(at storage.Position, kept weak.Pointer[piece]) {
	if p.known == nil {
		p.known = make(map[storage.Position]weak.Pointer[piece])
	}
	for other := range p.known {
		if len(p.known) < maxPieces {
			break
		}
		delete(p.known, other)
	}
	p.known[at] = kept
}
