package definition

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// SetDefaults sets, in place, what a document of a definition that [Decode] has
// formed leaves open: names that follow from the kind, the conversion, the port of
// its service and, in the status, the version that is stored.
func SetDefaults(o object.Object) {
	spec, _ := o["spec"].(map[string]any)
	if spec == nil {
		return
	}
	if names, ok := spec["names"].(map[string]any); ok {
		kind := node(names).text("kind")
		if node(names).text("singular") == "" && kind != "" {
			names["singular"] = strings.ToLower(kind)
		}
		if node(names).text("listKind") == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	service := node(spec).node("conversion").node("webhook").node("clientConfig").node("service")
	if service != nil && service["port"] == nil {
		service["port"] = int64(443)
	}
	if len(node(o).node("status").texts("storedVersions")) == 0 {
		addStoredVersion(o)
	}
}

// Prepare changes a definition that a client writes before it is validated, in place:
// its status is empty on a create, when old is nil, and that of old otherwise; the
// version that is now stored joins status.storedVersions.
func Prepare(next, old object.Object) {
	next["status"] = map[string]any{
		"conditions": nil, "acceptedNames": map[string]any{"plural": "", "kind": ""}, "storedVersions": nil,
	}
	if status, ok := old["status"].(map[string]any); ok {
		next["status"] = map[string]any(object.Object(status).DeepCopy())
	}
	addStoredVersion(next)
}

// PrepareStatus is [Prepare] for a write through the status subresource: the spec is
// that of old.
func PrepareStatus(next, old object.Object) {
	next["spec"] = map[string]any(object.Object(node(old).node("spec")).DeepCopy())
}

// addStoredVersion adds the version that is stored to those that were, in place.
func addStoredVersion(o object.Object) {
	for _, v := range node(o).node("spec").nodes("versions") {
		if !v.flag("storage") {
			continue
		}
		status := statusOf(o)
		if !slices.Contains(node(status).texts("storedVersions"), v.text("name")) {
			stored, _ := status["storedVersions"].([]any)
			status["storedVersions"] = append(slices.Clip(stored), v.text("name"))
		}
		return
	}
}
