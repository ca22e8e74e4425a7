package server

import (
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/storage"
)

// negotiateCollection chooses the form of an answer that is a list or a watch.
func (x *exchange) negotiateCollection() (err error) {
	x.form, err = x.negotiator.form(x.r, x.offer|offerWatch)
	return err
}

func (x *exchange) serveListOrWatch() error {
	switch {
	case x.info.verb == "watch" && !x.serves("watch"):
		return object.MethodNotSupported(x.groupResource(), "watch")
	case x.info.verb == "watch":
		return x.serveWatch()
	}
	list, whole, err := x.beginList()
	if err != nil {
		return err
	}
	if x.canStream() {
		return x.streamList(list, whole)
	}
	return x.respondList(list)
}

// beginList checks a request for a list and opens it. whole says that it has no
// further pages.
func (x *exchange) beginList() (list *storage.List, whole bool, err error) {
	opts, err := x.readListOptions()
	if err != nil {
		return nil, false, err
	}
	if list, err = x.list(x.r.Context(), opts); err != nil {
		return nil, false, err
	}
	return list, opts.Limit == 0, x.form.checkList(x.served)
}

// readListOptions chooses the form of a list or a watch and reads its options.
func (x *exchange) readListOptions() (opts ListOptions, err error) {
	if err := x.negotiateCollection(); err != nil {
		return opts, err
	}
	return parseListOptions(x.r.URL.Query())
}

// itemType is what the items of a list say of their type: nothing, where the
// type of the list says it, as in the lists of Go types.
func (s *served) itemType() object.TypeMeta {
	if s.version.Codec != nil {
		return object.TypeMeta{}
	}
	return s.typeMeta
}
