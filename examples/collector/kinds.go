package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/seed-6c0fa0ad/plinth/gc"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// resource is a kind that is served, in the version that the server prefers.
type resource struct {
	gvr        schema.GroupVersionResource
	kind       string
	namespaced bool
	watched    bool // it can be, and is worth it
}

func (r resource) group() object.GroupResource {
	return object.GroupResource{Group: r.gvr.Group, Resource: r.gvr.Resource}
}

// kinds is what the server serves, as it was when somebody last looked.
type kinds struct {
	client  discovery.DiscoveryInterfaceWithContext
	looking sync.Mutex // one at a time, so that the newest answer stays

	mu        sync.Mutex
	byKind    map[object.GroupVersionKind]object.GroupResource
	resources map[object.GroupResource]resource
	listed    map[object.GroupResource]bool // those whose changes are seen from now on
}

// refresh looks again. Groups that can't be looked at stay as they were.
func (k *kinds) refresh(ctx context.Context) error {
	k.looking.Lock()
	defer k.looking.Unlock()
	groups, lists, err := k.client.ServerGroupsAndResourcesWithContext(ctx)
	failed, partial := discovery.GroupDiscoveryFailedErrorGroups(err)
	if err != nil && !partial {
		return fmt.Errorf("looking for what is served: %w", err)
	}
	byKind, resources := map[object.GroupVersionKind]object.GroupResource{}, map[object.GroupResource]resource{}
	preference := preferences(groups)
	lists = slices.SortedFunc(slices.Values(lists), func(a, b *metav1.APIResourceList) int {
		return preference[a.GroupVersion] - preference[b.GroupVersion]
	})
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return err
		}
		for i := range list.APIResources {
			r := resourceOf(gv, &list.APIResources[i])
			if r.kind == "" {
				continue
			}
			byKind[object.GroupVersionKind{Group: gv.Group, Version: gv.Version, Kind: r.kind}] = r.group()
			if _, known := resources[r.group()]; !known {
				resources[r.group()] = r
			}
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for gvk, group := range k.byKind {
		if _, found := failed[schema.GroupVersion{Group: gvk.Group, Version: gvk.Version}]; found {
			byKind[gvk] = group
		}
	}
	for group, r := range k.resources {
		if _, found := failed[r.gvr.GroupVersion()]; found {
			resources[group] = r
		}
	}
	k.byKind, k.resources = byKind, resources
	return nil
}

// preferences are the versions of all groups, numbered: those that the server prefers have
// lower numbers.
func preferences(groups []*metav1.APIGroup) map[string]int {
	numbers := map[string]int{}
	for _, g := range groups {
		for _, version := range append([]metav1.GroupVersionForDiscovery{g.PreferredVersion}, g.Versions...) {
			if _, known := numbers[version.GroupVersion]; !known {
				numbers[version.GroupVersion] = len(numbers)
			}
		}
	}
	return numbers
}

// resourceOf reads what discovery says; without a kind if it is none of its own.
func resourceOf(gv schema.GroupVersion, r *metav1.APIResource) resource {
	if strings.Contains(r.Name, "/") {
		return resource{}
	}
	watched := r.Name != "events" // there are many, nobody owns them, and they go by themselves
	for _, verb := range []string{"list", "watch", "delete"} {
		watched = watched && slices.Contains(r.Verbs, verb)
	}
	return resource{gvr: gv.WithResource(r.Name), kind: r.Kind, namespaced: r.Namespaced, watched: watched}
}

func (k *kinds) find(kind object.GroupVersionKind) (gc.Resource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	group, ok := k.byKind[kind]
	if !ok {
		return gc.Resource{}, object.NotFound(object.GroupResource{Group: kind.Group, Resource: kind.Kind}, "")
	}
	return gc.Resource{GroupResource: group, Namespaced: k.resources[group].namespaced}, nil
}

// resource gives what is served of a resource. The error is not NotFound, which would say of an
// object that it is gone.
func (k *kinds) resource(group object.GroupResource) (resource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r, ok := k.resources[group]
	if !ok {
		return r, fmt.Errorf("%s is not served", group)
	}
	return r, nil
}

// watched are the resources to be watched.
func (k *kinds) watched() map[object.GroupResource]resource {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := map[object.GroupResource]resource{}
	for group, r := range k.resources {
		if r.watched {
			found[group] = r
		}
	}
	return found
}

func (k *kinds) isListed(group object.GroupResource) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.listed[group]
}

func (k *kinds) setListed(group object.GroupResource, listed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.listed == nil {
		k.listed = map[object.GroupResource]bool{}
	}
	k.listed[group] = listed
}

// unlist says that no changes are seen any more.
func (k *kinds) unlist() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listed = nil
}
