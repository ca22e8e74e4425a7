package guard_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/guard"
	"github.com/seed-6c0fa0ad/plinth/object"
)

func request(operation admission.Operation, resource, kind, namespace, name string) *admission.Request {
	return &admission.Request{
		Operation: operation, Resource: object.GroupVersionResource{Version: "v1", Resource: resource},
		Kind: object.GroupVersionKind{Version: "v1", Kind: kind}, Namespace: namespace, Name: name,
		User: object.User{Name: "jane"}, Object: object.Object{"metadata": map[string]any{"name": name}},
	}
}

// namespaces are those that there are, with their phases.
type namespaces map[string]string

func (n namespaces) Namespace(_ context.Context, name string) (object.Object, error) {
	switch phase := n[name]; phase {
	case "":
		return nil, object.NotFound(object.GroupResource{Resource: "namespaces"}, name)
	case "broken":
		return nil, errors.New("no disk")
	default:
		return object.Object{"status": map[string]any{"phase": phase}}, nil
	}
}

func TestNamespacesMustBeThereAndStay(t *testing.T) {
	chain := admission.Chain{Mutators: []admission.Mutator{guard.Namespaces{Reader: namespaces{"here": "Active", "going": "Terminating", "bad": "broken"}}}}
	create := func(namespace string) *admission.Request {
		return request(admission.Create, "configmaps", "ConfigMap", namespace, "a")
	}
	review := create("missing")
	review.Resource = object.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "localsubjectaccessreviews"}
	remove := func(name string) *admission.Request {
		return request(admission.Delete, "namespaces", "Namespace", name, name)
	}
	for _, c := range []struct {
		name string
		req  *admission.Request
		want string
	}{
		{"in one that is there", create("here"), ""},
		{"in none", create(""), ""},
		{"in one that is missing", create("missing"), `namespaces "missing" not found`},
		{"in one that goes", create("going"), `configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated`},
		{"in one that cannot be read", create("bad"), "Internal error occurred: reading namespace bad: no disk"},
		{"what only asks", review, ""},
		{"an update", request(admission.Update, "configmaps", "ConfigMap", "going", "a"), ""},
		{"a deletion", request(admission.Delete, "configmaps", "ConfigMap", "missing", "a"), ""},
		{"a new namespace", request(admission.Create, "namespaces", "Namespace", "new", "new"), ""},
		{"the end of a namespace", remove("here"), ""},
		{"the end of one that stays", remove("kube-system"), `namespaces "kube-system" is forbidden: this namespace may not be deleted`},
		{"the end of one that may go", remove("kube-node-lease"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := chain.Mutate(t.Context(), c.req)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, c.want)
		})
	}
	err := object.AsStatus(chain.Mutate(t.Context(), create("going")))
	require.Equal(t, []object.Cause{{Reason: "NamespaceTerminating", Message: "namespace going is being terminated", Field: "metadata.namespace"}}, err.Details.Causes)
	own := guard.Namespaces{Immortal: []string{}}
	require.NoError(t, own.Mutate(t.Context(), remove("default")))
}

// rights are what jane may do: "verb resource/subresource namespace/name".
type rights []string

func (r rights) Authorize(_ context.Context, a guard.AccessCheck) (bool, string, error) {
	text := fmt.Sprintf("%s %s/%s %s/%s", a.Verb, a.Resource.Resource, a.Subresource, a.Namespace, a.Name)
	for _, right := range r {
		if right == text {
			return true, "", nil
		}
	}
	return false, "no right to " + text, nil
}

// kinds knows ReplicaSets and Nodes.
type kinds struct{}

func (kinds) ResourceOf(kind object.GroupVersionKind) (object.GroupVersionResource, bool, error) {
	switch kind.Kind {
	case "ReplicaSet":
		return object.GroupVersionResource{Group: "apps", Version: "v1", Resource: "replicasets"}, true, nil
	case "Node":
		return object.GroupVersionResource{Version: "v1", Resource: "nodes"}, false, nil
	}
	return object.GroupVersionResource{}, false, fmt.Errorf("no matches for kind %q in version %q", kind.Kind, kind.GroupVersion())
}

func ref(kind, name string, blocks bool) object.OwnerReference {
	r := object.OwnerReference{APIVersion: "v1", Kind: kind, Name: name, UID: name}
	if blocks {
		r.BlockOwnerDeletion = &blocks
	}
	return r
}

