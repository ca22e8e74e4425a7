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
// garbage collection. Where that keeps coming before the next list does, pieces that are mere copies
// are made ever more seldom. The zero value is ready.
type pieces struct {
	mu    sync.Mutex
	known map[pieceKey]askedPiece
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

// askedPiece is what is known of a piece that lists asked for.
type askedPiece struct {
	kept   weak.Pointer[keptPiece]
	missed int // lists that didn't find it since it was made or found
	due    int // so many of these make it worth making
}

// A piece is made for the second list that asks for it, and one that was forgotten for the next. Mere
// copies wait for the second list again, and for twice as many each time that none found them.
const (
	atOnce = 1
	soon   = 2
	rarely = 64
)

// copied says whether the bytes are those of the store: to keep them is as much work as to read
// them again.
func (k pieceKey) copied() bool { return k.form == form{} && k.pieceUse != forGzip }

// dueAfter says when a piece is due that was found or made.
func (k pieceKey) dueAfter(found bool, before int) int {
	switch {
	case !k.copied():
		return atOnce
	case found:
		return soon
	}
	return min(2*before, rarely)
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
	known, due := p.find(key)
	if known != nil {
		return known.piece, list.Skip(known.end)
	}
	made, same, err := read()
	if err != nil || !same || !due {
		return made, err
	}
	if end, ok := list.Position(); ok {
		kept := made
		kept.plain = bytes.Clone(made.plain)
		p.keep(key, &keptPiece{kept, end})
	}
	return made, nil
}

// find gives a piece, or nil and whether it is due to be made.
func (p *pieces) find(key pieceKey) (found *keptPiece, due bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked, ok := p.known[key]
	if !ok {
		p.makeRoom()
		asked.due = soon
	}
	asked.missed++
	found = asked.kept.Value()
	due = found == nil && asked.missed >= asked.due
	if found != nil || due {
		asked.missed, asked.due = 0, key.dueAfter(found != nil, asked.due)
	}
	p.known[key] = asked
	return found, due
}

// makeRoom makes room for what is known of one more piece.
func (p *pieces) makeRoom() {
	if p.known == nil {
		p.known = make(map[pieceKey]askedPiece)
	}
	for other := range p.known {
		if len(p.known) < maxPieces {
			break
		}
		delete(p.known, other)
	}
}

func (p *pieces) keep(key pieceKey, made *keptPiece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked, ok := p.known[key]; ok {
		asked.kept = weak.Make(made)
		p.known[key] = asked
	}
}
