package server

import (
	"bytes"
	"sync"
	"weak"

	"github.com/seed-6c0fa0ad/plinth/storage"
)

// pieces remembers what lists of a collection sent that nobody has written to since: clients that
// come together, as they do after a restart, or come again, are answered without another read of the
// store. A piece is made when its part of the list is asked for a second time, so that
// a collection which is always written to costs nothing here, and is forgotten at the next
// garbage collection. The zero value is ready.
type pieces struct {
	mu    sync.Mutex
	known map[pieceKey]weak.Pointer[keptPiece] // nil inside where a list was read once
}

// piece is a part of a list as it is sent. Nobody changes it.
type piece struct {
	plain []byte // items, in JSON each behind a comma; or frames
	zip   gzipPart
}

// size is how many bytes a client gets to see.
func (p *piece) size() int { return len(p.plain) + p.zip.size }

// pieceUse is what a piece is for.
type pieceUse uint8

const (
	forList   pieceUse = iota
	forGzip            // a list that is compressed, unless it is small
	forFrames          // the initial events of a watch
)

// pieceKey says all that the bytes of a piece depend on.
type pieceKey struct {
	storage.Position
	form
	pieceUse
}

type keptPiece struct {
	piece
	end storage.Position
}

// maxPieces bounds what is remembered; that many cover some 256 MB of lists.
const maxPieces = 1024

// next gives what comes next of a list, which read makes if need be; it says whether it would make
// the same of the same objects again.
func (p *pieces) next(list *storage.List, f form, use pieceUse, read func() (made piece, same bool, err error)) (piece, error) {
	at, ok := list.Position()
	if !ok {
		made, _, err := read()
		return made, err
	}
	key := pieceKey{at, f, use}
	known, asked := p.find(key)
	if known != nil {
		return known.piece, list.Skip(known.end)
	}
	made, same, err := read()
	if err != nil || !same || !asked {
		return made, err
	}
	if end, ok := list.Position(); ok {
		kept := made
		kept.plain = bytes.Clone(made.plain)
		p.keep(key, weak.Make(&keptPiece{kept, end}))
	}
	return made, nil
}

// find gives a piece, or nil. asked says that this is not the first time.
func (p *pieces) find(key pieceKey) (found *keptPiece, asked bool) {
	p.mu.Lock()
	kept, asked := p.known[key]
	p.mu.Unlock()
	if !asked {
		p.keep(key, kept)
	}
	return kept.Value(), asked
}

func (p *pieces) keep(key pieceKey, kept weak.Pointer[keptPiece]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known == nil {
		p.known = make(map[pieceKey]weak.Pointer[keptPiece])
	}
	for other := range p.known {
		if len(p.known) < maxPieces {
			break
		}
		delete(p.known, other)
	}
	p.known[key] = kept
}
