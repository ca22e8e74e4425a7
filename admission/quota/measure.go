package quota

import (
	"slices"
	"strings"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/admission/amounts"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/quantity"
)

// measure knows what the objects of one resource use up.
type measure struct {
	resource object.GroupResource

	// counts says whether what a quota limits under a name is used up by such objects.
	counts func(name string) bool

	// usage gives what an object uses up.
	usage func(o object.Object) (amounts.Amounts, error)

	// fixed says that each object uses one of what it uses, and in no scope.
	fixed bool

	// inScope says whether an object is in the scope of a quota; nil if none is in any.
	inScope func(o object.Object, s scope) (bool, error)

	// concerns says whether a request can change what is used.
	concerns func(req *admission.Request) bool

	// missing says which of the limited names an object must say something of and doesn't.
	// It may be nil.
	missing func(o object.Object, names []string) error
}

// measureOf gives the measure of a resource: that of the kinds which use more than their own
// number, or else a count.
func measureOf(resource object.GroupResource) *measure {
	switch resource {
	case pods.resource:
		return &pods
	case services.resource:
		return &services
	case claims.resource:
		return &claims
	case deviceClaims.resource:
		return &deviceClaims
	}
	return counted(resource)
}

// countName is the name under which a quota limits the number of objects.
func countName(resource object.GroupResource) string { return "count/" + resource.String() }

// counted measures objects by their number. Some have a second name for it.
func counted(resource object.GroupResource) *measure {
	names := []string{countName(resource)}
	if resource.Group == "" && slices.Contains(oldNames, resource.Resource) {
		names = append(names, resource.Resource)
	}
	return &measure{
		resource: resource,
		fixed:    true,
		counts:   func(name string) bool { return slices.Contains(names, name) },
		usage: func(object.Object) (amounts.Amounts, error) {
			used := make(amounts.Amounts, len(names))
			for _, name := range names {
				used[name] = one
			}
			return used, nil
		},
		concerns: func(req *admission.Request) bool { return req.Subresource == "" && req.Operation == admission.Create },
	}
}

var one = quantity.Of(1)

// oldNames are the resources that were counted under their own names first.
var oldNames = []string{"configmaps", "resourcequotas", "replicationcontrollers", "secrets"}

// measures gives those that count anything of what a quota limits, each once.
func measures(names []string) []*measure {
	var all []*measure
	add := func(m *measure) {
		if !slices.ContainsFunc(all, func(o *measure) bool { return o.resource == m.resource }) {
			all = append(all, m)
		}
	}
	for _, name := range names {
		for _, m := range []*measure{&pods, &services, &claims, &deviceClaims} {
			if m.counts(name) {
				add(m)
			}
		}
		resource, isCount := strings.CutPrefix(name, "count/")
		if isCount || slices.Contains(oldNames, name) {
			resource, group, _ := strings.Cut(resource, ".")
			add(measureOf(object.GroupResource{Group: group, Resource: resource}))
		}
	}
	return all
}

// isIgnored says of which resources quotas keep no count: those that are not stored, and events.
func isIgnored(resource object.GroupResource) bool {
	switch resource.Group {
	case "":
		return slices.Contains([]string{"events", "bindings", "componentstatuses"}, resource.Resource)
	case "events.k8s.io":
		return resource.Resource == "events"
	case "authentication.k8s.io", "authorization.k8s.io":
		return true
	}
	return false
}

func isCreateOrUpdate(req *admission.Request) bool {
	return req.Operation == admission.Create || req.Operation == admission.Update
}
