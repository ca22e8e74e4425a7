package server

import (
	"net/http"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// chunkSize is how many bytes of a list are put together before they are sent. No
// read of the store lasts while they are.
const chunkSize = 256 << 10

// listStream sends a list in the form that needs no second look: JSON of what is
// stored. A list that fits into one chunk goes with its length; of a longer one no
// more than a chunk is ever held. The metadata of a page comes behind its items: what
// follows the page is known only then.
type listStream struct {
	*exchange
	list  *storage.List
	whole bool // the list has no further pages
	gzip  bool // the client takes it
	batch batch
	buf   []byte      // items that were read, each behind a comma
	out   *listOutput // where pieces go; nil until the first one does
}

func (x *exchange) streamList(list *storage.List, whole bool) error {
	s := &listStream{exchange: x, list: list, whole: whole, gzip: acceptsGzip(x.r), buf: x.buffers.get()}
	s.batch = batch{served: x.served, add: s.add}
	defer func() { x.buffers.put(s.buf) }()
	return s.run()
}

func (s *listStream) run() error {
	for {
		p, err := s.next()
		if err != nil {
			if s.out != nil {
				panic(http.ErrAbortHandler) // half a list must not look like a whole one
			}
			return err
		}
		done := s.list.Done()
		if done && s.out == nil && p.zip.size == 0 {
			s.send(http.StatusOK, s.form, s.head(), withoutComma(p.plain, true), s.tail())
			return nil
		}
		if s.out == nil {
			defer s.begin()()
		}
		if err := s.out.add(p); err != nil {
			return nil // nobody is there to be told
		}
		if done {
			_ = s.out.end(s.tail()) // a client that is gone needs none
			return nil
		}
	}
}

// next gives the items that come next.
func (s *listStream) next() (piece, error) {
	use := forList
	if s.gzip {
		use = forGzip
	}
	return s.pieces.next(s.list, s.form, use, func() (p piece, same bool, err error) {
		items, err := s.read()
		if s.gzip && !s.isSmall(items) {
			return piece{zip: compressPart(items[1:])}, !s.batch.loaded, err
		}
		return piece{plain: items}, !s.batch.loaded, err
	})
}

// isSmall says whether items that were just read need not be compressed: they are all there
// are, or none.
func (s *listStream) isSmall(items []byte) bool {
	return len(items) == 0 || s.out == nil && s.list.Done() && len(items) <= compressFrom
}

// read reads until the buffer holds a chunk or the list is at its end.
func (s *listStream) read() ([]byte, error) {
	s.buf = s.buf[:0]
	ctx := s.r.Context()
	var itemErr error
	err := s.list.Visit(func(_ object.Key, e *object.Encoded) bool {
		if itemErr = ctx.Err(); itemErr == nil { // somebody still waits for it
			itemErr = s.batch.next(e)
		}
		return itemErr == nil && len(s.buf)+s.batch.size < chunkSize
	})
	if err == nil {
		err = itemErr
	}
	if err == nil {
		err = s.batch.flush()
	}
	return s.buf, err
}

func (s *listStream) add(e *object.Encoded) error {
	s.buf = e.AppendJSON(append(s.buf, ','), s.itemType())
	return nil
}

// begin sends the head of an answer that comes in pieces. A client that does not
// read them loses its connection soon after the time of the request is over. The
// caller calls the result at the end.
func (s *listStream) begin() (end func()) {
	h := s.w.Header()
	s.asides.writeTo(h)
	h.Set("Content-Type", typeJSON)
	h.Set("Cache-Control", "no-cache, private")
	s.out = &listOutput{w: s.w}
	if s.gzip {
		markCompressed(h)
		s.out.zip = &gzipStream{w: s.w}
	}
	s.w.WriteHeader(http.StatusOK)
	_ = s.out.begin(s.head()) // the items tell whether anybody is there

	deadline, ok := s.r.Context().Deadline()
	if !ok {
		return func() {}
	}
	// Where deadlines are not supported, nobody is on the other end of a wire.
	connection := http.NewResponseController(s.w)
	_ = connection.SetWriteDeadline(deadline.Add(lastWrites))
	return func() { _ = connection.SetWriteDeadline(time.Time{}) }
}

// head is the list up to its items.
func (s *listStream) head() []byte {
	if s.whole {
		return s.appendListHead(nil, s.listMeta, object.ListMeta{ResourceVersion: s.list.Version().String()})
	}
	return append(appendListType(nil, s.listMeta), `,"items":[`...)
}

// tail is the list behind its items.
func (s *listStream) tail() []byte {
	if s.whole {
		return []byte("]}\n")
	}
	return append(s.appendListMeta([]byte{']'}, s.listMeta, listMetaOf(s.list)), "}\n"...)
}
