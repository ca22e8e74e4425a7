package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/seed-6c0fa0ad/plinth/admission"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// NamespaceReader reads namespaces.
type NamespaceReader interface {
	// Namespace gives a namespace as it is now, read-only, or [object.ErrNotFound].
	Namespace(ctx context.Context, name string) (object.Object, error)
}

// Namespaces is the stage that keeps to the life of namespaces. It is a mutator, although
// it changes nothing, so that it can refuse before anything else is done.
type Namespaces struct {
	Reader NamespaceReader

	// Immortal are those that cannot be deleted; default, kube-system and kube-public, if it
	// is nil.
	Immortal []string
}

var immortal = []string{"default", "kube-system", "kube-public"}

// Name is that of the stage in traces.
func (n Namespaces) Name() string { return "NamespaceLifecycle" }

// Mutate refuses what must not happen to, or in, a namespace.
func (n Namespaces) Mutate(ctx context.Context, req *admission.Request) error {
	switch {
	case req.IsNamespace():
		return n.checkDeletion(req)
	case req.Operation != admission.Create || req.Namespace == "" || isAccessReview(req):
		return nil
	}
	namespace, err := n.Reader.Namespace(ctx, req.Namespace)
	switch {
	case object.IsNotFound(err):
		return object.NotFound(object.GroupResource{Resource: "namespaces"}, req.Namespace)
	case err != nil:
		return object.InternalError(fmt.Errorf("reading namespace %s: %w", req.Namespace, err))
	case isTerminating(namespace):
		return terminating(req)
	}
	return nil
}

func (n Namespaces) checkDeletion(req *admission.Request) error {
	stay := n.Immortal
	if stay == nil {
		stay = immortal
	}
	if req.Operation == admission.Delete && req.Subresource == "" && slices.Contains(stay, req.Name) {
		return object.Forbidden(req.Resource.GroupResource(), req.Name, errors.New("this namespace may not be deleted"))
	}
	return nil
}

func isTerminating(namespace object.Object) bool {
	phase, _ := namespace.Field("status", "phase")
	return phase == "Terminating" || !namespace.DeletionTimestamp().IsZero()
}

func terminating(req *admission.Request) error {
	refused := req.Forbidden(fmt.Errorf("unable to create new content in namespace %s because it is being terminated", req.Namespace))
	refused.Status.Details.Causes = []object.Cause{{
		Reason:  "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", req.Namespace),
		Field:   "metadata.namespace",
	}}
	return refused
}

// isAccessReview says whether somebody only asks what is allowed. The answer must not
// tell whether the namespace is there.
func isAccessReview(req *admission.Request) bool {
	return req.Resource.GroupResource() == object.GroupResource{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"}
}
