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
	dst = append(dst, metadataOf(e)[1:]...)
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
func appendPartialProtobuf(dst []byte, e *object.Encoded) []byte {
	return appendPartialMessage(dst, fromMetadata(e), e.Version.String())
}

// fromMetadata gives a stored object from its metadata on, which is without a version.
func fromMetadata(e *object.Encoded) []byte { return e.Body[len(storedPrefix)-1:] }

// metadataOf gives the metadata of a stored object as it stands.
func metadataOf(e *object.Encoded) []byte {
	rest := fromMetadata(e)
	return rest[:rawEnd(rest, 0)]
}

// decodeMetadata parses the metadata of a stored object and nothing else of it.
func decodeMetadata(e *object.Encoded) (map[string]any, error) {
	metadata, err := object.Decode(metadataOf(e))
	if err != nil {
		return nil, fmt.Errorf("decoding the metadata of a stored object: %w", err)
	}
	metadata["resourceVersion"] = e.Version.String()
	return metadata, nil
}
