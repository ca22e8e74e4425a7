package server

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// shapeOf says in a few letters what a schema makes of documents that are read: two
// schemas with the same shape prune and default alike, whatever else they differ in.
// keep is for versions that keep unknown fields everywhere.
func shapeOf(s *schema.Schema, keep bool) string {
	h := sha256.New()
	if keep {
		_, _ = io.WriteString(h, "keep")
	}
	writeShape(h, s)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// writeShape writes a node and those below. Each begins with a letter and ends with
// a bracket, and names are quoted, so that no two trees are written alike.
func writeShape(h hash.Hash, s *schema.Schema) {
	if s == nil {
		_, _ = io.WriteString(h, "-")
		return
	}
	text := []byte("(")
	for _, is := range []struct {
		letter byte
		on     bool
	}{
		{'u', s.PreserveUnknownFields}, {'e', s.EmbeddedResource}, {'n', s.Nullable},
		{'a', s.AdditionalProperties != nil && s.AdditionalProperties.Allows},
	} {
		if is.on {
			text = append(text, is.letter)
		}
	}
	if s.Default != nil {
		text = append(text, 'd')
		text = object.AppendJSON(text, s.Default)
	}
	_, _ = h.Write(text)
	for _, p := range s.Properties {
		_, _ = h.Write(object.AppendJSON(nil, p.Name))
		writeShape(h, p.Schema)
	}
	writeShape(h, s.Items)
	writeShape(h, s.Additional())
	_, _ = io.WriteString(h, ")")
}
