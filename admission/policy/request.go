package policy

import (
	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// requestDocument is the value of the variable "request": what a webhook would get, without
// the objects. form is what the policy matched.
func requestDocument(req *admission.Request, form Form) map[string]any {
	kind, resource, subresource := req.Requested()
	document := map[string]any{
		"uid":             "",
		"kind":            kindDocument(form.Kind),
		"resource":        resourceDocument(form.Resource),
		"requestKind":     kindDocument(kind),
		"requestResource": resourceDocument(resource),
		"operation":       string(req.Operation),
		"userInfo":        userDocument(req.User),
		"dryRun":          req.DryRun,
		"object":          nil,
		"oldObject":       nil,
		"options":         nil,
	}
	if req.Options != nil {
		document["options"] = map[string]any(req.Options)
	}
	setText(document, "subResource", req.Subresource)
	setText(document, "requestSubResource", subresource)
	setText(document, "name", req.Name)
	setText(document, "namespace", req.Namespace)
	return document
}

// setText leaves out what is empty.
func setText(document map[string]any, field, text string) {
	if text != "" {
		document[field] = text
	}
}

func kindDocument(k object.GroupVersionKind) map[string]any {
	return map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}
}

func resourceDocument(r object.GroupVersionResource) map[string]any {
	return map[string]any{"group": r.Group, "version": r.Version, "resource": r.Resource}
}

func userDocument(u object.User) map[string]any {
	document := map[string]any{}
	setText(document, "username", u.Name)
	setText(document, "uid", u.UID)
	if len(u.Groups) > 0 {
		document["groups"] = u.Groups
	}
	if len(u.Extra) > 0 {
		document["extra"] = u.Extra
	}
	return document
}
