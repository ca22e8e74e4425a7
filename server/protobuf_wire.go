package server

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// The encoders below write what the API's own encoders write, byte for byte: fields
// in the order of their numbers, those that are no pointers in Go even if empty,
// maps sorted. All field numbers are below 16, so that a tag is one byte, but for
// managedFields, whose tag has two.

func appendStringField(dst []byte, field protowire.Number, s string) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendString(dst, s)
}

func appendIntField(dst []byte, field protowire.Number, n int64) []byte {
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, uint64(n))
}

func appendDoubleField(dst []byte, field protowire.Number, f float64) []byte {
	dst = protowire.AppendTag(dst, field, protowire.Fixed64Type)
	return protowire.AppendFixed64(dst, math.Float64bits(f))
}

func appendBoolField(dst []byte, field protowire.Number, b bool) []byte {
	dst = protowire.AppendTag(dst, field, protowire.VarintType)
	return protowire.AppendVarint(dst, protowire.EncodeBool(b))
}

// appendMessageHead appends tag and length of a message of size bytes, which the
// caller appends next.
func appendMessageHead(dst []byte, field protowire.Number, size int) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	return protowire.AppendVarint(dst, uint64(size))
}

// sizeString and sizeMessage give the size of such a field with its tag and length.
func sizeString(s string) int  { return 1 + protowire.SizeBytes(len(s)) }
func sizeMessage(size int) int { return 1 + protowire.SizeBytes(size) }

// appendMessage appends a message whose size is known only when it is written.
func appendMessage(dst []byte, field protowire.Number, body func(dst []byte) []byte) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	start := len(dst)
	dst = body(append(dst, 0)) // room for the length of a short one
	size := len(dst) - start - 1
	if room := protowire.SizeVarint(uint64(size)); room > 1 {
		dst = append(dst, make([]byte, room-1)...)
		copy(dst[start+room:], dst[start+1:start+1+size])
	}
	protowire.AppendVarint(dst[:start], uint64(size))
	return dst
}

// wireField is one field of a message, with its value in the member for its kind.
type wireField struct {
	number protowire.Number
	kind   protowire.Type
	bytes  []byte
	varint uint64
}

// messageFields yields the fields of a message as they come; those of the kinds that the
// API doesn't use have no value. It stops at the first error.
func messageFields(data []byte) iter.Seq2[wireField, error] {
	return func(yield func(wireField, error) bool) {
		for len(data) > 0 {
			var f wireField
			n, field := 0, data
			f.number, f.kind, n = protowire.ConsumeTag(data)
			if n < 0 {
				yield(f, errField(field))
				return
			}
			data = data[n:]
			switch f.kind {
			case protowire.BytesType:
				f.bytes, n = protowire.ConsumeBytes(data)
			case protowire.VarintType:
				f.varint, n = protowire.ConsumeVarint(data)
			default:
				n = protowire.ConsumeFieldValue(f.number, f.kind, data)
			}
			if n < 0 {
				yield(f, errField(field))
				return
			}
			data = data[n:]
			if !yield(f, nil) {
				return
			}
		}
	}
}

// errField says what is wrong with the field that a message goes on with, in the words of the
// API: those of the library differ from build to build.
func errField(data []byte) error {
	tag, n := protowire.ConsumeVarint(data)
	number, kind := int32(tag>>3), protowire.Type(tag&7)
	switch {
	case n < 0:
	case kind == protowire.EndGroupType:
		return errors.New("proto: Unknown: wiretype end group for non-group")
	case number <= 0:
		return fmt.Errorf("proto: Unknown: illegal tag %d (wire type %d)", number, kind)
	case kind > protowire.Fixed32Type:
		return fmt.Errorf("proto: illegal wireType %d", kind)
	}
	return io.ErrUnexpectedEOF
}
