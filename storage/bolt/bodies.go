package bolt

import (
	"encoding/binary"

	"go.etcd.io/bbolt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// bodies reads bodies from the log, best in growing order of their versions.
type bodies struct {
	cursor *bbolt.Cursor
	at     object.ResourceVersion // where the cursor stands; 0 if nowhere
	entry  []byte                 // the entry there
}

// maxLogSteps is how many entries of the log are stepped over before the cursor
// seeks, which costs about ten times as much as a step.
const maxLogSteps = 8

// read finds the body that a version wrote; it is valid during the transaction.
func (b *bodies) read(version object.ResourceVersion) ([]byte, error) {
	for range maxLogSteps {
		if b.at == 0 || b.at >= version {
			break
		}
		b.stand(b.cursor.Next())
	}
	if b.at != version {
		b.stand(b.cursor.Seek(versionKey(version)))
	}
	if b.at != version {
		return nil, errDamaged
	}
	e, err := parseLogEntry(b.entry)
	return e.body, err
}

// stand takes note of what the cursor found.
func (b *bodies) stand(key, entry []byte) {
	b.at, b.entry = 0, entry
	if len(key) == 8 {
		b.at = object.ResourceVersion(binary.BigEndian.Uint64(key))
	}
}
