package server

import (
	"net/http"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// listEncoder puts a list together in whatever form, item by item. The metadata of
// a list is known when its last item is.
type listEncoder struct {
	*served
	form  form
	now   time.Time
	items []byte // of JSON, with commas between them; or of protobuf, as they stand in the list
}

// add takes in the next item.
func (l *listEncoder) add(e *object.Encoded) (err error) {
	if l.form.media == mediaProtobuf {
		l.items, err = l.appendObjectMessage(l.items, 2, l.form, e)
		return err
	}
	if len(l.items) > 0 {
		l.items = append(l.items, ',')
	}
	switch l.form.as {
	case asTable:
		l.items, err = l.appendTableRow(l.items, l.form, e, l.now)
	case asPartialList:
		l.items = appendPartial(l.items, l.form, e)
	default:
		l.items, err = l.appendVersion(l.items, e, l.itemType())
	}
	return err
}

// finish appends the document, unless it is protobuf.
func (l *listEncoder) finish(dst []byte, m object.ListMeta) []byte {
	dst = append(l.appendHead(dst, m), l.items...)
	return l.form.finish(append(dst, l.tail()...))
}

// none says that the list is written as one of nothing at all, as the API has it of metadata.
func (l *listEncoder) none() bool { return len(l.items) == 0 && l.form.as == asPartialList }

// tail is the document behind its items.
func (l *listEncoder) tail() string {
	if l.none() {
		return "null}"
	}
	return "]}"
}

// appendHead appends the document up to its items.
func (l *listEncoder) appendHead(dst []byte, m object.ListMeta) []byte {
	if l.form.as == asTable {
		return l.appendTableHead(dst, l.form, m)
	}
	dst = l.appendListHead(dst, l.listType(), m)
	if l.none() {
		return dst[:len(dst)-len("[")]
	}
	return dst
}

func (l *listEncoder) listType() object.TypeMeta { return l.served.listType(l.form) }

// listType is the type of a list in the form, unless that is a Table.
func (s *served) listType(f form) object.TypeMeta {
	if f.as == asPartialList {
		return f.partialListType()
	}
	return s.listMeta
}

// appendListHead appends a list of the type up to its items.
func (s *served) appendListHead(dst []byte, t object.TypeMeta, m object.ListMeta) []byte {
	dst = appendListType(dst, t)
	dst = s.appendListMeta(dst, t, m)
	return append(dst, `,"items":[`...)
}

// appendListType appends a list up to the first member behind its type.
func appendListType(dst []byte, t object.TypeMeta) []byte {
	dst = append(dst, `{"kind":`...)
	dst = object.AppendJSON(dst, t.Kind)
	dst = append(dst, `,"apiVersion":`...)
	return object.AppendJSON(dst, t.APIVersion)
}

// appendListMeta appends the metadata of a list as its next member.
func (s *served) appendListMeta(dst []byte, t object.TypeMeta, m object.ListMeta) []byte {
	dst = append(dst, `,"metadata":`...)
	// Lists of free JSON say that nothing follows, other lists just don't say that something does.
	return appendListMetaJSON(dst, m, s.version.Codec == nil && t == s.listMeta)
}

// respondList reads a list to its end and sends it in the form of the exchange.
func (x *exchange) respondList(list *storage.List) error {
	l, err := x.readList(list, func(object.Key) {})
	if err != nil {
		return err
	}
	x.sendList(l, listMetaOf(list))
	return nil
}

// readList reads a list to its end and shows the keys of what it holds.
func (x *exchange) readList(list *storage.List, show func(object.Key)) (*listEncoder, error) {
	f, err := x.form.withTableOptions(x.r.URL.Query())
	if err != nil {
		return nil, err
	}
	l := &listEncoder{served: x.served, form: f, now: time.Now(), items: x.buffers.get()}
	b := batch{served: x.served, add: l.add}
	ctx := x.r.Context()
	err = list.Each(func(key object.Key, e *object.Encoded) error {
		show(key)
		if err := ctx.Err(); err != nil {
			return err // nobody waits for it any more
		}
		return b.next(e)
	})
	if err != nil {
		return nil, err
	}
	return l, b.flush()
}

// sendList sends what was read and gives its buffers back. Protobuf and plain JSON go in
// pieces, so that the items are not copied once more.
func (x *exchange) sendList(l *listEncoder, m object.ListMeta) {
	buf := x.buffers.get()
	switch {
	case l.form.media == mediaProtobuf:
		buf = appendListEnvelopeHead(buf, l.listType(), m, len(l.items))
		x.send(http.StatusOK, l.form, buf, l.items, appendEnvelopeTail(nil))
	case l.form.media == mediaJSON && !l.form.pretty:
		buf = l.appendHead(buf, m)
		x.send(http.StatusOK, l.form, buf, l.items, []byte(l.tail()+"\n"))
	default:
		buf = l.finish(buf, m)
		x.send(http.StatusOK, l.form, buf)
	}
	x.buffers.put(l.items)
	x.buffers.put(buf)
}
