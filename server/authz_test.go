package server

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/object"
)

var (
	admin = object.User{Name: "admin", Groups: []string{groupMasters, groupAuthenticated}}
	jane  = object.User{Name: "jane", Groups: []string{groupAuthenticated}}
)

func TestMastersOnly(t *testing.T) {
	for _, test := range []struct {
		name string
		a    Attributes
		want bool
	}{
		{"masters may do everything", Attributes{User: admin, Verb: "delete", Resource: "secrets"}, true},
		{"masters may get any path", Attributes{User: admin, Verb: "post", Path: "/x"}, true},
		{"nobody else may read objects", Attributes{User: jane, Verb: "get", Resource: "secrets"}, false},
		{"everybody may read health", Attributes{User: anonymous, Verb: "get", Path: "/livez"}, true},
		{"everybody may read the version", Attributes{User: anonymous, Verb: "get", Path: "/version/"}, true},
		{"but not post to it", Attributes{User: anonymous, Verb: "post", Path: "/version"}, false},
		{"nor look at single checks", Attributes{User: anonymous, Verb: "get", Path: "/livez/ping"}, false},
		{"known users may read discovery", Attributes{User: jane, Verb: "get", Path: "/apis/apps/v1"}, true},
		{"and the schemas", Attributes{User: jane, Verb: "get", Path: "/openapi/v3"}, true},
		{"unknown ones may not", Attributes{User: anonymous, Verb: "get", Path: "/apis"}, false},
		{"other paths are for nobody", Attributes{User: jane, Verb: "get", Path: "/apiserver"}, false},
		{"nor is the root", Attributes{User: jane, Verb: "get", Path: "/"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			allowed, _, err := MastersOnly{}.Authorize(t.Context(), test.a)
			require.NoError(t, err)
			require.Equal(t, test.want, allowed)
		})
	}
}

func TestRefusalsAreWordedAsTheAPIDoes(t *testing.T) {
	for _, test := range []struct {
		a    Attributes
		want string
	}{
		{Attributes{Verb: "get", Resource: "configmaps", Namespace: "x", Name: "a"}, `configmaps "a" is forbidden: User "jane" cannot get resource "configmaps" in API group "" in the namespace "x"`},
		{Attributes{Verb: "list", Resource: "configmaps"}, `configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope`},
		{Attributes{Verb: "get", Group: "apps", Resource: "deployments", Subresource: "status", Namespace: "x", Name: "d"}, `deployments.apps "d" is forbidden: User "jane" cannot get resource "deployments/status" in API group "apps" in the namespace "x"`},
		{Attributes{Verb: "get", Path: "/metrics"}, `forbidden: User "jane" cannot get path "/metrics"`},
		{Attributes{Verb: "get", Path: "/<b>"}, `forbidden: User "jane" cannot get path "/&lt;b&gt;"`},
	} {
		test.a.User = jane
		err := authorize(t.Context(), MastersOnly{}, test.a)
		require.EqualError(t, err, test.want)
		require.Equal(t, 403, object.AsStatus(err).Code)
		require.NotNil(t, object.AsStatus(err).Details)
	}
}

// decide is an authorizer by a function.
type decide func(a Attributes) (bool, string, error)

func (d decide) Authorize(_ context.Context, a Attributes) (bool, string, error) { return d(a) }

func TestReasonsAndFailuresOfAuthorizers(t *testing.T) {
	a := Attributes{User: jane, Verb: "get", Path: "/x"}
	err := authorize(t.Context(), decide(func(Attributes) (bool, string, error) { return false, "it is late", nil }), a)
	require.EqualError(t, err, `forbidden: User "jane" cannot get path "/x": it is late`)
	err = authorize(t.Context(), decide(func(Attributes) (bool, string, error) { return true, "", errors.New("no answer") }), a)
	require.ErrorIs(t, err, object.ErrInternal)
}

