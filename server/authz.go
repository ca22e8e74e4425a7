package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// MastersOnly is an [Authorizer] for servers without roles. Members of
// system:masters may do everything; everybody may get /healthz, /livez, /readyz
// and /version; users who are known may get what describes the API; and nobody
// else may do anything.
type MastersOnly struct{}

// Authorize implements [Authorizer].
func (MastersOnly) Authorize(_ context.Context, a Attributes) (allowed bool, reason string, err error) {
	switch {
	case a.User.In(groupMasters):
		return true, "", nil
	case a.Path == "" || a.Verb != "get":
		return false, "", nil
	case isPublic(a.Path):
		return true, "", nil
	}
	return a.User.In(groupAuthenticated) && describesAPI(a.Path), "", nil
}

func isPublic(path string) bool {
	switch path {
	case "/healthz", "/livez", "/readyz", "/version", "/version/":
		return true
	}
	return false
}

func describesAPI(path string) bool {
	for _, root := range [...]string{"/api", "/apis", "/openapi"} {
		if rest, ok := strings.CutPrefix(path, root); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// authorize asks whether the user may make the request.
func (s *Server) authorize(r *http.Request, user object.User, info *requestInfo) error {
	return authorize(r.Context(), s.config.Authorizer, info.attributes(user))
}

// authorizeCreate asks whether the user may create the object that the request would
// change, if there were one.
func (x *exchange) authorizeCreate(ctx context.Context) error {
	a := x.info.attributes(x.user)
	a.Verb = "create"
	return authorize(ctx, x.config.Authorizer, a)
}

// attributes are what an authorizer decides on.
func (info *requestInfo) attributes(user object.User) Attributes {
	if !info.resource {
		return Attributes{User: user, Verb: info.verb, Path: info.path}
	}
	return Attributes{
		User:        user,
		Verb:        info.verb,
		Group:       info.gvr.Group,
		Version:     info.gvr.Version,
		Resource:    info.gvr.Resource,
		Subresource: info.subresource,
		Namespace:   info.namespace,
		Name:        info.name,
	}
}

// authorize turns a refusal into the error that the client gets.
func authorize(ctx context.Context, authorizer Authorizer, a Attributes) error {
	allowed, reason, err := authorizer.Authorize(ctx, a)
	switch {
	case err != nil:
		return object.InternalError(fmt.Errorf("authorizing: %w", err))
	case allowed:
		return nil
	}
	return forbidden(a, reason)
}

// forbidden says what the user may not do, and why, if there is more to say.
func forbidden(a Attributes, reason string) error {
	text := markup.Replace(a.refusal())
	if reason != "" {
		text += ": " + reason
	}
	gr := object.GroupResource{Group: a.Group, Resource: a.Resource}
	return object.Forbidden(gr, a.Name, errors.New(text))
}

// markup keeps what a client sent from looking like HTML in what it gets.
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (a *Attributes) refusal() string {
	if a.Resource == "" {
		return fmt.Sprintf("User %q cannot %s path %q", a.User.Name, a.Verb, a.Path)
	}
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	where := "at the cluster scope"
	if a.Namespace != "" {
		where = fmt.Sprintf("in the namespace %q", a.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q %s", a.User.Name, a.Verb, resource, a.Group, where)
}
