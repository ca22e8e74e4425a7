package server

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/object"
)

const (
	headerUser  = "Impersonate-User"
	headerUID   = "Impersonate-Uid"
	headerGroup = "Impersonate-Group"
	headerExtra = "Impersonate-Extra-" // and a key
)

// authenticationGroup is the API group of what can be impersonated.
const authenticationGroup = "authentication.k8s.io"

// impersonate gives the user that a request acts as: the one its headers name, if
// the user may do that, or else the user.
func (s *Server) impersonate(r *http.Request, user object.User) (object.User, error) {
	wanted, err := wantedUser(r.Header)
	if err != nil || wanted == nil {
		return user, err
	}
	info := parseRequestInfo(r)
	return impersonate(r.Context(), s.config.Authorizer, info.attributes(user), wanted)
}

// wantedUser reads the headers; nil if there are none.
func wantedUser(h http.Header) (*object.User, error) {
	wanted := object.User{Name: h.Get(headerUser), UID: h.Get(headerUID), Groups: h[headerGroup]}
	more := wanted.UID != "" || len(wanted.Groups) > 0
	for name, values := range h {
		key, ok := strings.CutPrefix(name, headerExtra)
		if !ok {
			continue
		}
		more = true
		if wanted.Extra == nil {
			wanted.Extra = map[string][]string{}
		}
		key = extraKey(key)
		wanted.Extra[key] = append(wanted.Extra[key], values...)
	}
	switch {
	case wanted.Name != "":
		wanted.Groups = slices.Clone(wanted.Groups)
		return &wanted, nil
	case more:
		return nil, object.BadRequest("requested a uid, groups or extra values without impersonating a user name")
	}
	return nil, nil
}

// extraKey reads a key, in which what headers cannot hold is percent-encoded.
func extraKey(s string) string {
	s = strings.ToLower(s)
	if key, err := url.PathUnescape(s); err == nil {
		return key
	}
	return s
}

// impersonate tries the ways in which a user may be allowed to act as another:
// first the constrained one for such a user, which asks also for the right to do
// what the request does in somebody's name, and then the plain one. If all fail,
// the first refusal counts.
func impersonate(ctx context.Context, authorizer Authorizer, request Attributes, wanted *object.User) (object.User, error) {
	var refusal error
	if mode := constrainedMode(wanted); mode != "" {
		on := request
		on.Verb = "impersonate-on:" + mode + ":" + request.Verb
		refusal = authorize(ctx, authorizer, on)
		if refusal == nil {
			refusal = checkImpersonation(ctx, authorizer, request.User, wanted, "impersonate:"+mode)
		}
		if refusal == nil {
			return impersonated(wanted, mode), nil
		}
	}
	err := checkImpersonation(ctx, authorizer, request.User, wanted, "impersonate")
	switch {
	case err == nil:
		return impersonated(wanted, ""), nil
	case refusal == nil:
		refusal = err
	}
	return object.User{}, refusal
}

// The modes of constrained impersonation.
const (
	modeNode           = "arbitrary-node"
	modeServiceAccount = "serviceaccount"
	modeUserInfo       = "user-info"
)

// constrainedMode is how such a user is impersonated with constraints; "" if it
// cannot be: of nodes and service accounts the name alone may be given.
func constrainedMode(wanted *object.User) string {
	nameOnly := wanted.UID == "" && len(wanted.Groups) == 0 && len(wanted.Extra) == 0
	_, isNode := nodeName(wanted.Name)
	_, _, isAccount := serviceAccount(wanted.Name)
	switch {
	case isNode && nameOnly:
		return modeNode
	case isAccount && nameOnly:
		return modeServiceAccount
	case isNode || isAccount:
		return ""
	}
	return modeUserInfo
}

func nodeName(user string) (string, bool) {
	name, ok := strings.CutPrefix(user, "system:node:")
	return name, ok && name != ""
}

func serviceAccount(user string) (namespace, name string, ok bool) {
	rest, ok := strings.CutPrefix(user, "system:serviceaccount:")
	if !ok {
		return "", "", false
	}
	namespace, name, ok = strings.Cut(rest, ":")
	return namespace, name, ok && namespace != "" && name != "" && !strings.Contains(name, ":")
}

// checkImpersonation asks about every part of the wanted user.
func checkImpersonation(ctx context.Context, authorizer Authorizer, by object.User, wanted *object.User, verb string) error {
	constrained := verb != "impersonate"
	group := ""
	if constrained {
		group = authenticationGroup
	}
	name := Attributes{User: by, Verb: verb, Group: group, Version: "v1", Resource: "users", Name: wanted.Name}
	if node, ok := nodeName(wanted.Name); ok && constrained {
		name.Resource, name.Name = "nodes", node
	}
	if namespace, account, ok := serviceAccount(wanted.Name); ok {
		name.Resource, name.Namespace, name.Name = "serviceaccounts", namespace, account
	}
	checks := []Attributes{name}
	if wanted.UID != "" {
		checks = append(checks, Attributes{User: by, Verb: verb, Group: authenticationGroup, Version: "v1", Resource: "uids", Name: wanted.UID})
	}
	for _, g := range wanted.Groups {
		checks = append(checks, Attributes{User: by, Verb: verb, Group: group, Version: "v1", Resource: "groups", Name: g})
	}
	for _, key := range slices.Sorted(maps.Keys(wanted.Extra)) {
		for _, value := range wanted.Extra[key] {
			checks = append(checks, Attributes{
				User: by, Verb: verb, Group: authenticationGroup, Version: "v1",
				Resource: "userextras", Subresource: key, Name: value,
			})
		}
	}
	for _, check := range checks {
		if err := authorize(ctx, authorizer, check); err != nil {
			return err
		}
	}
	return nil
}

// impersonated completes a wanted user with the groups that it has by its nature.
func impersonated(wanted *object.User, mode string) object.User {
	user := *wanted
	if namespace, _, ok := serviceAccount(user.Name); ok && len(user.Groups) == 0 {
		user.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	}
	if mode == modeNode {
		user.Groups = []string{"system:nodes"}
	}
	switch {
	case user.Name == userAnonymous && !user.In(groupUnauthenticated):
		user.Groups = append(user.Groups, groupUnauthenticated)
	case user.Name != userAnonymous && !user.In(groupUnauthenticated) && !user.In(groupAuthenticated):
		user.Groups = append(user.Groups, groupAuthenticated)
	}
	return user
}
