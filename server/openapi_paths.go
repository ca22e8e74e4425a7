package server

import (
	"slices"
	"strings"
	"unicode"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// appendOpenAPI appends the document of a version: every path with the verbs it has,
// and the schemas.
func (p *openAPIPart) appendOpenAPI(dst []byte, version VersionInfo) []byte {
	paths := map[string]any{}
	schemas := newSchemaSet(false)
	schemas.addShared()
	for _, s := range p.versionSet.resources {
		schemas.addKind(s)
		s.openAPIPaths(paths, p.path())
	}
	dst = append(dst, `{"openapi":"3.0.0","info":`...)
	dst = object.AppendJSON(dst, openAPIInfo(version))
	dst = append(dst, `,"paths":`...)
	dst = object.AppendJSON(dst, paths)
	dst = append(dst, `,"components":{"schemas":{`...)
	dst = schemas.appendMembers(dst)
	return append(dst, `}}}`...)
}

// openAPIPaths adds the paths of a resource.
func (s *served) openAPIPaths(paths map[string]any, root string) {
	collection := root + "/" + s.Plural
	scope := ""
	if s.Namespaced {
		if everywhere := s.operations("", "ForAllNamespaces", "list"); len(everywhere) > 0 {
			paths[collection] = withParameters(everywhere)
		}
		collection = root + "/namespaces/{namespace}/" + s.Plural
		scope = "Namespaced"
	}
	one := collection + "/{name}"
	if ops := s.operations(scope, "", "list", "post", "deletecollection"); len(ops) > 0 {
		paths[collection] = withParameters(ops, s.pathParameters(false)...)
	}
	if ops := s.operations(scope, "", "get", "put", "patch", "delete"); len(ops) > 0 {
		paths[one] = withParameters(ops, s.pathParameters(true)...)
	}
	for i := range s.Subresources {
		sub := &s.Subresources[i]
		ops := map[string]any{}
		for _, action := range []string{"get", "put", "patch"} {
			if slices.Contains(sub.Verbs, actionVerbs[action]) {
				ops[action] = s.subresourceOperation(sub, action, scope)
			}
		}
		paths[one+"/"+sub.Name] = withParameters(ops, s.pathParameters(true)...)
	}
}

// actionVerbs gives the verb of each action.
var actionVerbs = map[string]string{
	"list": "list", "post": "create", "deletecollection": "deletecollection",
	"get": "get", "put": "update", "patch": "patch", "delete": "delete",
}

// operations makes those that the resource has, by method.
func (s *served) operations(scope, suffix string, actions ...string) map[string]any {
	ops := map[string]any{}
	for _, action := range actions {
		if len(s.Verbs) > 0 && !slices.Contains(s.Verbs, actionVerbs[action]) {
			continue
		}
		method := map[string]string{"list": "get", "deletecollection": "delete"}[action]
		if method == "" {
			method = action
		}
		ops[method] = s.operation(action, scope, suffix)
	}
	return ops
}

// subresourceOperation is an operation on what a subresource shows.
func (s *served) subresourceOperation(sub *Subresource, action, scope string) map[string]any {
	face := s
	if view, ok := s.views[sub.Name]; ok {
		face = view
	}
	op := face.operation(action, scope, camel(sub.Name))
	op["operationId"], op[schemaGVK] = s.operationID(action, scope, camel(sub.Name)), s.gvkExtension(s.gvk.Kind)
	return op
}

func (s *served) operation(action, scope, suffix string) map[string]any {
	answer := s.schemaName()
	switch action {
	case "list":
		answer = s.listSchemaName()
	case "delete", "deletecollection":
		answer = schemaStatus
	}
	responses := map[string]any{"401": map[string]any{"description": "Unauthorized"}}
	for code, description := range answerCodes[action] {
		responses[code] = map[string]any{"description": description, "content": content(answer, s.answerTypes()...)}
	}
	op := map[string]any{
		"operationId":         s.operationID(action, scope, suffix),
		"x-kubernetes-action": action,
		schemaGVK:             s.gvkExtension(s.gvk.Kind),
		"parameters":          queryParameters(action),
		"responses":           responses,
	}
	switch action {
	case "post", "put":
		op["requestBody"] = map[string]any{"required": true, "content": content(s.schemaName(), s.bodyTypes()...)}
	case "patch":
		op["requestBody"] = map[string]any{"required": true, "content": content(schemaPatch, s.patchTypes()...)}
	case "delete", "deletecollection":
		op["requestBody"] = map[string]any{"content": content(schemaDeleteOpts, s.bodyTypes()...)}
	}
	return op
}

// answerCodes are the codes of success, with what they say.
var answerCodes = map[string]map[string]string{
	"list": {"200": "OK"}, "get": {"200": "OK"}, "deletecollection": {"200": "OK"},
	"post":   {"200": "OK", "201": "Created", "202": "Accepted"},
	"put":    {"200": "OK", "201": "Created"},
	"patch":  {"200": "OK", "201": "Created"},
	"delete": {"200": "OK", "202": "Accepted"},
}

// bodyTypes are what a body may be encoded in.
func (s *served) bodyTypes() []string {
	if s.isCustom() {
		return []string{typeJSON, typeYAML}
	}
	return []string{"*/*"}
}

func (s *served) answerTypes() []string {
	if s.offer&offerProtobuf != 0 && !s.isCustom() {
		return []string{typeJSON, typeYAML, typeProtobuf}
	}
	return []string{typeJSON, typeYAML}
}

// operationID is what generated clients call a method.
func (s *served) operationID(action, scope, suffix string) string {
	verb := map[string]string{"get": "read", "post": "create", "put": "replace", "deletecollection": "delete"}[action]
	if verb == "" {
		verb = action
	}
	group := "Core"
	if s.Group != "" {
		group = camel(strings.TrimSuffix(s.Group, ".k8s.io"))
	}
	if action == "deletecollection" {
		scope = "Collection" + scope
	}
	return verb + group + camel(s.gvk.Version) + scope + s.Kind + suffix
}

// camel makes one word of several: "rbac.authorization" gives "RbacAuthorization".
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		switch {
		case r == '.' || r == '-':
			up = true
			continue
		case up:
			r = unicode.ToUpper(r)
		}
		up = false
		b.WriteRune(r)
	}
	return b.String()
}

