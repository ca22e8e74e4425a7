package builtin

import "google.golang.org/protobuf/encoding/protowire"

// backward is bytes that are written from the end to the beginning.
type backward struct {
	buf   []byte
	start int // of what is written
}

func (b *backward) reset()          { b.start = len(b.buf) }
func (b *backward) written() []byte { return b.buf[b.start:] }
func (b *backward) size() int       { return len(b.buf) - b.start }

// prepend writes bytes in front of all others.
func (b *backward) prepend(data []byte) { copy(b.room(len(data)), data) }

// varint writes a number in front of all others.
func (b *backward) varint(n uint64) {
	if n < 0x80 && b.start > 0 {
		b.start--
		b.buf[b.start] = byte(n)
		return
	}
	room := b.room(protowire.SizeVarint(n))
	protowire.AppendVarint(room[:0], n)
}

// room makes room for bytes in front of all others.
func (b *backward) room(n int) []byte {
	if b.start < n {
		larger := make([]byte, 2*len(b.buf)+n+1<<10)
		b.start = len(larger) - copy(larger[len(larger)-b.size():], b.written())
		b.buf = larger
	}
	b.start -= n
	return b.buf[b.start : b.start+n]
}

// keep takes the first n bytes of the room that was made last, and gives back the rest.
func (b *backward) keep(room []byte, n int) {
	unused := len(room) - n
	copy(room[unused:], room[:n])
	b.start += unused
}
