package builtin

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// cutVarint cuts a number off a message.
func cutVarint(data []byte) (n uint64, after []byte, ok bool) {
	if len(data) > 0 && data[0] < 0x80 {
		return uint64(data[0]), data[1:], true
	}
	n, size := protowire.ConsumeVarint(data)
	if size < 0 {
		return 0, nil, false
	}
	return n, data[size:], true
}

// cutBytes cuts off bytes with their length in front.
func cutBytes(data []byte) (content, after []byte, ok bool) {
	size, data, ok := cutVarint(data)
	if !ok || size > math.MaxInt32 || int(size) > len(data) {
		return nil, nil, false
	}
	return data[:size], data[size:], true
}

// cutField cuts off a field of bytes, if it comes next, and cutNumber one of a number.
func cutField(tag uint64, data []byte) (content, after []byte, ok bool) {
	next, data, ok := cutVarint(data)
	if !ok || next != tag {
		return nil, nil, false
	}
	return cutBytes(data)
}

func cutNumber(tag uint64, data []byte) (n uint64, after []byte, ok bool) {
	next, data, ok := cutVarint(data)
	if !ok || next != tag {
		return 0, nil, false
	}
	return cutVarint(data)
}
