package main

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// discovered is an answer of a server that is asked what it serves.
type discovered struct {
	discovery.DiscoveryInterfaceWithContext
	lists []*metav1.APIResourceList
	err   error
}

func (d *discovered) ServerGroupsAndResourcesWithContext(context.Context) ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	version := func(v string) metav1.GroupVersionForDiscovery {
		return metav1.GroupVersionForDiscovery{GroupVersion: "example.com/" + v, Version: v}
	}
	group := &metav1.APIGroup{Name: "example.com", PreferredVersion: version("v1"), Versions: []metav1.GroupVersionForDiscovery{version("v2"), version("v1")}}
	return []*metav1.APIGroup{group}, d.lists, d.err
}

func listOf(version string, resources ...metav1.APIResource) *metav1.APIResourceList {
	return &metav1.APIResourceList{GroupVersion: "example.com/" + version, APIResources: resources}
}

func TestKinds(t *testing.T) {
	all := metav1.Verbs{"get", "list", "watch", "delete"}
	gears := metav1.APIResource{Name: "gears", Kind: "Gear", Namespaced: true, Verbs: all}
	d := &discovered{lists: []*metav1.APIResourceList{
		listOf("v2", gears, metav1.APIResource{Name: "news", Kind: "New", Verbs: metav1.Verbs{"get", "list"}}),
		listOf("v1", gears, metav1.APIResource{Name: "gears/status", Kind: "Gear", Verbs: all}, metav1.APIResource{Name: "events", Kind: "Event", Verbs: all}),
	}}
	k := &kinds{client: d}
	require.NoError(t, k.refresh(t.Context()))
	group := object.GroupResource{Group: "example.com", Resource: "gears"}
	preferred := resource{gvr: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gears"}, kind: "Gear", namespaced: true, watched: true}
	require.Equal(t, map[object.GroupResource]resource{group: preferred}, k.watched(), "what can be watched, in the preferred version")
	for _, version := range []string{"v1", "v2"} {
		found, err := k.find(object.GroupVersionKind{Group: "example.com", Version: version, Kind: "Gear"})
		require.NoError(t, err)
		require.Equal(t, gc.Resource{GroupResource: group, Namespaced: true}, found)
	}
	_, err := k.find(object.GroupVersionKind{Group: "example.com", Version: "v3", Kind: "Gear"})
	require.True(t, object.IsNotFound(err), "%v", err)
	_, err = k.resource(object.GroupResource{Resource: "gears"})
	require.Error(t, err)
	require.False(t, object.IsNotFound(err), "no object is gone for that")

	d.lists, d.err = d.lists[:1], &discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{preferred.gvr.GroupVersion(): errors.New("away")}}
	require.NoError(t, k.refresh(t.Context()))
	require.Equal(t, preferred, k.watched()[group], "what can't be looked at stays as it was")
	d.err = errors.New("all are away")
	require.ErrorIs(t, k.refresh(t.Context()), d.err)
	require.Equal(t, preferred, k.watched()[group])
	d.err = nil
	require.NoError(t, k.refresh(t.Context()))
	require.Equal(t, "v2", k.watched()[group].gvr.Version)
}

func TestThatThereIsNoPathSaysNothingOfAnObject(t *testing.T) {
	key := object.Key{GroupResource: object.GroupResource{Group: "example.com", Resource: "gears"}, Namespace: "default", Name: "a"}
	gears := schema.GroupResource{Group: key.Group, Resource: key.Resource}
	gone := apierrors.NewNotFound(gears, key.Name)
	require.True(t, object.IsNotFound(translate(gone, key)))
	noPath := apierrors.NewGenericServerResponse(404, "get", gears, key.Name, "404 page not found", 0, true)
	require.False(t, object.IsNotFound(translate(noPath, key)))
	require.True(t, object.IsNotFound(translateList(noPath, key)))
	require.NoError(t, translate(nil, key))
}

func TestAFeedThatHasToListAgainHasMissedSomething(t *testing.T) {
	var failure error
	f := &feed{kinds: &kinds{}, fail: func(err error) { failure = err }, tried: make(chan struct{})}
	require.NoError(t, f.Replace(nil, "1"))
	require.NoError(t, failure)
	<-f.tried
	require.NoError(t, f.Replace(nil, "2"))
	require.ErrorIs(t, failure, errMissed)
}
