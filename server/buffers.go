package server

import "sync"

// buffers are reused for answers that are large or many, so that the garbage
// collector doesn't see each of them. The zero value is ready for use.
type buffers struct{ pool sync.Pool }

// maxKept is the size in bytes above which a buffer is not kept: one huge answer
// must not hold its memory for ever.
const maxKept = 4 << 20

// get gives an empty buffer.
func (b *buffers) get() []byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return (*buf)[:0]
	}
	return make([]byte, 0, 4<<10)
}

// put takes a buffer back that nobody reads any more.
func (b *buffers) put(buf []byte) {
	if cap(buf) <= maxKept {
		b.pool.Put(&buf)
	}
}
