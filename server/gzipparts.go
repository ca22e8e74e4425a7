package server

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/flate"
)

// gzipPart is a part of a gzip stream that may stand behind any other: it ends at a byte, and
// refers to nothing in front of it (RFC 1951).
type gzipPart struct {
	data []byte // compressed
	size int    // of what was compressed
	sum  uint32 // of that
}

// compressPart makes a part of data, in memory of its own. Where nothing repeats, as in base64, the
// way that looks for repetitions does not even write frequent characters shorter; another one does.
func compressPart(data []byte) gzipPart {
	out := deflate(&repetitions, data)
	if len(out) > len(data)/8*7 {
		out = deflate(&frequencies, data)
	}
	return gzipPart{out, len(data), crc32.ChecksumIEEE(data)}
}

func deflate(writers *sync.Pool, data []byte) []byte {
	var out bytes.Buffer
	z := writers.Get().(*flate.Writer)
	defer writers.Put(z)
	z.Reset(&out)
	_, _ = z.Write(data) // a buffer takes everything
	_ = z.Flush()
	return out.Bytes()
}

// Writers are kept because they are large.
var (
	repetitions = sync.Pool{New: func() any { return newDeflater(flate.BestSpeed) }}
	frequencies = sync.Pool{New: func() any { return newDeflater(flate.HuffmanOnly) }}
)

func newDeflater(level int) *flate.Writer {
	z, err := flate.NewWriter(nil, level)
	if err != nil {
		panic(err) // the level is valid
	}
	return z
}

// gzipStream writes parts as one gzip stream (RFC 1952).
type gzipStream struct {
	w    io.Writer
	size uint32 // of what was written, in 32 bits
	sum  uint32 // of that
}

// begin writes the head: deflate, without a name or a time, from a system that doesn't matter.
func (z *gzipStream) begin() error {
	_, err := z.w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255})
	return err
}

// add writes a part.
func (z *gzipStream) add(p gzipPart) error {
	z.sum = joinSums(z.sum, p.sum, p.size)
	z.size += uint32(p.size)
	_, err := z.w.Write(p.data)
	return err
}

// addStored writes a few bytes as they are, in a block that is not compressed.
func (z *gzipStream) addStored(data []byte) error {
	block := make([]byte, 5, 5+len(data))
	binary.LittleEndian.PutUint16(block[1:], uint16(len(data)))
	binary.LittleEndian.PutUint16(block[3:], ^uint16(len(data)))
	return z.add(gzipPart{append(block, data...), len(data), crc32.ChecksumIEEE(data)})
}

// end writes an empty last block and the tail.
func (z *gzipStream) end() error {
	tail := []byte{1, 0, 0, 255, 255}
	tail = binary.LittleEndian.AppendUint32(tail, z.sum)
	tail = binary.LittleEndian.AppendUint32(tail, z.size)
	_, err := z.w.Write(tail)
	return err
}

// A CRC-32 is the remainder of a polynomial over the bits of the data, with the coefficient
// of the highest power in the lowest bit. That of two parts behind one another is that of
// the first, times x for each bit of the second, plus that of the second.

// joinSums gives the checksum of two parts, the second of which has that many bytes.
func joinSums(first, second uint32, size int) uint32 {
	return multiplySums(first, powerOfX(8*uint64(size))) ^ second
}

// powerOfX gives the remainder of x to the n-th.
func powerOfX(n uint64) uint32 {
	const one, x = 1 << 31, 1 << 30
	power, square := uint32(one), uint32(x)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			power = multiplySums(power, square)
		}
		square = multiplySums(square, square)
	}
	return power
}

// multiplySums gives the remainder of a product.
func multiplySums(a, b uint32) (product uint32) {
	for a = bits.Reverse32(a); a != 0; a >>= 1 { // from the constant coefficient on
		product ^= b & -(a & 1)
		b = b>>1 ^ crc32.IEEE&-(b&1) // times x
	}
	return product
}