func TestOwnersNeedRights(t *testing.T) {
	refs := func(all ...object.OwnerReference) []object.OwnerReference {
		return append([]object.OwnerReference{}, all...)
	}
	for _, c := range []struct {
		name          string
		rights        rights
		before, after []object.OwnerReference // no before is for a creation
		want          string
	}{
		{"a new object may have owners", nil, nil, refs(ref("ReplicaSet", "a", false)), ""},
		{
			"which it may not block", nil, nil, refs(ref("ReplicaSet", "a", true)),
			"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no right to update replicasets/finalizers team/a, <nil>",
		},
		{"but with the right", rights{"update replicasets/finalizers team/a"}, nil, refs(ref("ReplicaSet", "a", true)), ""},
		{"which for some is in no namespace", rights{"update nodes/finalizers /a"}, nil, refs(ref("Node", "a", true)), ""},
		{"or with the right to everything", rights{"update */finalizers /*"}, nil, refs(ref("Odd", "a", true)), ""},
		{
			"an owner of a kind that nobody knows", nil, nil, refs(ref("Odd", "a", true)),
			`cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 Kind Odd: no matches for kind "Odd" in version "v1"`,
		},
		{
			"an old object gets an owner", nil, refs(), refs(ref("ReplicaSet", "a", false)),
			"cannot set an ownerRef on a resource you can't delete: no right to delete pods/ team/p, <nil>",
		},
		{
			"or loses one", nil, refs(ref("ReplicaSet", "a", false)), refs(),
			"cannot set an ownerRef on a resource you can't delete: no right to delete pods/ team/p, <nil>",
		},
		{"with the right", rights{"delete pods/ team/p"}, refs(), refs(ref("ReplicaSet", "a", false)), ""},
		{
			"an owner begins to be blocked", rights{"delete pods/ team/p"}, refs(ref("ReplicaSet", "a", false)), refs(ref("ReplicaSet", "a", true)),
			"cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: no right to update replicasets/finalizers team/a, <nil>",
		},
		{"it was blocked before", rights{"delete pods/ team/p"}, refs(ref("ReplicaSet", "a", true)), refs(ref("Node", "b", false), ref("ReplicaSet", "a", true)), ""},
		{"nothing changes", nil, refs(ref("ReplicaSet", "a", true)), refs(ref("ReplicaSet", "a", true)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := request(admission.Create, "pods", "Pod", "team", "p")
			req.Object.SetOwnerReferences(c.after)
			if c.before != nil {
				req.Operation, req.OldObject = admission.Update, object.Object{}
				req.OldObject.SetOwnerReferences(c.before)
			}
			chain := admission.Chain{Validators: []admission.Validator{guard.Owners{Authorizer: c.rights, Kinds: kinds{}}}}
			err := chain.Validate(t.Context(), req)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, `pods "p" is forbidden: `+c.want)
			req.Subresource = "status"
			require.NoError(t, chain.Validate(t.Context(), req))
		})
	}
}

func event(namespace, user string, fields map[string]any) *admission.Request {
	req := request(admission.Create, "events", "Event", namespace, "e")
	req.User.Name = user
	for name, v := range fields {
		req.Object[name] = v
	}
	return req
}

func TestEventsBeyondTheRateAreRefused(t *testing.T) {
	about := func(group, name string) map[string]any {
		return map[string]any{group: map[string]any{"kind": "Pod", "name": name}}
	}
	for _, c := range []struct {
		limit       guard.LimitType
		first, next *admission.Request // of which the next one counts for itself
		key         string
	}{
		{guard.ServerLimit, event("a", "u", nil), nil, ""},
		{guard.NamespaceLimit, event("a", "u", nil), event("b", "u", nil), "a"},
		{guard.UserLimit, event("a", "u", nil), event("a", "v", nil), "u"},
		{guard.SourceAndObjectLimit, event("a", "u", about("involvedObject", "p")), event("a", "u", about("regarding", "q")), "Podp"},
	} {
		t.Run(string(c.limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stage, err := guard.NewEventRate(guard.EventLimit{Type: c.limit, QPS: 2, Burst: 3})
				require.NoError(t, err)
				for range 3 {
					require.NoError(t, stage.Validate(t.Context(), c.first))
				}
				err = stage.Validate(t.Context(), c.first)
				require.EqualError(t, err, fmt.Sprintf("Too many requests: limit reached on type %s for key %s", c.limit, c.key))
				require.Equal(t, 429, object.AsStatus(err).Code)
				if c.next != nil {
					require.NoError(t, stage.Validate(t.Context(), c.next))
				}
				time.Sleep(time.Second)
				require.NoError(t, stage.Validate(t.Context(), c.first))
				require.NoError(t, stage.Validate(t.Context(), c.first))
				require.Error(t, stage.Validate(t.Context(), c.first))
			})
		})
	}
}

func TestAllLimitsCountEachEvent(t *testing.T) {
	stage, err := guard.NewEventRate(
		guard.EventLimit{Type: guard.NamespaceLimit, QPS: 1, Burst: 1}, guard.EventLimit{Type: guard.UserLimit, QPS: 1, Burst: 1})
	require.NoError(t, err)
	dry := event("a", "u", nil)
	dry.DryRun = true
	for _, req := range []*admission.Request{dry, request(admission.Delete, "events", "Event", "a", "e"), request(admission.Create, "pods", "Pod", "a", "p")} {
		require.NoError(t, stage.Validate(t.Context(), req))
	}
	require.NoError(t, stage.Validate(t.Context(), event("a", "u", nil)))
	require.EqualError(t, stage.Validate(t.Context(), event("a", "u", nil)),
		"Too many requests: [limit reached on type Namespace for key a, limit reached on type User for key u]")
}

func TestTheLeastRecentBucketIsForgotten(t *testing.T) {
	stage, err := guard.NewEventRate(guard.EventLimit{Type: guard.NamespaceLimit, QPS: 1, Burst: 1, CacheSize: 2})
	require.NoError(t, err)
	write := func(namespace string) error { return stage.Validate(t.Context(), event(namespace, "u", nil)) }
	require.NoError(t, write("a"))
	require.NoError(t, write("b"))
	require.Error(t, write("a"))
	require.NoError(t, write("c"), "b is forgotten for it")
	require.Error(t, write("a"))
	require.NoError(t, write("b"))
}

func TestBadLimitsAreNamed(t *testing.T) {
	_, err := guard.NewEventRate(guard.EventLimit{Type: "Odd", CacheSize: -1})
	require.EqualError(t, err, `limits of events: [limits[0].type: Unsupported value: "Odd": supported values: "Namespace", "Server", "SourceAndObject", "User", `+
		`limits[0].burst: Invalid value: 0: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]`)
}

func BenchmarkEventRate(b *testing.B) {
	stage, err := guard.NewEventRate(guard.EventLimit{Type: guard.UserLimit, QPS: 1 << 30, Burst: 1 << 30})
	require.NoError(b, err)
	req := event("a", "u", nil)
	for b.Loop() {
		if err := stage.Validate(b.Context(), req); err != nil {
			b.Fatal(err)
		}
	}
}
