package server

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
)

// This file is where schemas come from. A version that has one is published with it;
// of others it is said that they are objects with a type and metadata.

// Names of the schemas that all kinds share.
const (
	metaSchemas       = "io.k8s.apimachinery.pkg.apis.meta.v1."
	schemaObjectMeta  = metaSchemas + "ObjectMeta"
	schemaListMeta    = metaSchemas + "ListMeta"
	schemaStatus      = metaSchemas + "Status"
	schemaPatch       = metaSchemas + "Patch"
	schemaDeleteOpts  = metaSchemas + "DeleteOptions"
	schemaGVK         = "x-kubernetes-group-version-kind"
	keepUnknownFields = "x-kubernetes-preserve-unknown-fields"
	selectableFields  = "x-kubernetes-selectable-fields"
)

// schemaName names the schema of the kind: after the package of its Go type, or
// after the group turned around.
func (s *served) schemaName() string { return s.schemaPrefix() + s.gvk.Kind }

// listSchemaName names the schema of the list.
func (s *served) listSchemaName() string { return s.schemaPrefix() + s.ListKind }

func (s *served) schemaPrefix() string {
	switch {
	case s.gvk.Group == definitionResource.Group && s.version.Codec != nil:
		return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions." + s.gvk.Version + "."
	case s.version.Codec != nil:
		return "io.k8s.api." + internalPackage(s.gvk.Group) + "." + s.gvk.Version + "."
	}
	labels := strings.Split(s.gvk.Group, ".")
	slices.Reverse(labels)
	return strings.TrimPrefix(strings.Join(append(labels, s.gvk.Version, ""), "."), ".")
}

// gvkExtension says which kind an operation or a schema is about.
func (s *served) gvkExtension(kind string) map[string]any {
	return map[string]any{"group": s.gvk.Group, "version": s.gvk.Version, "kind": kind}
}

// schemaSet are schemas in JSON by name, for one of the two dialects.
type schemaSet struct {
	v2  bool
	all map[string]namedSchema
}

// namedSchema is a schema of a document. Of several with one name that which knows
// most stays.
type namedSchema struct {
	json []byte
	rank schemaRank
}

// schemaRank says how much a schema knows of its type.
type schemaRank uint8

const (
	anyObject  schemaRank = iota // that it is an object, or what this module knows of it
	typeSchema                   // its fields
	kindSchema                   // the kind that it is, too
)

func newSchemaSet(v2 bool) schemaSet { return schemaSet{v2: v2, all: map[string]namedSchema{}} }

// refs is where references lead.
func (set schemaSet) refs() string {
	if set.v2 {
		return "#/definitions/"
	}
	return "#/components/schemas/"
}

func (set schemaSet) add(name string, json []byte, rank schemaRank) {
	if known, ok := set.all[name]; !ok || known.rank < rank {
		set.all[name] = namedSchema{json, rank}
	}
}

// addAll adds the schemas of another set.
func (set schemaSet) addAll(other schemaSet) {
	for name, s := range other.all {
		set.add(name, s.json, s.rank)
	}
}

// addKind adds the schemas of a kind, of its list, of what its subresources show, and
// of the types that they refer to.
func (set schemaSet) addKind(s *served) {
	set.addObject(s)
	list := map[string]any{
		"description": s.ListKind + " is a list of " + s.Kind,
		"type":        "object",
		"required":    []any{"items"},
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string", "description": apiVersionText},
			"kind":       map[string]any{"type": "string", "description": kindText},
			"metadata":   set.reference(schemaListMeta),
			"items":      map[string]any{"type": "array", "items": map[string]any{"$ref": set.refs() + s.schemaName()}},
		},
		schemaGVK: []any{s.gvkExtension(s.ListKind)},
	}
	if fields := s.publishedFields(); len(fields) > 0 {
		list[selectableFields] = fields
	}
	set.add(s.listSchemaName(), object.AppendJSON(nil, list), kindSchema)
	for _, view := range s.views {
		set.addObject(view)
	}
}

