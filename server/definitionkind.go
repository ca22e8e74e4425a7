package server

import (
	"slices"
	"time"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// CustomResources turns custom resources on: the server then has the kind
// CustomResourceDefinition of apiextensions.k8s.io/v1 and serves what its objects
// define. The zero value is fine.
type CustomResources struct {
	// Codec has the protobuf form of definitions, for clients that write it. Without
	// one protobuf is refused. Its DecodeJSON is not called.
	Codec Codec

	// Prepared, if set, is shared with servers that begin with a copy of the same store.
	Prepared *Prepared
}

// definitionResource is the collection of definitions.
var definitionResource = object.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// cleanup is the finalizer that keeps a definition until its objects are gone.
const cleanup = "customresourcecleanup.apiextensions.k8s.io"

// kind describes the definitions themselves.
func (c *CustomResources) kind(shared *definition.Shared) Resource {
	return Resource{
		Group: definitionResource.Group, Plural: definitionResource.Resource, Kind: "CustomResourceDefinition",
		ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"},
		Versions: []Version{{
			Name: "v1", Codec: definitionCodec{c.Codec}, JSONOnly: c.Codec == nil, Default: definition.SetDefaults,
			Columns: definitionColumns(),
		}},
		FormerVersions:  []string{"v1beta1"},
		VersionedUpdate: true,
		Generation:      true,
		Held:            func(o object.Object) bool { return o.DeletionTimestamp().IsZero() },
		BeginDelete:     beginTerminating,
		Rules:           Rules{Prepare: prepareDefinition, Validate: shared.Validate, Warn: definition.Warnings},
		Subresources: []Subresource{{
			Name: "status", Verbs: []string{"get", "patch", "update"},
			Rules: Rules{Prepare: definition.PrepareStatus, Validate: definition.ValidateStatus},
		}},
	}
}

// prepareDefinition completes a definition. One from a program, which no codec has
// read, has no defaults yet.
func prepareDefinition(next, old object.Object) {
	definition.SetDefaults(next)
	definition.Prepare(next, old)
}

// beginTerminating marks a definition that is deleted: its objects go first.
func beginTerminating(o object.Object) {
	if !slices.Contains(o.Finalizers(), cleanup) {
		o.SetFinalizers(append(o.Finalizers(), cleanup))
	}
	definition.SetCondition(o, definition.Condition{
		Type: "Terminating", Status: "True", Reason: "InstanceDeletionPending",
		Message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
	}, time.Now())
}

// definitionCodec reads documents as the API's Go type of a definition does.
type definitionCodec struct{ protobuf Codec }

// DecodeJSON implements [Codec].
func (definitionCodec) DecodeJSON(data []byte) (o object.Object, strict []string, err error) {
	o, duplicates, err := object.DecodeStrict(data)
	if err != nil {
		return nil, nil, err
	}
	strict = quotedFields("duplicate", duplicates)
	unknown, err := definition.Decode(o)
	if err != nil {
		return nil, nil, err
	}
	return o, append(strict, quotedFields("unknown", unknown)...), nil
}

// Schema implements [SchemaCodec].
func (definitionCodec) Schema() *schema.Schema { return definition.DocumentSchema() }

// DecodeProtobuf implements [Codec].
func (c definitionCodec) DecodeProtobuf(data []byte) (object.Object, error) {
	o, err := c.protobuf.DecodeProtobuf(data)
	if err != nil {
		return nil, err
	}
	if _, err := definition.Decode(o); err != nil {
		return nil, err
	}
	return o, nil
}

// AppendProtobuf implements [Codec].
func (c definitionCodec) AppendProtobuf(dst, document []byte) ([]byte, error) {
	return c.protobuf.AppendProtobuf(dst, document)
}
