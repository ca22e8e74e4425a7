package server

import (
	"compress/gzip"
	"io"
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
	batch batch
	buf   []byte       // items that were read, each behind a comma
	begun bool         // items are on their way
	out   io.Writer    // where chunks go; nil until the first one does
	zip   *gzip.Writer // what out is, if the answer is compressed
}

func (x *exchange) streamList(list *storage.List, whole bool) error {
	s := &listStream{exchange: x, list: list, whole: whole, buf: x.buffers.get()}
	s.batch = batch{served: x.served, add: s.add}
	defer func() { x.buffers.put(s.buf) }()
	return s.run()
}

func (s *listStream) run() error {
	for {
		items, err := s.next()
		if err != nil {
			if s.out != nil {
				panic(http.ErrAbortHandler) // half a list must not look like a whole one
			}
			return err
		}
		if !s.begun && len(items) > 0 {
			items, s.begun = items[1:], true
		}
		if s.list.Done() {
			s.finish(items)
			return nil
		}
		if s.out == nil {
			defer s.begin()()
		}
		if _, err := s.out.Write(items); err != nil {
			return nil // nobody is there to be told
		}
	}
}

// next gives the items that come next: those that another list sent from here, or
// else what the store has.
func (s *listStream) next() (items []byte, err error) {
	at, shared := s.list.Position()
	if !shared {
		return s.read()
	}
	known, asked := s.pieces.find(at)
	if known != nil {
		return known.items, s.list.Skip(known.end)
	}
	if items, err = s.read(); err != nil || !asked || s.batch.loaded {
		return items, err
	}
	if end, ok := s.list.Position(); ok {
		s.pieces.keep(at, end, items)
	}
	return items, nil
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

// begin sends the head of an answer that comes in chunks. A client that does not
// read them loses its connection soon after the time of the request is over. The
// caller calls the result at the end.
func (s *listStream) begin() (end func()) {
	h := s.w.Header()
	s.asides.writeTo(h)
	h.Set("Content-Type", typeJSON)
	s.out = s.w
	if acceptsGzip(s.r) {
		markCompressed(h)
		s.zip = newCompressor(s.w)
		s.out = s.zip
	}
	s.w.WriteHeader(http.StatusOK)
	_, _ = s.out.Write(s.head()) // the items tell whether anybody is there

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

// finish sends the end of the list, or all of it.
func (s *listStream) finish(items []byte) {
	if s.out == nil {
		s.send(http.StatusOK, s.form, s.head(), items, s.tail())
		return
	}
	_, _ = s.out.Write(items) // a client that is gone needs no answer
	_, _ = s.out.Write(s.tail())
	if s.zip != nil {
		closeCompressor(s.zip)
	}
}
