package server

import (
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/watch"
)

// frameEncoder makes the frames of one watch. An event is encoded once for all
// watches of the same resource in the same form.
type frameEncoder struct {
	*served
	form   form // a Table is headless behind its first frame
	loaded bool // an object had to be brought into the form of the version
}

// frameKey says all that the bytes of a frame depend on beside the event.
type frameKey struct {
	*served
	form
}

// initialEventsEnd is the annotation of the bookmark behind the initial events.
const initialEventsEnd = "k8s.io/initial-events-end"

// appendShared appends the frame of an event that other watches get too.
func (f *frameEncoder) appendShared(dst []byte, e watch.Event) ([]byte, error) {
	frame, err := e.Encoding(frameKey{f.served, f.form}, func(e object.Event) ([]byte, error) {
		return f.append(nil, e)
	})
	f.form.headless = f.form.as == asTable
	return append(dst, frame...), err
}

// append appends the frame of an event.
func (f *frameEncoder) append(dst []byte, e object.Event) (_ []byte, err error) {
	stored := e.Object
	if e.Object, err = f.current(stored); err != nil {
		return dst, err
	}
	f.loaded = f.loaded || e.Object != stored
	switch {
	case f.form.media == mediaProtobuf:
		document, err := f.appendProtobuf(nil, f.form, e.Object)
		if err != nil {
			return dst, err
		}
		return appendWatchFrame(dst, e.Type, document), nil
	case f.form.as == asTable:
		defer func() { f.form.headless = true }()
	}
	out, err := f.appendDocument(appendFrameHead(dst, e.Type), f.form, e.Object)
	if err != nil {
		return dst, err
	}
	return append(out, "}\n"...), nil
}

func appendFrameHead(dst []byte, t object.EventType) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, t...)
	return append(dst, `","object":`...)
}

// appendBookmark appends the frame that says that nothing up to the version is
// still to come; end says that the initial events are complete, too.
func (f *frameEncoder) appendBookmark(dst []byte, version object.ResourceVersion, end bool) ([]byte, error) {
	o, err := f.emptyObject()
	if err != nil {
		return dst, err
	}
	o.SetResourceVersion(version.String())
	if end {
		o.SetAnnotations(map[string]string{initialEventsEnd: "true"})
	}
	if f.form.media == mediaProtobuf {
		document, err := f.appendProtobufOf(o)
		return appendWatchFrame(dst, object.Bookmark, document), err
	}
	dst = appendFrameHead(dst, object.Bookmark)
	switch f.form.as {
	case asTable:
		dst = f.appendTableOf(dst, f.form, o, time.Now())
		f.form.headless = true
	case asPartial:
		dst = appendPartialOf(dst, f.form, o)
	default:
		dst = object.AppendJSON(dst, o)
	}
	return append(dst, "}\n"...), nil
}

// emptyObject is the object of a bookmark: the zero value of its Go type, if it has one.
func (f *frameEncoder) emptyObject() (object.Object, error) {
	o := object.Object{}
	if codec := f.version.Codec; codec != nil {
		var err error
		if o, _, err = codec.DecodeJSON([]byte("{}")); err != nil {
			return nil, err
		}
	}
	o.SetType(f.typeMeta)
	return o, nil
}

// appendProtobufOf gives the protobuf document of an object that is not stored.
func (f *frameEncoder) appendProtobufOf(o object.Object) ([]byte, error) {
	if f.form.as == asPartial {
		return appendEnvelope(nil, f.form.partialType(), appendPartialMessage(nil, object.AppendJSON(nil, o.Metadata()), "")), nil
	}
	message, err := f.version.Codec.AppendProtobuf(nil, object.AppendJSON(nil, o))
	return appendEnvelope(nil, f.typeMeta, message), err
}

// appendStatus appends the frame that ends a watch that failed.
func (f *frameEncoder) appendStatus(dst []byte, status object.Status) []byte {
	if f.form.media == mediaProtobuf {
		return appendWatchFrame(dst, object.Failed, appendStatusProtobuf(nil, &status))
	}
	dst = append(appendFrameHead(dst, object.Failed), statusJSON(status)...)
	return append(dst, "}\n"...)
}
