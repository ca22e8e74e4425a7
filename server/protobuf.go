package server

import (
	"encoding/binary"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// envelopePrefix is what every document in protobuf begins with. Behind it is the
// envelope: its type, the message of the kind, and two fields that stay empty.
const envelopePrefix = "k8s\x00"

// appendEnvelope appends a document whose message is raw.
func appendEnvelope(dst []byte, t object.TypeMeta, raw []byte) []byte {
	dst = appendEnvelopeHead(dst, t, len(raw))
	dst = append(dst, raw...)
	return appendEnvelopeTail(dst)
}

// appendEnvelopeHead appends all that comes before a message of size bytes.
func appendEnvelopeHead(dst []byte, t object.TypeMeta, size int) []byte {
	return appendMessageHead(appendEnvelopeType(dst, t), 2, size)
}

// appendEnvelopeType appends all that comes before the field of the message.
func appendEnvelopeType(dst []byte, t object.TypeMeta) []byte {
	dst = append(dst, envelopePrefix...)
	dst = appendMessageHead(dst, 1, sizeString(t.APIVersion)+sizeString(t.Kind))
	dst = appendStringField(dst, 1, t.APIVersion)
	return appendStringField(dst, 2, t.Kind)
}

func appendEnvelopeTail(dst []byte) []byte {
	dst = appendStringField(dst, 3, "")
	return appendStringField(dst, 4, "")
}

// decodeEnvelope takes a document apart. raw points into data.
func decodeEnvelope(data []byte) (t object.TypeMeta, raw []byte, err error) {
	switch {
	case len(data) == 0:
		return t, nil, errors.New("empty data")
	case len(data) < len(envelopePrefix) || string(data[:len(envelopePrefix)]) != envelopePrefix:
		return t, nil, fmt.Errorf("provided data does not appear to be a protobuf message, expected prefix %v", []byte(envelopePrefix))
	case len(data) == len(envelopePrefix):
		return t, nil, errors.New("empty body")
	}
	for f, err := range messageFields(data[len(envelopePrefix):]) {
		switch {
		case err != nil:
			return t, nil, err
		case f.number == 1 && f.kind == protowire.BytesType:
			if t, err = decodeTypeMeta(f.bytes); err != nil {
				return t, nil, err
			}
		case f.number == 2 && f.kind == protowire.BytesType:
			raw = f.bytes
		}
	}
	return t, raw, nil
}

func decodeTypeMeta(data []byte) (t object.TypeMeta, err error) {
	for f, err := range messageFields(data) {
		switch {
		case err != nil:
			return t, err
		case f.number == 1 && f.kind == protowire.BytesType:
			t.APIVersion = string(f.bytes)
		case f.number == 2 && f.kind == protowire.BytesType:
			t.Kind = string(f.bytes)
		}
	}
	return t, nil
}

// appendListEnvelopeHead appends all that comes before the items of a list, which are size
// bytes: each is the second field of the list, without an envelope of its own.
func appendListEnvelopeHead(dst []byte, t object.TypeMeta, m object.ListMeta, size int) []byte {
	metaSize := sizeListMeta(m)
	dst = appendEnvelopeHead(dst, t, sizeMessage(metaSize)+size)
	dst = appendMessageHead(dst, 1, metaSize)
	return appendListMeta(dst, m)
}

func sizeListMeta(m object.ListMeta) int {
	size := sizeString(m.SelfLink) + sizeString(m.ResourceVersion) + sizeString(m.Continue)
	if m.RemainingItemCount != nil {
		size += 1 + protowire.SizeVarint(uint64(*m.RemainingItemCount))
	}
	return size
}

func appendListMeta(dst []byte, m object.ListMeta) []byte {
	dst = appendStringField(dst, 1, m.SelfLink)
	dst = appendStringField(dst, 2, m.ResourceVersion)
	dst = appendStringField(dst, 3, m.Continue)
	if m.RemainingItemCount != nil {
		dst = appendIntField(dst, 4, *m.RemainingItemCount)
	}
	return dst
}

// appendWatchFrame appends one frame of a watch: four bytes of length, then the
// event. document is the whole document of the object, envelope included.
func appendWatchFrame(dst []byte, event object.EventType, document []byte) []byte {
	inner := sizeMessage(len(document))
	size := sizeString(string(event)) + sizeMessage(inner)
	dst = binary.BigEndian.AppendUint32(dst, uint32(size))
	dst = appendStringField(dst, 1, string(event))
	dst = appendMessageHead(dst, 2, inner)
	dst = appendMessageHead(dst, 1, len(document))
	return append(dst, document...)
}
