package match_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// request makes a request about a resource, given as "group/version/resource" with a part behind it.
func request(operation admission.Operation, group, version, resource, part, namespace, name string) *admission.Request {
	req := &admission.Request{
		Operation: operation, Subresource: part, Namespace: namespace, Name: name,
		Resource: object.GroupVersionResource{Group: group, Version: version, Resource: resource},
		Kind:     object.GroupVersionKind{Group: group, Version: version, Kind: "Kind"},
	}
	o := object.Object{"metadata": map[string]any{"name": name}}
	if operation != admission.Delete {
		req.Object = o
	}
	if operation != admission.Create {
		req.OldObject = o.DeepCopy()
	}
	if namespace != "" {
		req.FindNamespace = func() object.Object {
			return object.Object{"metadata": map[string]any{"name": namespace, "labels": map[string]any{"env": "prod"}}}
		}
	}
	return req
}

// matches says whether a matcher is about a request.
func matches(t testing.TB, resources match.Resources, req *admission.Request, equivalence match.Equivalence) bool {
	m, err := resources.Compile()
	require.NoError(t, err)
	s := match.NewSubject(req, equivalence)
	return m.Match(&s) != nil
}

func TestRulesMatch(t *testing.T) {
	update := request(admission.Update, "apps", "v1", "deployments", "", "ns", "web")
	scale := request(admission.Update, "apps", "v1", "deployments", "scale", "ns", "web")
	role := request(admission.Create, "rbac", "v1", "clusterroles", "", "", "boss")
	namespace := request(admission.Create, "", "v1", "namespaces", "", "fresh", "fresh")
	exec := request(admission.Connect, "", "v1", "pods", "exec", "ns", "web")
	rule := func(operation, group, version, resource, scope string, names ...string) match.Rule {
		return match.Rule{Operations: []string{operation}, APIGroups: []string{group}, APIVersions: []string{version},
			Resources: []string{resource}, Scope: scope, ResourceNames: names}
	}
	for _, c := range []struct {
		name    string
		rule    match.Rule
		req     *admission.Request
		matches bool
	}{
		{"its own words", rule("UPDATE", "apps", "v1", "deployments", ""), update, true},
		{"wildcards", rule("*", "*", "*", "*", "*"), update, true},
		{"another operation", rule("CREATE", "apps", "v1", "deployments", ""), update, false},
		{"another group", rule("UPDATE", "", "v1", "deployments", ""), update, false},
		{"another version", rule("UPDATE", "apps", "v2", "deployments", ""), update, false},
		{"another resource", rule("UPDATE", "apps", "v1", "daemonsets", ""), update, false},
		{"a resource is not its parts", rule("UPDATE", "apps", "v1", "deployments", ""), scale, false},
		{"any resource is no part", rule("*", "*", "*", "*", ""), scale, false},
		{"a part", rule("UPDATE", "apps", "v1", "deployments/scale", ""), scale, true},
		{"another part", rule("UPDATE", "apps", "v1", "deployments/status", ""), scale, false},
		{"a part of any resource", rule("UPDATE", "apps", "v1", "*/scale", ""), scale, true},
		{"any part is the whole too", rule("UPDATE", "apps", "v1", "deployments/*", ""), update, true},
		{"everything", rule("*", "*", "*", "*/*", ""), scale, true},
		{"connecting", rule("CONNECT", "", "v1", "pods/exec", ""), exec, true},
		{"namespaced", rule("*", "*", "*", "*", "Namespaced"), update, true},
		{"namespaced is not of the cluster", rule("*", "*", "*", "*", "Cluster"), update, false},
		{"of the cluster", rule("*", "*", "*", "*", "Cluster"), role, true},
		{"of the cluster is not namespaced", rule("*", "*", "*", "*", "Namespaced"), role, false},
		{"a namespace is of the cluster", rule("*", "*", "*", "*", "Cluster"), namespace, true},
		{"a namespace is not in a namespace", rule("*", "*", "*", "*", "Namespaced"), namespace, false},
		{"a name", rule("*", "*", "*", "*", "", "other", "web"), update, true},
		{"another name", rule("*", "*", "*", "*", "", "other"), update, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			resources := match.Resources{ResourceRules: []match.Rule{c.rule}}
			require.Equal(t, c.matches, matches(t, resources, c.req, nil))
			everything := match.For("*").Of("*", "*/*")
			resources = match.Resources{ResourceRules: []match.Rule{everything}, ExcludeResourceRules: []match.Rule{c.rule}}
			require.Equal(t, !c.matches, matches(t, resources, c.req, nil), "excluded")
		})
	}
}

