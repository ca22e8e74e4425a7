package server

import (
	"math"
	"net/http"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// negotiateCollection chooses the form of an answer that is a list or a watch.
func (x *exchange) negotiateCollection() (err error) {
	x.form, err = x.negotiator.form(x.r, x.offer|offerWatch)
	return err
}

func (x *exchange) serveListOrWatch() error {
	if x.info.verb == "watch" && x.serves("watch") {
		return x.serveWatch()
	}
	list, whole, err := x.beginList()
	if err != nil {
		return err
	}
	if whole && x.form == (form{}) && x.stored && !compressible(x.r, math.MaxInt) {
		return x.streamList(list)
	}
	return x.respondList(list)
}

// beginList checks a request for a list and opens it. whole says that it has no
// further pages.
func (x *exchange) beginList() (list *storage.List, whole bool, err error) {
	if err := x.negotiateCollection(); err != nil {
		return nil, false, err
	}
	if err := x.form.checkList(x.served); err != nil {
		return nil, false, err
	}
	opts, err := parseListOptions(x.r.URL.Query())
	if err != nil {
		return nil, false, err
	}
	opts.Watch = false
	if err := opts.validate(); err != nil {
		return nil, false, err
	}
	list, err = x.list(x.r.Context(), opts)
	return list, opts.Limit == 0, err
}

// chunkSize is how many bytes of a list are put together before they are sent. No
// read of the store lasts while they are.
const chunkSize = 256 << 10

// streamList sends a list in the form that needs no second look: JSON, all of it.
// A list that fits into one chunk goes with its length; of a longer one no more than a
// chunk is ever held.
func (x *exchange) streamList(list *storage.List) error {
	buf := x.appendListHead(x.buffers.get(), x.listMeta, object.ListMeta{ResourceVersion: list.Version().String()})
	defer func() { x.buffers.put(buf) }()
	started, first := false, true
	b := batch{served: x.served, add: func(e *object.Encoded) error {
		if !first {
			buf = append(buf, ',')
		}
		first = false
		buf = e.AppendJSON(buf, x.itemType())
		return nil
	}}
	ctx := x.r.Context()
	for !list.Done() {
		var itemErr error
		err := list.Visit(func(_ object.Key, e *object.Encoded) bool {
			if itemErr = ctx.Err(); itemErr == nil { // somebody still waits for it
				itemErr = b.next(e)
			}
			return itemErr == nil && len(buf)+b.size < chunkSize
		})
		if err == nil {
			err = itemErr
		}
		if err == nil {
			err = b.flush()
		}
		if err != nil && started {
			panic(http.ErrAbortHandler) // half a list must not look like a whole one
		}
		if err != nil {
			return err
		}
		if list.Done() {
			break
		}
		if !started {
			started = true
			x.startStream()
		}
		if _, err := x.w.Write(buf); err != nil {
			return nil // nobody is there to be told
		}
		buf = buf[:0]
	}
	buf = append(buf, "]}\n"...)
	if !started {
		x.send(http.StatusOK, x.form, buf)
		return nil
	}
	_, _ = x.w.Write(buf)
	return nil
}

func (x *exchange) startStream() {
	h := x.w.Header()
	x.warnings.writeTo(h)
	h.Set("Content-Type", typeJSON)
	h.Set("Cache-Control", "no-cache, private")
	x.w.WriteHeader(http.StatusOK)
}

// itemType is what the items of a list say of their type: nothing, where the
// type of the list says it, as in the lists of Go types.
func (s *served) itemType() object.TypeMeta {
	if s.version.Codec != nil {
		return object.TypeMeta{}
	}
	return s.typeMeta
}
