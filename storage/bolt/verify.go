package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

// bbolt trusts its file: a damaged page makes it panic, partly in goroutines of
// its own, or read outside its memory. So the tree of pages is walked once, by
// the published layout of the file, before bbolt gets to see it.

const (
	boltMagic   = 0xED0CDAED
	boltVersion = 2

	pageHeader    = 16
	elementSize   = 16
	bucketHeader  = 16
	metaSize      = 64 // with the checksum, which covers what is before it
	minPageSize   = 1 << 10
	maxPageSize   = 1 << 24
	branchPage    = 1
	leafPage      = 2
	bucketElement = 1
	maxDepth      = 64
)

var (
	errNotOurs = errors.New("is not a file of this store")
	errShort   = errors.New("is shorter than it says; it has been cut off")
)

// boltMeta is what a meta page says.
type boltMeta struct {
	pageSize uint32
	root     uint64
	pages    uint64 // in use: the number of the first page behind
	txid     uint64
}

// parseMeta reads a meta page and says whether it is one.
func parseMeta(page []byte) (m boltMeta, ok bool) {
	if len(page) < pageHeader+metaSize {
		return m, false
	}
	b := page[pageHeader:]
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	le := binary.NativeEndian
	if le.Uint32(b) != boltMagic || le.Uint32(b[4:]) != boltVersion || le.Uint64(b[metaSize-8:]) != sum.Sum64() {
		return m, false
	}
	m = boltMeta{pageSize: le.Uint32(b[8:]), root: le.Uint64(b[16:]), pages: le.Uint64(b[40:]), txid: le.Uint64(b[48:])}
	return m, m.pageSize >= minPageSize && m.pageSize <= maxPageSize && m.pageSize&(m.pageSize-1) == 0
}

// readMeta finds the newest valid meta page.
func readMeta(f io.ReaderAt, size int64) (newest boltMeta, err error) {
	buf := make([]byte, pageHeader+metaSize)
	found := false
	consider := func(offset int64) bool {
		if _, err := f.ReadAt(buf, offset); err != nil {
			return false
		}
		m, ok := parseMeta(buf)
		if ok && (!found || m.txid > newest.txid) {
			newest, found = m, true
		}
		return ok
	}
	if consider(0) {
		consider(int64(newest.pageSize))
	} else {
		for page := int64(minPageSize); page <= maxPageSize && !consider(page); page <<= 1 {
		}
	}
	if !found {
		return boltMeta{}, errNotOurs
	}
	if newest.pages < 4 || newest.pages > uint64(size)/uint64(newest.pageSize) {
		return boltMeta{}, errShort
	}
	return newest, nil
}

// verifier walks the pages of a file.
type verifier struct {
	file io.ReaderAt
	meta boltMeta
	seen []bool // by page
	used uint64 // pages reached

	// room is a page for each depth, so that those above stay as they are.
	room [][]byte
}

// verify checks all that bbolt relies on and counts the pages in use.
func verify(f io.ReaderAt, meta boltMeta) (used uint64, err error) {
	v := &verifier{file: f, meta: meta, seen: make([]bool, meta.pages), used: 2}
	v.seen[0], v.seen[1] = true, true
	if err := v.tree(meta.root, nil, nil, 0, true); err != nil {
		return 0, err
	}
	return v.used, nil
}

func damaged(page uint64, what string) error { return fmt.Errorf("is damaged: page %d %s", page, what) }

// tree checks the pages from one down. Their keys must be from low to below high.
func (v *verifier) tree(id uint64, low, high []byte, depth int, top bool) error {
	if depth > maxDepth {
		return damaged(id, "is too deep")
	}
	page, err := v.read(id, depth)
	if err != nil {
		return err
	}
	if binary.NativeEndian.Uint16(page[8:]) == branchPage {
		return v.branch(id, page, low, high, depth, top)
	}
	return v.leaf(id, page, low, high, depth, top)
}