func TestSelectorsMatch(t *testing.T) {
	prod := &object.LabelSelectorSpec{MatchLabels: map[string]string{"env": "prod"}}
	test := &object.LabelSelectorSpec{MatchLabels: map[string]string{"env": "test"}}
	labelled := func(req *admission.Request, next, old string) *admission.Request {
		if next != "" {
			req.Object.Metadata()["labels"] = map[string]any{"env": next}
		}
		if old != "" {
			req.OldObject.Metadata()["labels"] = map[string]any{"env": old}
		}
		return req
	}
	pods := func(o admission.Operation) *admission.Request { return request(o, "", "v1", "pods", "", "ns", "web") }
	namespaces := func(o admission.Operation) *admission.Request {
		return request(o, "", "v1", "namespaces", "", "ns", "ns")
	}
	connect := pods(admission.Connect)
	connect.Object, connect.OldObject = object.Object{"kind": "PodExecOptions"}, nil
	for _, c := range []struct {
		name               string
		namespaces, object *object.LabelSelectorSpec
		req                *admission.Request
		matches            bool
	}{
		{"an empty selector selects all", &object.LabelSelectorSpec{}, &object.LabelSelectorSpec{}, connect, true},
		{"the namespace is selected", prod, nil, pods(admission.Create), true},
		{"the namespace is not selected", test, nil, pods(admission.Create), false},
		{"what is in no namespace always is", test, nil, request(admission.Create, "rbac", "v1", "clusterroles", "", "", "boss"), true},
		{"the object is selected", nil, prod, labelled(pods(admission.Create), "prod", ""), true},
		{"the object is not selected", nil, prod, labelled(pods(admission.Create), "test", ""), false},
		{"the object was selected before", nil, prod, labelled(pods(admission.Update), "test", "prod"), true},
		{"the deleted object was selected", nil, prod, labelled(pods(admission.Delete), "", "prod"), true},
		{"what has no metadata is not selected", nil, &object.LabelSelectorSpec{MatchExpressions: []object.LabelExpression{{Key: "a", Operator: "DoesNotExist"}}}, connect, false},
		{"the labels of a namespace being written count", prod, nil, labelled(namespaces(admission.Create), "prod", ""), true},
		{"and not those it had", prod, nil, labelled(namespaces(admission.Update), "test", "prod"), false},
		{"those of a namespace being deleted are what it has", prod, nil, namespaces(admission.Delete), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			resources := match.Resources{NamespaceSelector: c.namespaces, ObjectSelector: c.object,
				ResourceRules: []match.Rule{match.For("*").Of("*", "*/*")}}
			require.Equal(t, c.matches, matches(t, resources, c.req, nil))
		})
	}
}

// twoVersions are those of things, which used to be called items in another group.
type twoVersions struct{}

func (twoVersions) Equivalent(object.GroupVersionResource, string) []match.Form {
	form := func(group, version, resource, kind string) match.Form {
		return match.Form{
			Resource: object.GroupVersionResource{Group: group, Version: version, Resource: resource},
			Kind:     object.GroupVersionKind{Group: group, Version: version, Kind: kind},
		}
	}
	return []match.Form{form("new", "v1", "things", "Thing"), form("new", "v2", "things", "Thing"), form("old", "v1", "items", "Item")}
}

func TestEquivalentFormsMatchUnlessExact(t *testing.T) {
	req := request(admission.Create, "new", "v2", "things", "", "ns", "a")
	rules := []match.Rule{{Operations: []string{"*"}, APIGroups: []string{"old"}, APIVersions: []string{"v1"}, Resources: []string{"items"}}}
	require.True(t, matches(t, match.Resources{ResourceRules: rules}, req, twoVersions{}))
	require.True(t, matches(t, match.Resources{ResourceRules: rules, MatchPolicy: "Equivalent"}, req, twoVersions{}))
	require.False(t, matches(t, match.Resources{ResourceRules: rules, MatchPolicy: "Exact"}, req, twoVersions{}))
	require.False(t, matches(t, match.Resources{ResourceRules: rules}, req, nil))
}
