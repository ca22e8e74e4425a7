package server

import (
	"fmt"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// storedPrefix is what every stored document begins with; at least one field follows.
const storedPrefix = `{"metadata":{`

// metaKind is the type of a document that the transform makes, of one object or of a list.
func (f form) metaKind(kind string) object.TypeMeta {
	return object.TypeMeta{Kind: kind, APIVersion: f.apiVersion()}
}

// partialType is the type of one object's metadata; partialListType that of a list of them.
func (f form) partialType() object.TypeMeta     { return f.metaKind("PartialObjectMetadata") }
func (f form) partialListType() object.TypeMeta { return f.metaKind("PartialObjectMetadataList") }

// appendPartial appends a stored object as PartialObjectMetadata in JSON. The
// metadata is copied, not parsed: it is the same in all versions of a kind.
func appendPartial(dst []byte, f form, e *object.Encoded) []byte {
	dst = append(dst, `{"kind":"PartialObjectMetadata","apiVersion":"`...)
	dst = append(dst, f.apiVersion()...)
	dst = append(dst, `","metadata":{`...)
	dst = e.AppendVersion(dst)
	dst = append(dst, e.Body[len(storedPrefix):metadataEnd(e.Body)]...)
	return append(dst, '}')
}

// appendPartialOf does the same for a document at hand.
func appendPartialOf(dst []byte, f form, o object.Object) []byte {
	dst = append(dst, `{"kind":"PartialObjectMetadata","apiVersion":"`...)
	dst = append(dst, f.apiVersion()...)
	dst = append(dst, `","metadata":`...)
	dst = object.AppendJSON(dst, o.EnsureMetadata())
	return append(dst, '}')
}

// appendPartialProtobuf appends the message of a PartialObjectMetadata, without envelope.
func appendPartialProtobuf(dst []byte, e *object.Encoded) ([]byte, error) {
	metadata, err := decodeMetadata(e)
	if err != nil {
		return dst, err
	}
	return appendPartialMessage(dst, metadata), nil
}

// decodeMetadata parses the metadata of a stored object and nothing else of it.
func decodeMetadata(e *object.Encoded) (map[string]any, error) {
	metadata, err := object.Decode(e.Body[len(storedPrefix)-1 : metadataEnd(e.Body)])
	if err != nil {
		return nil, fmt.Errorf("decoding the metadata of a stored object: %w", err)
	}
	metadata["resourceVersion"] = e.Version.String()
	return metadata, nil
}

// metadataEnd finds where the metadata of a stored document ends: behind its
// closing brace. The document is JSON that was written by this module.
func metadataEnd(body []byte) int {
	depth := 1
	for i := len(storedPrefix); i < len(body); i++ {
		switch body[i] {
		case '"':
			i = stringEnd(body, i)
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(body)
}

// stringEnd finds the closing quote of the string that begins at i.
func stringEnd(body []byte, i int) int {
	for i++; i < len(body); i++ {
		switch body[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}
