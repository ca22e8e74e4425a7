package server

import "github.com/seed-6c0fa0ad/plinth/object"

// appendStatusProtobuf appends the document of a Status.
func appendStatusProtobuf(dst []byte, s *object.Status) []byte {
	return appendEnvelope(dst, s.TypeMeta, appendStatusMessage(nil, s))
}

func appendStatusMessage(dst []byte, s *object.Status) []byte {
	dst = appendMessageHead(dst, 1, sizeListMeta(s.Metadata))
	dst = appendListMeta(dst, s.Metadata)
	dst = appendStringField(dst, 2, s.Status)
	dst = appendStringField(dst, 3, s.Message)
	dst = appendStringField(dst, 4, string(s.Reason))
	if s.Details != nil {
		dst = appendMessage(dst, 5, func(dst []byte) []byte { return appendStatusDetails(dst, s.Details) })
	}
	return appendIntField(dst, 6, int64(s.Code))
}

func appendStatusDetails(dst []byte, d *object.StatusDetails) []byte {
	dst = appendStringField(dst, 1, d.Name)
	dst = appendStringField(dst, 2, d.Group)
	dst = appendStringField(dst, 3, d.Kind)
	for _, c := range d.Causes {
		dst = appendMessageHead(dst, 4, sizeString(c.Reason)+sizeString(c.Message)+sizeString(c.Field))
		dst = appendStringField(dst, 1, c.Reason)
		dst = appendStringField(dst, 2, c.Message)
		dst = appendStringField(dst, 3, c.Field)
	}
	dst = appendIntField(dst, 5, int64(d.RetryAfterSeconds))
	return appendStringField(dst, 6, d.UID)
}
