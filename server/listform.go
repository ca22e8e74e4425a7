package server

import (
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// listEncoder puts a list together in whatever form, item by item. The metadata of
// a list is known when its last item is.
type listEncoder struct {
	*served
	form     form
	now      time.Time
	items    []byte   // of JSON, with commas between them
	messages [][]byte // of protobuf
}

// add takes in the next item.
func (l *listEncoder) add(e *object.Encoded) (err error) {
	if l.form.media == mediaProtobuf {
		message, err := l.message(l.form, e)
		l.messages = append(l.messages, message)
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

// finish gives the document.
func (l *listEncoder) finish(m object.ListMeta) []byte {
	t := l.listMeta
	if l.form.as == asPartialList {
		t = l.form.partialListType()
	}
	if l.form.media == mediaProtobuf {
		return appendListEnvelope(nil, t, m, l.messages)
	}
	out := make([]byte, 0, len(l.items)+256)
	if l.form.as == asTable {
		out = l.appendTableHead(out, l.form, m)
	} else {
		out = appendListHead(out, t, m)
	}
	out = append(out, l.items...)
	return l.form.finish(append(out, "]}"...))
}

// appendListHead appends a list up to its items.
func appendListHead(dst []byte, t object.TypeMeta, m object.ListMeta) []byte {
	dst = append(dst, `{"kind":`...)
	dst = object.AppendJSON(dst, t.Kind)
	dst = append(dst, `,"apiVersion":`...)
	dst = object.AppendJSON(dst, t.APIVersion)
	dst = append(dst, `,"metadata":`...)
	dst = appendListMetaJSON(dst, m)
	return append(dst, `,"items":[`...)
}

// encodeList reads a list to its end and gives it in the form of the exchange, and
// the keys of what it holds.
func (x *exchange) encodeList(list *storage.List) (body []byte, keys []object.Key, err error) {
	f, err := x.form.withTableOptions(x.r.URL.Query())
	if err != nil {
		return nil, nil, err
	}
	l := &listEncoder{served: x.served, form: f, now: time.Now()}
	for !list.Done() {
		var itemErr error
		err := list.Visit(func(key object.Key, e *object.Encoded) bool {
			keys = append(keys, key)
			itemErr = l.add(e)
			return itemErr == nil
		})
		if err == nil {
			err = itemErr
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return l.finish(listMetaOf(list)), keys, nil
}
