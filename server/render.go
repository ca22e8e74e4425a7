package server

import (
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// appendObject appends a stored object as a whole document in the form.
func (s *served) appendObject(dst []byte, f form, e *object.Encoded) ([]byte, error) {
	switch {
	case f == form{} && s.stored:
		return append(e.AppendJSON(dst, s.typeMeta), '\n'), nil
	case f.media == mediaProtobuf:
		return s.appendProtobuf(dst, f, e)
	}
	data, err := s.appendDocument(nil, f, e)
	if err != nil {
		return dst, err
	}
	return append(dst, f.finish(data)...), nil
}

// appendDocument appends an object as JSON in the transform of the form.
func (s *served) appendDocument(dst []byte, f form, e *object.Encoded) ([]byte, error) {
	switch {
	case f.as == asTable:
		return s.appendTable(dst, f, e, time.Now())
	case f.as == asPartial:
		return appendPartial(dst, f, e), nil
	}
	return s.appendVersion(dst, e, s.typeMeta)
}

// appendVersion appends an object as JSON in the version served, with the type given.
func (s *served) appendVersion(dst []byte, e *object.Encoded, t object.TypeMeta) ([]byte, error) {
	if s.stored {
		return e.AppendJSON(dst, t), nil
	}
	o, err := s.fromStored(e)
	if err != nil {
		return dst, err
	}
	if t == (object.TypeMeta{}) {
		delete(o, "kind")
		delete(o, "apiVersion")
	}
	return object.AppendJSON(dst, o), nil
}

// appendProtobuf appends an object as a protobuf document.
func (s *served) appendProtobuf(dst []byte, f form, e *object.Encoded) ([]byte, error) {
	t := s.typeMeta
	if f.as == asPartial {
		t = f.partialType()
	}
	dst, err := s.appendObjectMessage(appendEnvelopeType(dst, t), 2, f, e)
	return appendEnvelopeTail(dst), err
}

// appendObjectMessage appends the protobuf message of an object as a field of another one.
func (s *served) appendObjectMessage(dst []byte, field protowire.Number, f form, e *object.Encoded) (_ []byte, err error) {
	dst = appendMessage(dst, field, func(dst []byte) []byte {
		if f.as != asIs {
			dst = appendPartialProtobuf(dst, e)
		} else {
			dst, err = s.appendKindMessage(dst, e)
		}
		return dst
	})
	return dst, err
}

// appendKindMessage appends the message that the Codec makes of an object. The document it
// is made of stands in the same buffer for a while.
func (s *served) appendKindMessage(dst []byte, e *object.Encoded) ([]byte, error) {
	start := len(dst)
	dst, err := s.appendVersion(dst, e, s.typeMeta)
	if err != nil {
		return dst, err
	}
	all, err := s.version.Codec.AppendProtobuf(dst, dst[start:])
	if err != nil {
		return dst[:start], err
	}
	size := copy(all[start:], all[len(dst):])
	return all[:start+size], nil
}

// finish makes the final document of one in JSON: in YAML, or ended and perhaps indented.
func (f form) finish(data []byte) []byte {
	if f.media == mediaYAML {
		return mustYAML(data)
	}
	return finishJSON(data, f)
}
