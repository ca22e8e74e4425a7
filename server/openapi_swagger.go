package server

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"weak"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// swaggerPart is what a version adds to the document of /openapi/v2: members of its
// paths in JSON, without braces, and definitions.
type swaggerPart struct {
	paths       []byte
	definitions schemaSet
}

// swaggerOf gives the part of a version, made when it is needed.
func (p *openAPIPart) swaggerOf() *swaggerPart {
	if made := p.swagger.Value(); made != nil {
		return made
	}
	paths := map[string]any{}
	set := newSchemaSet(true)
	for _, s := range p.versionSet.resources {
		s.openAPIPaths(paths, p.path())
		set.addKind(s)
	}
	made := &swaggerPart{definitions: set}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		made.paths = append(appendName(made.paths, path), object.AppendJSON(nil, swaggerPath(paths[path].(map[string]any)))...)
	}
	p.swagger = weak.Make(made)
	return made
}

// appendName appends the name of a further member.
func appendName(dst []byte, name string) []byte {
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	dst = object.AppendJSON(dst, name)
	return append(dst, ':')
}

// swaggerPieces gives the members of all paths, by version, and all definitions.
func (o *openAPI) swaggerPieces() (paths [][]byte, definitions schemaSet) {
	definitions = newSchemaSet(true)
	definitions.addShared()
	for _, name := range slices.Sorted(maps.Keys(o.parts)) {
		part := o.parts[name].swaggerOf()
		if len(part.paths) > 0 {
			paths = append(paths, part.paths)
		}
		definitions.addAll(part.definitions)
	}
	return paths, definitions
}

// appendSwagger appends the whole document.
func (o *openAPI) appendSwagger(dst []byte, version VersionInfo) []byte {
	paths, definitions := o.swaggerPieces()
	dst = append(dst, `{"swagger":"2.0","info":`...)
	dst = object.AppendJSON(dst, openAPIInfo(version))
	dst = append(dst, `,"paths":{`...)
	dst = append(dst, bytes.Join(paths, []byte{','})...)
	dst = append(dst, `},"definitions":{`...)
	dst = definitions.appendMembers(dst)
	return append(dst, `}}`...)
}

// swaggerPath says in the older dialect what a path of the newer one can do.
func swaggerPath(path map[string]any) map[string]any {
	out := map[string]any{}
	for method, v := range path {
		if method == "parameters" {
			out[method] = swaggerParameters(v.([]any))
			continue
		}
		out[method] = swaggerOperation(v.(map[string]any))
	}
	return out
}

func swaggerOperation(op map[string]any) map[string]any {
	out := maps.Clone(op)
	parameters := swaggerParameters(op["parameters"].([]any))
	if body, ok := op["requestBody"].(map[string]any); ok {
		types, schema := swaggerContent(body)
		delete(out, "requestBody")
		out["consumes"] = types
		parameter := map[string]any{"name": "body", "in": "body", "schema": schema}
		if body["required"] == true {
			parameter["required"] = true
		}
		parameters = append([]any{parameter}, parameters...)
	}
	out["parameters"] = parameters
	responses := map[string]any{}
	for code, v := range op["responses"].(map[string]any) {
		response := maps.Clone(v.(map[string]any))
		if response["content"] != nil {
			out["produces"], response["schema"] = swaggerContent(response)
			delete(response, "content")
		}
		responses[code] = response
	}
	out["responses"] = responses
	return out
}

// swaggerContent takes media types and the schema, the same for all, out of a content.
func swaggerContent(v map[string]any) (types []any, schema map[string]any) {
	content := v["content"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(content)) {
		types = append(types, name)
		schema = content[name].(map[string]any)["schema"].(map[string]any)
	}
	ref, _ := schema["$ref"].(string)
	return types, map[string]any{"$ref": "#/definitions/" + ref[strings.LastIndexByte(ref, '/')+1:]}
}

func swaggerParameters(parameters []any) []any {
	out := make([]any, len(parameters))
	for i, v := range parameters {
		parameter := maps.Clone(v.(map[string]any))
		if schema, ok := parameter["schema"].(map[string]any); ok {
			delete(parameter, "schema")
			maps.Copy(parameter, schema)
		}
		out[i] = parameter
	}
	return out
}
