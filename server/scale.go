package server

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/definition"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// scaleView shows an object as its scale.
func scaleView(s *definition.Scale) *View {
	return &View{
		Kind:  object.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"},
		Codec: scaleCodec{}, Replicas: strings.TrimPrefix(s.SpecReplicas, "."),
		Columns: []Column{
			{Name: "Desired", Type: "integer", Description: "How many instances are wanted.", Value: replicasIn("spec")},
			{Name: "Available", Type: "integer", Description: "How many instances there are.", Value: replicasIn("status")},
			ageColumn(),
		},
		Show: s.Of, Begin: s.Begin, Apply: s.Apply,
	}
}

// replicasIn reads the replicas of a part of a scale; none are zero.
func replicasIn(part string) func(o object.Object) any {
	return func(o object.Object) any {
		if n, ok := o.Field(part, "replicas"); ok {
			return n
		}
		return int64(0)
	}
}

// scaleCodec reads and writes documents as the type Scale of autoscaling/v1 does.
type scaleCodec struct{}

// scaleFields are the parts of a scale beside its metadata, with the types of their fields.
var scaleFields = map[string]map[string]string{
	"spec":   {"replicas": "int32"},
	"status": {"replicas": "int32", "selector": "string"},
}

// DecodeJSON implements [Codec].
func (scaleCodec) DecodeJSON(data []byte) (o object.Object, strict []string, err error) {
	o, duplicates, err := object.DecodeStrict(data)
	if err != nil {
		return nil, nil, err
	}
	inMetadata, err := object.NormalizeMeta(o)
	if err != nil {
		return nil, nil, errScaleMeta(err)
	}
	o.EnsureMetadata()
	for _, part := range []string{"spec", "status"} {
		if o[part] == nil {
			o[part] = map[string]any{}
		}
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(o)) {
		switch name {
		case "kind", "apiVersion":
		case "metadata":
			unknown = append(unknown, inMetadata...)
		case "spec", "status":
			more, err := decodeScalePart(o, name)
			if err != nil {
				return nil, nil, err
			}
			unknown = append(unknown, more...)
		default:
			unknown = append(unknown, name)
			delete(o, name)
		}
	}
	if status := o["status"].(map[string]any); status["replicas"] == nil {
		status["replicas"] = int64(0)
	}
	return o, append(quotedFields("duplicate", duplicates), quotedFields("unknown", unknown)...), nil
}

// errScaleMeta says where the metadata is that is wrong: in a scale, as its type in Go sees it.
func errScaleMeta(err error) error {
	text := strings.Replace(err.Error(), "Go value of type v1.ObjectMeta", "Go struct field Scale.metadata of type v1.ObjectMeta", 1)
	return errors.New(metaField.ReplaceAllString(text, "field ${1}.metadata."))
}

var metaField = regexp.MustCompile(`field (ObjectMeta|OwnerReference|ManagedFieldsEntry)\.`)

// decodeScalePart checks the fields of a part.
func decodeScalePart(o object.Object, part string) (unknown []string, err error) {
	goType := map[string]string{"spec": "ScaleSpec", "status": "ScaleStatus"}[part]
	m, ok := o[part].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("json: cannot unmarshal %s into Go struct field Scale.%s of type v1.%s", object.JSONType(o[part]), part, goType)
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		kind, ok := scaleFields[part][name]
		switch v := m[name].(type) {
		case nil:
			delete(m, name)
		case int64:
			if ok && (kind != "int32" || v < math.MinInt32 || v > math.MaxInt32) {
				return nil, errScaleType(v, goType+"."+part+"."+name, kind)
			}
		case string:
			if ok && kind != "string" {
				return nil, errScaleType(v, goType+"."+part+"."+name, kind)
			}
		default:
			if ok {
				return nil, errScaleType(v, goType+"."+part+"."+name, kind)
			}
		}
		if !ok {
			unknown = append(unknown, part+"."+name)
			delete(m, name)
		}
		if v := m[name]; name == "selector" && v == "" || part == "spec" && v == int64(0) {
			delete(m, name)
		}
	}
	return unknown, nil
}

func errScaleType(v any, field, want string) error {
	kind := object.JSONType(v)
	if want == "int32" && kind == "number" {
		kind += " " + string(object.AppendJSON(nil, v))
	}
	return fmt.Errorf("json: cannot unmarshal %s into Go struct field %s of type %s", kind, field, want)
}

// Schema implements [SchemaCodec].
func (scaleCodec) Schema() *schema.Schema { return scaleSchema() }

var scaleSchema = sync.OnceValue(func() *schema.Schema {
	properties := map[string]any{"metadata": map[string]any{"type": "object"}}
	for part, fields := range scaleFields {
		members := map[string]any{}
		for name, kind := range fields {
			if kind == "int32" {
				kind = "integer"
			}
			members[name] = map[string]any{"type": kind}
		}
		properties[part] = map[string]any{"type": "object", "properties": members}
	}
	s, err := schema.Parse(object.Object{"type": "object", "properties": properties})
	if err != nil {
		panic(err) // it is written above
	}
	return s
})

// DecodeProtobuf implements [Codec].
func (scaleCodec) DecodeProtobuf([]byte) (object.Object, error) {
	return nil, object.UnsupportedMediaType(typeJSON, typeYAML)
}

// AppendProtobuf implements [Codec].
func (scaleCodec) AppendProtobuf(dst, document []byte) ([]byte, error) {
	o, err := object.Decode(document)
	if err != nil {
		return dst, err
	}
	spec, _ := o["spec"].(map[string]any)
	status, _ := o["status"].(map[string]any)
	if spec == nil || status == nil {
		return dst, errors.New("encoding a scale: it lacks spec or status")
	}
	selector, _ := status["selector"].(string)
	dst = appendPartialMessage(dst, object.AppendJSON(nil, o.Metadata()), "")
	dst = appendMessage(dst, 2, func(dst []byte) []byte { return appendReplicas(dst, spec) })
	return appendMessage(dst, 3, func(dst []byte) []byte {
		return appendStringField(appendReplicas(dst, status), protowire.Number(2), selector)
	}), nil
}

func appendReplicas(dst []byte, m map[string]any) []byte {
	n, _ := m["replicas"].(int64)
	return appendIntField(dst, 1, n)
}
