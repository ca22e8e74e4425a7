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
	buf   []byte
	items int
	out   io.Writer    // where chunks go; nil until the first one does
	zip   *gzip.Writer // what out is, if the answer is compressed
}

func (x *exchange) streamList(list *storage.List, whole bool) error {
	s := &listStream{exchange: x, list: list, whole: whole, buf: x.buffers.get()}
	s.batch = batch{served: x.served, add: s.add}
	if whole {
		s.buf = x.appendListHead(s.buf, x.listMeta, object.ListMeta{ResourceVersion: list.Version().String()})
	} else {
		s.buf = append(appendListType(s.buf, x.listMeta), `,"items":[`...)
	}
	defer func() { x.buffers.put(s.buf) }()
	return s.run()
}

func (s *listStream) run() error {
	for {
		if err := s.fill(); err != nil {
			if s.out != nil {
				panic(http.ErrAbortHandler) // half a list must not look like a whole one
			}
			return err
		}
		if s.list.Done() {
			s.finish()
			return nil
		}
		if s.out == nil {
			defer s.begin()()
		}
		if _, err := s.out.Write(s.buf); err != nil {
			return nil // nobody is there to be told
		}
		s.buf = s.buf[:0]
	}
}

// fill reads until the buffer holds a chunk or the list is at its end.
func (s *listStream) fill() error {
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
	return err
}

func (s *listStream) add(e *object.Encoded) error {
	if s.items > 0 {
		s.buf = append(s.buf, ',')
	}
	s.items++
	s.buf = e.AppendJSON(s.buf, s.itemType())
	return nil
}

// begin sends the head of an answer that comes in chunks. A client that does not
// read them loses its connection soon after the time of the request is over. The
// caller calls the result at the end.
func (s *listStream) begin() (end func()) {
	h := s.w.Header()
	s.asides.writeTo(h)
	h.Set("Content-Type", typeJSON)
	h.Set("Cache-Control", "no-cache, private")
	s.out = s.w
	if acceptsGzip(s.r) {
		markCompressed(h)
		s.zip = newCompressor(s.w)
		s.out = s.zip
	}
	s.w.WriteHeader(http.StatusOK)

	deadline, ok := s.r.Context().Deadline()
	if !ok {
		return func() {}
	}
	// Where deadlines are not supported, nobody is on the other end of a wire.
	connection := http.NewResponseController(s.w)
	_ = connection.SetWriteDeadline(deadline.Add(lastWrites))
	return func() { _ = connection.SetWriteDeadline(time.Time{}) }
}

// finish sends the end of the list, or all of it.
func (s *listStream) finish() {
	s.buf = append(s.buf, ']')
	if !s.whole {
		s.buf = s.appendListMeta(s.buf, s.listMeta, listMetaOf(s.list))
	}
	s.buf = append(s.buf, "}\n"...)
	if s.out == nil {
		s.send(http.StatusOK, s.form, s.buf)
		return
	}
	_, _ = s.out.Write(s.buf) // a client that is gone needs no answer
	if s.zip != nil {
		closeCompressor(s.zip)
	}
}
