package server

import (
	"time"

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
	message, err := s.message(f, e)
	if err != nil {
		return dst, err
	}
	if f.as == asPartial {
		return appendEnvelope(dst, f.partialType(), message), nil
	}
	return appendEnvelope(dst, s.typeMeta, message), nil
}

// message gives the protobuf message of an object, without envelope.
func (s *served) message(f form, e *object.Encoded) ([]byte, error) {
	if f.as != asIs {
		return appendPartialProtobuf(nil, e)
	}
	data, err := s.appendVersion(nil, e, s.typeMeta)
	if err != nil {
		return nil, err
	}
	return s.version.Codec.AppendProtobuf(nil, data)
}

// finish makes the final document of one in JSON: in YAML, or ended and perhaps indented.
func (f form) finish(data []byte) []byte {
	if f.media == mediaYAML {
		return mustYAML(data)
	}
	return finishJSON(data, f)
}