func content(schema string, types ...string) map[string]any {
	m := map[string]any{}
	for _, t := range types {
		m[t] = map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/" + schema}}
	}
	return m
}

// withParameters completes the operations of a path with the parameters that they share.
func withParameters(ops map[string]any, parameters ...any) map[string]any {
	ops["parameters"] = append(parameters, parameter("pretty", "query", "string", "If true, the answer is indented."))
	return ops
}

func (s *served) pathParameters(name bool) []any {
	var list []any
	if name {
		list = append(list, pathParameter("name", "The name of the object."))
	}
	if s.Namespaced {
		list = append(list, pathParameter("namespace", "The namespace of the objects."))
	}
	return list
}

func pathParameter(name, description string) map[string]any {
	p := parameter(name, "path", "string", description)
	p["required"] = true
	return p
}

func parameter(name, in, kind, description string) map[string]any {
	return map[string]any{
		"name": name, "in": in, "description": description,
		"schema": map[string]any{"type": kind, "uniqueItems": true},
	}
}

// queryParameters are those of an action.
func queryParameters(action string) []any {
	var list []any
	add := func(name, kind, description string) { list = append(list, parameter(name, "query", kind, description)) }
	switch action {
	case "list", "deletecollection":
		add("continue", "string", "The token of the page before this one.")
		add("fieldSelector", "string", "Which objects, by the values of fields.")
		add("labelSelector", "string", "Which objects, by their labels.")
		add("limit", "integer", "How many objects a page holds at most.")
		add("resourceVersion", "string", "The version that the answer is about.")
		add("resourceVersionMatch", "string", "How the resource version is meant: Exact or NotOlderThan.")
		add("timeoutSeconds", "integer", "How long the request may take.")
		add("sendInitialEvents", "boolean", "Whether a watch begins with the objects that are there.")
	}
	switch action {
	case "list":
		add("allowWatchBookmarks", "boolean", "Whether a watch may contain bookmarks.")
		add("watch", "boolean", "Whether to watch for changes in place of listing.")
	case "post", "put", "patch":
		add("dryRun", "string", "All: do everything but store the object.")
		add("fieldManager", "string", "Who makes the change.")
		add("fieldValidation", "string", "What to do about unknown and duplicate fields: Ignore, Warn or Strict.")
	case "delete", "deletecollection":
		add("dryRun", "string", "All: do everything but delete.")
		add("gracePeriodSeconds", "integer", "How long the object may take to stop.")
		add("orphanDependents", "boolean", "Whether dependents stay; propagationPolicy says more.")
		add("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground.")
	}
	if action == "patch" {
		add("force", "boolean", "Whether an apply takes over fields of others.")
	}
	return list
}
