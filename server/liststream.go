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

// listStream sends a list whose items need no second look: they are always the same for what
// is stored. A list that fits into one chunk goes with its length; of a longer one no
// more than a chunk is ever held, and the metadata of a page comes behind its items: what
// follows the page is known only then. (A message in protobuf says in front how long it is;
// see sendMessage.)
type listStream struct {
	*exchange
	list   *storage.List
	whole  bool // the list has no further pages
	gzip   bool // the client takes it
	commas bool // stand in front of items
	batch  batch
	buf    []byte      // items that were read
	out    *listOutput // where pieces go; nil until the first one does
}

// canStream says whether the form of the exchange is one for a listStream.
func (x *exchange) canStream() bool {
	return x.stored && x.form.as != asTable && !x.form.pretty && x.form.media != mediaYAML
}

func (x *exchange) streamList(list *storage.List, whole bool) error {
	s := &listStream{exchange: x, list: list, whole: whole, gzip: acceptsGzip(x.r), buf: x.buffers.get()}
	s.commas = x.form.media != mediaProtobuf
	s.batch = batch{served: x.served, add: s.add}
	defer func() { x.buffers.put(s.buf) }()
	if !s.commas {
		return s.sendMessage()
	}
	return s.sendDocument()
}

// sendDocument sends the list in JSON.
func (s *listStream) sendDocument() error {
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
			l := listEncoder{served: s.served, form: s.form, items: withoutComma(p.plain, s.commas)}
			s.send(http.StatusOK, s.form, l.appendHead(nil, listMetaOf(s.list)), l.items, []byte(l.tail()+"\n"))
			return nil
		}
		if s.out == nil {
			defer s.begin(s.head())()
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

// sendMessage sends the list in protobuf. All of it is read first, since a message says in
// front how long it is.
func (s *listStream) sendMessage() error {
	var all []piece
	size := 0
	for !s.list.Done() {
		p, err := s.next()
		if err != nil {
			return err
		}
		all, size = append(all, p), size+p.size()
		if p.zip.size == 0 { // it may stand in the buffer
			defer s.buffers.put(s.buf)
			s.buf = s.buffers.get()
		}
	}
	head, tail := appendListEnvelopeHead(nil, s.listType(s.form), listMetaOf(s.list), size), appendEnvelopeTail(nil)
	if !s.gzip || len(all) == 1 && all[0].zip.size == 0 {
		body := [][]byte{head}
		for _, p := range all {
			body = append(body, p.plain)
		}
		s.send(http.StatusOK, s.form, append(body, tail)...)
		return nil
	}
	defer s.begin(head)()
	for _, p := range all {
		if err := s.out.add(p); err != nil {
			return nil // nobody is there to be told
		}
	}
	_ = s.out.end(tail) // a client that is gone needs none
	return nil
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
			return piece{zip: compressPart(withoutComma(items, s.commas))}, !s.batch.loaded, err
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

func (s *listStream) add(e *object.Encoded) (err error) {
	switch {
	case s.form.media == mediaProtobuf:
		s.buf, err = s.appendObjectMessage(s.buf, 2, s.form, e)
	case s.form.as == asPartialList:
		s.buf = appendPartial(append(s.buf, ','), s.form, e)
	default:
		s.buf = e.AppendJSON(append(s.buf, ','), s.itemType())
	}
	return err
}

// begin sends the head of an answer that comes in pieces. A client that does not
// read them loses its connection soon after the time of the request is over. The
// caller calls the result at the end.
func (s *listStream) begin(head []byte) (end func()) {
	h := s.w.Header()
	s.asides.writeTo(h)
	h.Set("Content-Type", s.form.media.String())
	s.out = &listOutput{w: s.w, commas: s.commas}
	if s.gzip {
		markCompressed(h)
		s.out.zip = &gzipStream{w: s.w}
	}
	s.w.WriteHeader(http.StatusOK)
	_ = s.out.begin(head) // the items tell whether anybody is there

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
		return s.appendListHead(nil, s.listType(s.form), object.ListMeta{ResourceVersion: s.list.Version().String()})
	}
	return append(appendListType(nil, s.listType(s.form)), `,"items":[`...)
}

// tail is the list behind its items.
func (s *listStream) tail() []byte {
	if s.whole {
		return []byte("]}\n")
	}
	return append(s.appendListMeta([]byte{']'}, s.listType(s.form), listMetaOf(s.list)), "}\n"...)
}
