package server

import (
	"slices"
	"strings"
)

// This file is where schemas come from. So far they say of a kind that it is an
// object with a type and metadata, and nothing of what else is in it.

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
)

// schemaName names the schema of the kind: after the package of its Go type, or
// after the group turned around.
func (s *served) schemaName() string { return s.schemaPrefix() + s.Kind }

// listSchemaName names the schema of the list.
func (s *served) listSchemaName() string { return s.schemaPrefix() + s.ListKind }

func (s *served) schemaPrefix() string {
	if s.version.Codec != nil {
		return "io.k8s.api." + internalPackage(s.Group) + "." + s.gvk.Version + "."
	}
	labels := strings.Split(s.Group, ".")
	slices.Reverse(labels)
	return strings.TrimPrefix(strings.Join(append(labels, s.gvk.Version, ""), "."), ".")
}

// gvkExtension says which kind an operation or a schema is about.
func (s *served) gvkExtension(kind string) map[string]any {
	return map[string]any{"group": s.Group, "version": s.gvk.Version, "kind": kind}
}

// schemas adds those of the kind and its list to all. refs is where references
// point: "#/components/schemas/" or "#/definitions/".
func (s *served) schemas(all map[string]any, refs string) {
	all[s.schemaName()] = map[string]any{
		"type": "object",
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string", "description": "The version of the schema that the object is written in."},
			"kind":       map[string]any{"type": "string", "description": "The name of the schema."},
			"metadata":   map[string]any{"$ref": refs + schemaObjectMeta},
		},
		keepUnknownFields: true,
		schemaGVK:         []any{s.gvkExtension(s.Kind)},
	}
	all[s.listSchemaName()] = map[string]any{
		"type":     "object",
		"required": []any{"items"},
		"properties": map[string]any{
			"apiVersion": map[string]any{"type": "string"},
			"kind":       map[string]any{"type": "string"},
			"metadata":   map[string]any{"$ref": refs + schemaListMeta},
			"items":      map[string]any{"type": "array", "items": map[string]any{"$ref": refs + s.schemaName()}},
		},
		schemaGVK: []any{s.gvkExtension(s.ListKind)},
	}
}

// sharedSchemas adds those that all kinds refer to.
func sharedSchemas(all map[string]any) {
	for _, name := range []string{schemaObjectMeta, schemaListMeta, schemaStatus, schemaPatch, schemaDeleteOpts} {
		all[name] = map[string]any{"type": "object", keepUnknownFields: true}
	}
}

// swagger is the document of /openapi/v2: schemas without paths, for clients that
// know nothing newer.
func (s *resourceSet) swagger(version VersionInfo) map[string]any {
	definitions := map[string]any{}
	sharedSchemas(definitions)
	for _, entry := range s.byPath {
		entry.schemas(definitions, "#/definitions/")
	}
	return map[string]any{
		"swagger":     "2.0",
		"info":        openAPIInfo(version),
		"paths":       map[string]any{},
		"definitions": definitions,
	}
}

func openAPIInfo(version VersionInfo) map[string]any {
	text := version.GitVersion
	if text == "" {
		text = "unversioned"
	}
	return map[string]any{"title": "Kubernetes", "version": text}
}
