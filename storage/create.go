package storage

import (
	crand "crypto/rand"
	"encoding/hex"
	"math/rand/v2"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	// generatedLength and maxNameLength are the API's: a generated name is a prefix and five
	// characters, 63 bytes at most.
	generatedLength = 5
	maxNameLength   = 63

	// nameAlphabet has no vowels, nor characters that look like others, so that
	// no words come about.
	nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"
)

// PrepareCreate gives a new object what the store owns of it: a uid of its own, the
// creation time (to the second), and a name made from generateName if it has no
// name. What only a store may say of an object (its resource version, that it is
// being deleted) is removed. The generation is left to [PrepareGeneration].
func PrepareCreate(o object.Object, now time.Time) {
	m := o.EnsureMetadata()
	for _, name := range []string{"resourceVersion", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"} {
		delete(m, name)
	}
	o.SetUID(NewUID())
	o.SetCreationTimestamp(now)
	if prefix := o.GenerateName(); prefix != "" && o.Name() == "" {
		o.SetName(GenerateName(prefix))
	}
}

// GenerateName makes a name from a prefix, which is cut if it is too long for that.
// The name may be taken: the API tries eight of them before it gives up.
func GenerateName(prefix string) string {
	name := make([]byte, 0, maxNameLength)
	name = append(name, prefix[:min(len(prefix), maxNameLength-generatedLength)]...)
	for range generatedLength {
		name = append(name, nameAlphabet[rand.IntN(len(nameAlphabet))])
	}
	return string(name)
}

// NewUID makes a random UUID (RFC 9562, version 4).
func NewUID() string {
	var id [16]byte
	crand.Read(id[:])
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	text := make([]byte, 0, 36)
	for i, part := range [][]byte{id[:4], id[4:6], id[6:8], id[8:10], id[10:]} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, part)
	}
	return string(text)
}
