package bolt

import (
	"encoding/binary"
	"errors"
	"math"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

var (
	logBucket    = []byte("log")
	indexBucket  = []byte("index")
	expiryBucket = []byte("expiry")
	metaBucket   = []byte("meta")

	formatKey    = []byte("format")
	compactedKey = []byte("compacted")
)

// format names this layout, in the meta bucket.
const format = "plinth-objects/1"

// errDamaged says that a record of the file makes no sense.
var errDamaged = errors.New("a record is damaged")

// Keys of the index are the key, a zero byte, and the bits of the version
// inverted, so that the newest version of a key comes first.

const indexSuffix = 1 + 8

func appendIndexKey(dst []byte, key string, version object.ResourceVersion) []byte {
	dst = append(dst, key...)
	dst = append(dst, 0)
	return binary.BigEndian.AppendUint64(dst, math.MaxUint64-uint64(version))
}

// cutIndexKey takes a key of the index apart.
func cutIndexKey(k []byte) (key []byte, version object.ResourceVersion, err error) {
	n := len(k) - indexSuffix
	if n <= 0 || k[n] != 0 {
		return nil, 0, errDamaged
	}
	return k[:n], object.ResourceVersion(math.MaxUint64 - binary.BigEndian.Uint64(k[n+1:])), nil
}

// indexEntry is a value of the index: a byte of flags, the time of expiry in
// nanoseconds if there is one, and the head.
type indexEntry struct {
	deleted bool
	expires int64 // Unix nanoseconds, 0 for never
	head    []byte
}

const (
	flagDeleted = 1 << iota
	flagExpires
)

func (e indexEntry) append(dst []byte) []byte {
	switch {
	case e.deleted:
		return append(dst, flagDeleted)
	case e.expires != 0:
		dst = append(dst, flagExpires)
		dst = binary.BigEndian.AppendUint64(dst, uint64(e.expires))
	default:
		dst = append(dst, 0)
	}
	return append(dst, e.head...)
}

func parseIndexEntry(v []byte) (e indexEntry, err error) {
	if len(v) == 0 {
		return e, errDamaged
	}
	flags, rest := v[0], v[1:]
	if flags&flagExpires != 0 {
		if len(rest) < 8 {
			return e, errDamaged
		}
		e.expires, rest = int64(binary.BigEndian.Uint64(rest)), rest[8:]
	}
	e.deleted, e.head = flags&flagDeleted != 0, rest
	return e, nil
}

// logEntry is a value of the log: the version that the key had before (0 if it
// was absent), a byte of flags, the key with its length, and the body. The key
// of a log entry is its version.
type logEntry struct {
	prev    object.ResourceVersion
	deleted bool
	key     []byte
	body    []byte
}

func appendLogEntry(dst []byte, prev object.ResourceVersion, deleted bool, key string, body []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(prev))
	if deleted {
		dst = append(dst, flagDeleted)
	} else {
		dst = append(dst, 0)
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(key)))
	dst = append(dst, key...)
	return append(dst, body...)
}

const logHeader = 8 + 1 + 2

func parseLogEntry(v []byte) (e logEntry, err error) {
	if len(v) < logHeader {
		return e, errDamaged
	}
	n := int(binary.BigEndian.Uint16(v[9:])) + logHeader
	if n == logHeader || n > len(v) {
		return e, errDamaged
	}
	return logEntry{
		prev:    object.ResourceVersion(binary.BigEndian.Uint64(v)),
		deleted: v[8]&flagDeleted != 0,
		key:     v[logHeader:n],
		body:    v[n:],
	}, nil
}

func versionKey(v object.ResourceVersion) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(v))
}

func parseVersion(k []byte) (object.ResourceVersion, error) {
	if len(k) != 8 {
		return 0, errDamaged
	}
	return object.ResourceVersion(binary.BigEndian.Uint64(k)), nil
}

// Keys of the expiry bucket are the time and the key; values are versions.

func expiryKey(expires int64, key string) []byte {
	return append(binary.BigEndian.AppendUint64(nil, uint64(expires)), key...)
}

func cutExpiryKey(k []byte) (expires int64, key []byte, err error) {
	if len(k) <= 8 {
		return 0, nil, errDamaged
	}
	return int64(binary.BigEndian.Uint64(k)), k[8:], nil
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}
