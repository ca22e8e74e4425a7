package server

import (
	"slices"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// copies says whether the bytes of a stored object are its document in the version
// served, but for the type.
func (s *served) copies(e *object.Encoded) bool {
	if s.version.Documents == nil {
		return s.stored
	}
	form, _ := e.Field(FormField)
	return slices.ContainsFunc(s.version.Documents.Forms, func(own string) bool { return own == string(form) })
}

// current gives a stored object in the form of the version, if a schema says what
// that is. What is stored as it is served is returned itself.
func (s *served) current(e *object.Encoded) (*object.Encoded, error) {
	if s.version.Documents == nil || s.copies(e) {
		return e, nil
	}
	loaded, err := s.version.Documents.Load([]*object.Encoded{e})
	if err != nil {
		return nil, err
	}
	return loaded[0], nil
}

// batch brings the objects of a list into the form of the version, many at once
// where that is work: a conversion may have to ask elsewhere.
type batch struct {
	*served
	add     func(e *object.Encoded) error // takes the objects in, in their order
	waiting []*object.Encoded
	size    int  // bytes of those
	loaded  bool // some had to be brought into the form
}

// maxBatch is how many objects wait at most, and maxBatchSize how many bytes of them.
const (
	maxBatch     = 512
	maxBatchSize = 1 << 20
)

// next takes the next object, whose bytes are valid during the call only.
func (b *batch) next(e *object.Encoded) error {
	if len(b.waiting) == 0 && (b.version.Documents == nil || b.copies(e)) {
		return b.add(e)
	}
	b.waiting = append(b.waiting, e.Clone())
	b.size += len(e.Body)
	if len(b.waiting) < maxBatch && b.size < maxBatchSize {
		return nil
	}
	return b.flush()
}

// flush takes in those that wait.
func (b *batch) flush() error {
	if len(b.waiting) == 0 {
		return nil
	}
	loaded, err := b.version.Documents.Load(b.waiting)
	b.waiting, b.size, b.loaded = b.waiting[:0], 0, true
	if err != nil {
		return err
	}
	for _, e := range loaded {
		if err := b.add(e); err != nil {
			return err
		}
	}
	return nil
}
