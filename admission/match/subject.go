package match

import (
	"context"

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

// Converter brings an object into another form of its resource. The result is only read.
type Converter interface {
	Convert(ctx context.Context, o object.Object, to object.GroupVersionKind) (object.Object, error)
}

// Subject is a request with what matching needs to know of it, found out once, for
// all matchers, and only if one of them asks.
type Subject struct {
	Request     *admission.Request
	own         Form // that the request has
	equivalence Equivalence

	forms      []Form
	formsKnown bool

	namespaceLabels, objectLabels, oldLabels map[string]string
	namespaceKnown, objectsKnown             bool
}

// NewSubject makes a subject; without an equivalence, the request has one form only.
func NewSubject(req *admission.Request, equivalence Equivalence) Subject {
	return Subject{Request: req, own: Form{req.Resource, req.Kind}, equivalence: equivalence}
}

func (s *Subject) equivalents() []Form {
	if !s.formsKnown && s.equivalence != nil {
		s.forms = s.equivalence.Equivalent(s.Request.Resource, s.Request.Subresource)
	}
	s.formsKnown = true
	return s.forms
}

// inNamespace says whether the request is in one of the namespaces. What is in none always is.
func (s *Subject) inNamespace(selector *object.LabelSelector) bool {
	if selector == nil || s.Request.Namespace == "" && !s.Request.IsNamespace() {
		return true
	}
	if !s.namespaceKnown {
		s.namespaceLabels, s.namespaceKnown = s.namespace().Labels(), true
	}
	return selector.Matches(s.namespaceLabels)
}

// namespace is the one whose labels count. For a namespace that is being written
// these are the new ones.
func (s *Subject) namespace() object.Object {
	if !s.Request.IsNamespace() {
		return s.Request.NamespaceObject()
	}
	writes := s.Request.Operation == admission.Create || s.Request.Operation == admission.Update
	switch {
	case writes && s.Request.Subresource == "":
		return s.Request.Object
	case s.Request.NamespaceObject() != nil:
		return s.Request.NamespaceObject()
	}
	return s.Request.OldObject
}

// isSelected says whether the object is selected, as it is or as it will be. What has
// no metadata, such as the options of CONNECT, is not.
func (s *Subject) isSelected(selector *object.LabelSelector) bool {
	if selector == nil {
		return true
	}
	if !s.objectsKnown {
		s.objectLabels, s.oldLabels, s.objectsKnown = s.Request.Object.Labels(), s.Request.OldObject.Labels(), true
	}
	return s.Request.Object.Metadata() != nil && selector.Matches(s.objectLabels) ||
		s.Request.OldObject.Metadata() != nil && selector.Matches(s.oldLabels)
}