// read reads a page with what overflows from it, and claims both.
func (v *verifier) read(id uint64, depth int) ([]byte, error) {
	if id < 2 || id >= v.meta.pages {
		return nil, damaged(id, "is outside the file")
	}
	size := int64(v.meta.pageSize)
	for len(v.room) <= depth {
		v.room = append(v.room, make([]byte, size))
	}
	page := v.room[depth][:size]
	if _, err := v.file.ReadAt(page, int64(id)*size); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	overflow := uint64(binary.NativeEndian.Uint32(page[12:]))
	flags := binary.NativeEndian.Uint16(page[8:])
	switch {
	case binary.NativeEndian.Uint64(page) != id:
		return nil, damaged(id, "is another page")
	case flags != branchPage && flags != leafPage:
		return nil, damaged(id, "is neither branch nor leaf")
	case overflow >= v.meta.pages-id:
		return nil, damaged(id, "flows out of the file")
	}
	for i := id; i <= id+overflow; i++ {
		if v.seen[i] {
			return nil, damaged(i, "is used twice")
		}
		v.seen[i] = true
	}
	v.used += overflow + 1
	if overflow == 0 {
		return page, nil
	}
	page = slices.Grow(page, int(overflow)*int(size))[:int64(overflow+1)*size]
	v.room[depth] = page
	if _, err := v.file.ReadAt(page[size:], (int64(id)+1)*size); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return page, nil
}

func (v *verifier) branch(id uint64, page, low, high []byte, depth int, top bool) error {
	n := int(binary.NativeEndian.Uint16(page[10:]))
	if n == 0 || pageHeader+n*elementSize > len(page) {
		return damaged(id, "has a wrong number of elements")
	}
	type child struct {
		key []byte
		id  uint64
	}
	children := make([]child, n)
	for i := range children {
		at := pageHeader + i*elementSize
		element := page[at:]
		key, _, ok := cut(page, at, binary.NativeEndian.Uint32(element), binary.NativeEndian.Uint32(element[4:]), 0)
		if !ok || !inOrder(key, &low, high, i == 0) {
			return damaged(id, "has a wrong key")
		}
		children[i] = child{key, binary.NativeEndian.Uint64(element[8:])}
	}
	for i, c := range children {
		below := high
		if i+1 < n {
			below = children[i+1].key
		}
		if err := v.tree(c.id, c.key, below, depth+1, top); err != nil {
			return err
		}
	}
	return nil
}

// leaf checks a leaf; in that of the top tree all elements are buckets.
func (v *verifier) leaf(id uint64, page, low, high []byte, depth int, top bool) error {
	n := int(binary.NativeEndian.Uint16(page[10:]))
	if pageHeader+n*elementSize > len(page) {
		return damaged(id, "has a wrong number of elements")
	}
	for i := range n {
		at := pageHeader + i*elementSize
		element := page[at:]
		flags := binary.NativeEndian.Uint32(element)
		key, value, ok := cut(page, at, binary.NativeEndian.Uint32(element[4:]),
			binary.NativeEndian.Uint32(element[8:]), binary.NativeEndian.Uint32(element[12:]))
		if !ok || !inOrder(key, &low, high, i == 0) || (flags == bucketElement) != top || flags > bucketElement {
			return damaged(id, "has a wrong element")
		}
		if !top {
			continue
		}
		if err := v.bucket(id, value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket: a tree of its own, or a leaf that is part of the value.
func (v *verifier) bucket(id uint64, value []byte, depth int) error {
	if len(value) < bucketHeader {
		return damaged(id, "has a wrong bucket")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return v.tree(root, nil, nil, depth, false)
	}
	inline := value[bucketHeader:]
	if len(inline) < pageHeader || binary.NativeEndian.Uint16(inline[8:]) != leafPage {
		return damaged(id, "has a wrong bucket")
	}
	return v.leaf(id, inline, nil, nil, depth, false)
}

// cut gives the key and the value of the element at an offset of a page.
func cut(page []byte, at int, pos, keySize, valueSize uint32) (key, value []byte, ok bool) {
	start := uint64(at) + uint64(pos)
	end := start + uint64(keySize) + uint64(valueSize)
	if end > uint64(len(page)) || keySize == 0 {
		return nil, nil, false
	}
	middle := start + uint64(keySize)
	return page[start:middle], page[middle:end], true
}

// inOrder says whether a key comes after the one before it (or, for the first,
// not before the bound) and below high; it moves low on.
func inOrder(key []byte, low *[]byte, high []byte, first bool) bool {
	order := bytes.Compare(key, *low)
	if order < 0 || order == 0 && !first || high != nil && bytes.Compare(key, high) >= 0 {
		return false
	}
	*low = key
	return true
}