func TestImpersonation(t *testing.T) {
	request := Attributes{User: admin, Verb: "create", Resource: "configmaps", Namespace: "x"}
	for _, test := range []struct {
		name   string
		header http.Header
		want   object.User
	}{
		{"a user", http.Header{"Impersonate-User": {"lou"}}, object.User{Name: "lou", Groups: []string{groupAuthenticated}}},
		{
			"with everything",
			http.Header{"Impersonate-User": {"lou"}, "Impersonate-Uid": {"u"}, "Impersonate-Group": {"a", "b"}, "Impersonate-Extra-Some%2fkey": {"v", "w"}},
			object.User{Name: "lou", UID: "u", Groups: []string{"a", "b", groupAuthenticated}, Extra: map[string][]string{"some/key": {"v", "w"}}},
		},
		{"nobody", http.Header{"Impersonate-User": {userAnonymous}}, object.User{Name: userAnonymous, Groups: []string{groupUnauthenticated}}},
		{"unauthenticated by request", http.Header{"Impersonate-User": {"lou"}, "Impersonate-Group": {groupUnauthenticated}}, object.User{Name: "lou", Groups: []string{groupUnauthenticated}}},
		{"a service account", http.Header{"Impersonate-User": {"system:serviceaccount:ns:robot"}}, object.User{Name: "system:serviceaccount:ns:robot", Groups: []string{"system:serviceaccounts", "system:serviceaccounts:ns", groupAuthenticated}}},
		{"a service account in other groups", http.Header{"Impersonate-User": {"system:serviceaccount:ns:robot"}, "Impersonate-Group": {"only-this"}}, object.User{Name: "system:serviceaccount:ns:robot", Groups: []string{"only-this", groupAuthenticated}}},
		{"a node", http.Header{"Impersonate-User": {"system:node:n"}}, object.User{Name: "system:node:n", Groups: []string{"system:nodes", groupAuthenticated}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			wanted, err := wantedUser(test.header)
			require.NoError(t, err)
			user, err := impersonate(t.Context(), MastersOnly{}, request, wanted)
			require.NoError(t, err)
			require.Equal(t, test.want, user)
		})
	}
}

func TestImpersonationRefused(t *testing.T) {
	request := Attributes{User: jane, Verb: "list", Resource: "configmaps", Namespace: "x"}
	only := func(verbs ...string) Authorizer {
		return decide(func(a Attributes) (bool, string, error) {
			for _, v := range verbs {
				if v == a.Verb+" "+a.Resource {
					return true, "", nil
				}
			}
			return false, "", nil
		})
	}
	for _, test := range []struct {
		name   string
		rights Authorizer
		wanted object.User
		err    string
	}{
		{"a user", only(), object.User{Name: "lou"}, `configmaps is forbidden: User "jane" cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "x"`},
		{"a node", only(), object.User{Name: "system:node:n"}, `configmaps is forbidden: User "jane" cannot impersonate-on:arbitrary-node:list resource "configmaps" in API group "" in the namespace "x"`},
		{"an account", only(), object.User{Name: "system:serviceaccount:x:y"}, `configmaps is forbidden: User "jane" cannot impersonate-on:serviceaccount:list resource "configmaps" in API group "" in the namespace "x"`},
		{"acting alone", only("impersonate-on:user-info:list configmaps"), object.User{Name: "lou"}, `users.authentication.k8s.io "lou" is forbidden: User "jane" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope`},
		{"a group on top", only("impersonate-on:user-info:list configmaps", "impersonate:user-info users"), object.User{Name: "lou", Groups: []string{"devs"}}, `groups.authentication.k8s.io "devs" is forbidden: User "jane" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope`},
		{"an account with groups", only(), object.User{Name: "system:serviceaccount:x:y", Groups: []string{"g"}}, `serviceaccounts "y" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "x"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := impersonate(t.Context(), test.rights, request, &test.wanted)
			require.EqualError(t, err, test.err)
		})
	}
	user, err := impersonate(t.Context(), only("impersonate users"), request, &object.User{Name: "lou"})
	require.NoError(t, err)
	require.Equal(t, "lou", user.Name)
}

func TestImpersonationNeedsAName(t *testing.T) {
	for _, h := range []http.Header{{"Impersonate-Group": {"g"}}, {"Impersonate-Uid": {"u"}}, {"Impersonate-Extra-X": {"y"}}} {
		_, err := wantedUser(h)
		require.ErrorIs(t, err, object.ErrBadRequest)
	}
	wanted, err := wantedUser(http.Header{})
	require.NoError(t, err)
	require.Nil(t, wanted)
}