// addObject adds the schema of an object, and those of the types that it refers to.
func (set schemaSet) addObject(s *served) {
	known := s.version.schema()
	if known == nil && s.version.Documents == nil {
		set.add(s.schemaName(), set.ofAny(s), anyObject)
		return
	}
	p := schema.Published{Kind: s.gvk}
	if s.version.Documents != nil {
		p.SelectableFields = slices.Sorted(maps.Keys(s.Fields))
	}
	set.add(s.schemaName(), set.published(known, p), kindSchema)
	for name, component := range known.Components() {
		set.add(name, set.published(component, schema.Published{}), typeSchema)
	}
}

func (set schemaSet) published(s *schema.Schema, p schema.Published) []byte {
	if set.v2 {
		return s.AppendOpenAPIV2(nil, p)
	}
	return s.AppendOpenAPIV3(nil, p)
}

const (
	apiVersionText = "The version of the schema that the object is written in."
	kindText       = "The name of the schema."
)

// ofAny gives the schema of a kind of which nothing is known. Readers of OpenAPI v2
// refuse fields beside those that a schema has, so that there it has none.
func (set schemaSet) ofAny(s *served) []byte {
	if set.v2 {
		return set.published(nil, schema.Published{Kind: s.gvk})
	}
	return object.AppendJSON(nil, map[string]any{
		"type": "object",
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string", "description": apiVersionText},
			"kind":       map[string]any{"type": "string", "description": kindText},
			"metadata":   set.reference(schemaObjectMeta),
		},
		keepUnknownFields: true,
		schemaGVK:         []any{s.gvkExtension(s.gvk.Kind)},
	})
}

// reference refers to a shared schema, as the dialect does where more is said of it.
func (set schemaSet) reference(name string) map[string]any {
	ref := map[string]any{"$ref": set.refs() + name}
	if set.v2 {
		return ref
	}
	return map[string]any{"allOf": []any{ref}}
}

func (s *served) publishedFields() (fields []any) {
	if s.version.Documents == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
		fields = append(fields, map[string]any{"fieldPath": name})
	}
	return fields
}

// addShared adds the schemas that all kinds refer to, and those that these refer to.
func (set schemaSet) addShared() {
	for name, t := range map[string]reflect.Type{
		schemaObjectMeta: reflect.TypeFor[object.ObjectMeta](),
		schemaListMeta:   reflect.TypeFor[object.ListMeta](),
		schemaStatus:     reflect.TypeFor[object.Status](),
	} {
		derived, err := schema.FromGo(t, sharedTypes())
		if err != nil {
			panic(err) // the types are our own
		}
		set.add(name, set.published(derived, schema.Published{}), anyObject)
		for name, component := range derived.Components() {
			set.add(name, set.published(component, schema.Published{}), anyObject)
		}
	}
	set.add(schemaPatch, []byte(`{"type":"object"}`), anyObject)
	set.add(schemaDeleteOpts, []byte(`{"type":"object","`+keepUnknownFields+`":true}`), anyObject)
}

// sharedTypes says how the types below those that all kinds share are called, and what they are.
func sharedTypes() schema.GoOptions {
	names := map[reflect.Type]string{
		reflect.TypeFor[object.OwnerReference]():     metaSchemas + "OwnerReference",
		reflect.TypeFor[object.ManagedFieldsEntry](): metaSchemas + "ManagedFieldsEntry",
		reflect.TypeFor[json.RawMessage]():           metaSchemas + "FieldsV1",
		reflect.TypeFor[object.Time]():               metaSchemas + "Time",
	}
	return schema.GoOptions{
		Types: map[reflect.Type]*schema.Schema{
			reflect.TypeFor[object.Time]():     {Type: "string", Format: "date-time"},
			reflect.TypeFor[json.RawMessage](): {Type: "object"},
		},
		Name: func(t reflect.Type) string { return names[t] },
	}
}

// appendMembers appends the schemas as members of an object, without its braces.
func (set schemaSet) appendMembers(dst []byte) []byte {
	for i, name := range slices.Sorted(maps.Keys(set.all)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = object.AppendJSON(dst, name)
		dst = append(dst, ':')
		dst = append(dst, set.all[name].json...)
	}
	return dst
}

func openAPIInfo(version VersionInfo) map[string]any {
	text := version.GitVersion
	if text == "" {
		text = "unversioned"
	}
	return map[string]any{"title": "Kubernetes", "version": text}
}
