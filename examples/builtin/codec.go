package builtin

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/server"
)

// message is what the types of k8s.io/api can do.
type message[T any] interface {
	*T
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// Codec gives documents the semantics of a type of k8s.io/api, its schema and its
// protobuf form: Codec[corev1.ConfigMap]() is that of ConfigMaps.
func Codec[T any, P message[T]]() server.SchemaCodec { return codecOf[T, P](newTypes()) }

// typed is what the codecs of this package can do.
type typed interface {
	server.SchemaCodec

	// asStored makes of a document what is left of it when it is stored.
	asStored(o object.Object)
}

// codecOf is [Codec] for one of several kinds, which share what their types have in
// common. The types are looked at when the first document comes.
func codecOf[T any, P message[T]](all *types) typed {
	return codec[T, P]{
		types: all,
		shape: sync.OnceValue(func() *shape { return all.shape(reflect.TypeFor[T]()) }),
	}
}

type codec[T any, P message[T]] struct {
	types *types
	shape func() *shape
}

// Schema implements [server.SchemaCodec].
func (c codec[T, P]) Schema() *schema.Schema { return c.types.schema(c.goType()) }

func (codec[T, P]) goType() reflect.Type { return reflect.TypeFor[T]() }

// DecodeJSON implements [server.Codec]. Most documents are already what the type
// would make of them, and need no value of it; the others go through one, which
// also finds the words for what is wrong with them.
func (c codec[T, P]) DecodeJSON(data []byte) (o object.Object, strict []string, err error) {
	o, duplicates, err := object.DecodeStrict(data)
	if err == nil && len(duplicates) == 0 && c.shape().fits(map[string]any(o)) {
		return o, nil, nil
	}
	return decodeTyped(data, P(new(T)))
}

// asStored implements [typed]: the API stores messages, in which an empty list is none.
func (c codec[T, P]) asStored(o object.Object) { c.shape().dropEmptyLists(map[string]any(o)) }

// decodeTyped decodes a document into a zero value and gives what that shows then.
func decodeTyped(data []byte, typed any) (o object.Object, strict []string, err error) {
	found, err := kjson.UnmarshalStrict(data, typed)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range found {
		strict = append(strict, e.Error())
	}
	o, err = toObject(typed)
	return o, strict, err
}

// DecodeProtobuf implements [server.Codec]. Messages that are not as the type writes them
// are read by it, which also finds the words for what is wrong with them.
func (c codec[T, P]) DecodeProtobuf(data []byte) (object.Object, error) {
	var d decoder
	if o, ok := d.document(c.shape(), data); ok {
		return o, nil
	}
	return decodeMessage(data, P(new(T)))
}

// decodeMessage decodes a message into a zero value and gives what that shows then.
func decodeMessage(data []byte, typed interface{ Unmarshal([]byte) error }) (object.Object, error) {
	if err := typed.Unmarshal(data); err != nil {
		return nil, err
	}
	return toObject(typed)
}

// AppendProtobuf implements [server.Codec]. Documents that are not as the type writes them
// go through a value of it.
func (c codec[T, P]) AppendProtobuf(dst, document []byte) ([]byte, error) {
	e := c.types.encoder()
	defer c.types.keepEncoder(e)
	dst, ok := e.appendMessage(dst, c.shape(), document)
	if ok {
		return dst, nil
	}
	message, err := encodeMessage(document, P(new(T)))
	return append(dst, message...), err
}

// encodeMessage decodes a document into a zero value and gives the message of that.
func encodeMessage(document []byte, typed selfWritten) ([]byte, error) {
	if err := kjson.UnmarshalCaseSensitivePreserveInts(document, typed); err != nil {
		return nil, fmt.Errorf("reading a document as %T: %w", typed, err)
	}
	return typed.Marshal()
}

// toObject walks the value instead of writing JSON and reading it again, which
// takes three times as long.
func toObject(typed any) (object.Object, error) {
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return nil, fmt.Errorf("making a document of %T: %w", typed, err)
	}
	return m, nil
}
