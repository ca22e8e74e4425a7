package admission

import "github.com/seed-6c0fa0ad/plinth/object"

// KindDocument gives a kind as reviews and expressions have it (GroupVersionKind of meta/v1).
func KindDocument(k object.GroupVersionKind) map[string]any {
	return map[string]any{"group": k.Group, "version": k.Version, "kind": k.Kind}
}

// ResourceDocument gives a resource in the same way (GroupVersionResource of meta/v1).
func ResourceDocument(r object.GroupVersionResource) map[string]any {
	return map[string]any{"group": r.Group, "version": r.Version, "resource": r.Resource}
}

// UserDocument gives a user in the same way (UserInfo of authentication.k8s.io/v1). It shares
// groups and extra values with the user.
func UserDocument(u object.User) map[string]any {
	d := map[string]any{}
	if u.Name != "" {
		d["username"] = u.Name
	}
	if u.UID != "" {
		d["uid"] = u.UID
	}
	if len(u.Groups) > 0 {
		d["groups"] = u.Groups
	}
	if len(u.Extra) > 0 {
		d["extra"] = u.Extra
	}
	return d
}
