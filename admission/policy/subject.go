package policy

import (
	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// Form is one of the forms in which a resource is served: a version of it, or the same
// thing under another group.
type Form struct {
	Resource object.GroupVersionResource
	Kind     object.GroupVersionKind
}

// Equivalence knows the other forms of a resource.
type Equivalence interface {
	Equivalent(resource object.GroupVersionResource, subresource string) []Form
}

// subject is a request with what matching needs to know of it, found out once, for
// all policies, and only if one of them asks.
type subject struct {
	req         *admission.Request
	own         Form // that the request has
	equivalence Equivalence

	forms      []Form
	formsKnown bool

	namespaceLabels, objectLabels, oldLabels map[string]string
	namespaceKnown, objectsKnown             bool
}

func (s *subject) equivalents() []Form {
	if !s.formsKnown && s.equivalence != nil {
		s.forms = s.equivalence.Equivalent(s.req.Resource, s.req.Subresource)
	}
	s.formsKnown = true
	return s.forms
}

// inNamespace says whether the request is in one of the namespaces. What is in none always is.
func (s *subject) inNamespace(selector *object.LabelSelector) bool {
	if selector == nil || s.req.Namespace == "" && !s.req.IsNamespace() {
		return true
	}
	if !s.namespaceKnown {
		s.namespaceLabels, s.namespaceKnown = s.namespace().Labels(), true
	}
	return selector.Matches(s.namespaceLabels)
}

// namespace is the one whose labels count. For a namespace that is being written
// these are the new ones.
func (s *subject) namespace() object.Object {
	if !s.req.IsNamespace() {
		return s.req.NamespaceObject
	}
	writes := s.req.Operation == admission.Create || s.req.Operation == admission.Update
	switch {
	case writes && s.req.Subresource == "":
		return s.req.Object
	case s.req.NamespaceObject != nil:
		return s.req.NamespaceObject
	}
	return s.req.OldObject
}

// isSelected says whether the object is selected, as it is or as it will be. What has
// no metadata, such as the options of CONNECT, is not.
func (s *subject) isSelected(selector *object.LabelSelector) bool {
	if selector == nil {
		return true
	}
	if !s.objectsKnown {
		s.objectLabels, s.oldLabels, s.objectsKnown = s.req.Object.Labels(), s.req.OldObject.Labels(), true
	}
	return s.req.Object.Metadata() != nil && selector.Matches(s.objectLabels) ||
		s.req.OldObject.Metadata() != nil && selector.Matches(s.oldLabels)
}
