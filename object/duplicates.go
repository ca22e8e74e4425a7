package object

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// Limits of what is reported of one document, so that a hostile one cannot make
// the report much larger than itself.
const (
	maxDuplicates     = 100
	maxDuplicateBytes = 1 << 20
)

// DecodeStrict is [Decode] that also names what a lenient reader passes over: the
// paths of the fields that occur twice ("metadata.name", "spec.list[0].x"), each
// once, in the order found, at most 100.
func DecodeStrict(data []byte) (o Object, duplicates []string, err error) {
	var d decoder
	d.reset(data)
	o, err = d.document()
	if err != nil || !d.duplicates {
		return o, nil, err
	}
	return o, findDuplicates(data), nil
}

// DecodeValueStrict is [DecodeValue] that reports as [DecodeStrict] does. Paths in a
// list begin with an index: "[0].x".
func DecodeValueStrict(data []byte) (v any, duplicates []string, err error) {
	var d decoder
	d.reset(data)
	v, err = d.oneValue()
	if err != nil || !d.duplicates {
		return v, nil, err
	}
	return v, findDuplicates(data), nil
}

func findDuplicates(data []byte) []string {
	f := duplicateFinder{
		decoder:  decoder{data: data},
		seed:     maphash.MakeSeed(),
		reported: map[uint64]bool{},
	}
	f.walk(nil)
	return f.paths
}

// duplicateFinder walks a document that is known to be valid and to have fields
// that occur twice.
type duplicateFinder struct {
	decoder
	seed     maphash.Seed
	reported map[uint64]bool // by hash, since the paths themselves may be very long
	paths    []string
	bytes    int
}

// fieldPath is the way to a value: a member or an element of what parent leads to.
type fieldPath struct {
	parent *fieldPath // nil at the top
	name   string
	index  int // -1 for a member
	hash   uint64
}

func (f *duplicateFinder) walk(at *fieldPath) {
	f.skipSpace()
	switch f.data[f.pos] {
	case '{':
		f.walkObject(at)
	case '[':
		f.walkList(at)
	default:
		// The document is valid, so there is no error.
		_, _ = f.value()
	}
}

func (f *duplicateFinder) walkObject(at *fieldPath) {
	f.pos++
	seen := map[string]bool{}
	f.skipSpace()
	for more := !f.take('}'); more; {
		name, _ := f.name()
		member := f.child(at, name, -1)
		if seen[name] {
			f.report(member)
		}
		seen[name] = true
		f.walk(member)
		more, _ = f.separator('}', "")
		f.skipSpace()
	}
}

func (f *duplicateFinder) walkList(at *fieldPath) {
	f.pos++
	f.skipSpace()
	more := !f.take(']')
	for i := 0; more; i++ {
		f.walk(f.child(at, "", i))
		more, _ = f.separator(']', "")
	}
}

func (f *duplicateFinder) child(parent *fieldPath, name string, index int) *fieldPath {
	step := struct {
		parent uint64
		name   string
		index  int
	}{name: name, index: index}
	if parent != nil {
		step.parent = parent.hash
	}
	return &fieldPath{parent: parent, name: name, index: index, hash: maphash.Comparable(f.seed, step)}
}

func (f *duplicateFinder) report(p *fieldPath) {
	if len(f.paths) == maxDuplicates || f.bytes > maxDuplicateBytes || f.reported[p.hash] {
		return
	}
	f.reported[p.hash] = true
	path := p.String()
	f.bytes += len(path)
	// Another place may read the same: "a.b" is a member of a, or a name with a dot.
	if !slices.Contains(f.paths, path) {
		f.paths = append(f.paths, path)
	}
}

// String gives the API's form: "spec.list[0].x".
func (p *fieldPath) String() string {
	var steps []*fieldPath
	for ; p != nil; p = p.parent {
		steps = append(steps, p)
	}
	var text []byte
	for i := len(steps) - 1; i >= 0; i-- {
		switch step := steps[i]; {
		case step.index >= 0:
			text = append(text, '[')
			text = strconv.AppendInt(text, int64(step.index), 10)
			text = append(text, ']')
		default:
			if i < len(steps)-1 {
				text = append(text, '.')
			}
			text = append(text, step.name...)
		}
	}
	return string(text)
}
