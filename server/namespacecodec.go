package server

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"sync"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// namespaceDocument is what a namespace can say.
type namespaceDocument struct {
	object.TypeMeta   `json:",inline"`
	object.ObjectMeta `json:"metadata,omitempty"`
	Spec              namespaceSpec   `json:"spec,omitempty"`
	Status            namespaceStatus `json:"status,omitempty"`
}

type namespaceSpec struct {
	Finalizers []string `json:"finalizers,omitempty"`
}

type namespaceStatus struct {
	Phase      string               `json:"phase,omitempty"`
	Conditions []namespaceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

type namespaceCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"`
	LastTransitionTime object.Time `json:"lastTransitionTime,omitempty"`
	Reason             string      `json:"reason,omitempty"`
	Message            string      `json:"message,omitempty"`
}

// namespaceCodec reads JSON only.
type namespaceCodec struct{ schema func() *schema.Schema }

func newNamespaceCodec() namespaceCodec {
	return namespaceCodec{sync.OnceValue(func() *schema.Schema {
		s, err := schema.FromGo(reflect.TypeFor[namespaceDocument](), sharedTypes())
		if err != nil {
			panic(err) // of a type of this file
		}
		return s
	})}
}

// Schema implements [SchemaCodec].
func (c namespaceCodec) Schema() *schema.Schema { return c.schema() }

// DecodeJSON implements [Codec].
func (c namespaceCodec) DecodeJSON(data []byte) (o object.Object, strict []string, err error) {
	o, duplicates, err := object.DecodeStrict(data)
	if err != nil {
		return nil, nil, err
	}
	o.EnsureMetadata()
	unknown, err := object.NormalizeMeta(o)
	if err != nil {
		return nil, nil, err
	}
	unknown = append(unknown, c.schema().Prune(o, true)...)
	slices.Sort(unknown)
	var typed namespaceDocument
	own := map[string]any{"spec": o["spec"], "status": o["status"]}
	if err := json.Unmarshal(object.AppendJSON(nil, own), &typed); err != nil {
		return nil, nil, err
	}
	read, err := object.From(typed)
	if err != nil {
		return nil, nil, err
	}
	o["spec"], o["status"] = read["spec"], read["status"]
	return o, append(quotedFields("duplicate", duplicates), quotedFields("unknown", unknown)...), nil
}

var errNoProtobuf = errors.New("namespaces without a Go type have no protobuf form")

// DecodeProtobuf implements [Codec].
func (namespaceCodec) DecodeProtobuf([]byte) (object.Object, error) { return nil, errNoProtobuf }

// AppendProtobuf implements [Codec].
func (namespaceCodec) AppendProtobuf(dst, _ []byte) ([]byte, error) { return dst, errNoProtobuf }
