package admission

import "github.com/seed-6c0fa0ad/plinth/object"

// Operation is what a request does to an object, in the API's word.
type Operation string

// The operations.
const (
	Create  Operation = "CREATE"
	Update  Operation = "UPDATE"
	Delete  Operation = "DELETE"
	Connect Operation = "CONNECT"
)

// Request is what somebody wants done, as mutators and validators see it. What doesn't
// apply is zero.
type Request struct {
	Operation Operation

	Resource    object.GroupVersionResource
	Subresource string
	Kind        object.GroupVersionKind // of Object and OldObject

	// What the client asked for, where it was translated to Kind and Resource. The
	// zero value says that it was not.
	RequestKind        object.GroupVersionKind
	RequestResource    object.GroupVersionResource
	RequestSubresource string

	// Name is empty for an object that gets its name later and for a deletion of many.
	// Namespace is that of the object; a namespace is in itself.
	Name, Namespace string
	// FindNamespace gives the namespace named by Namespace, or nil if there is none. It is
	// called if a stage asks, by NamespaceObject, and once only.
	FindNamespace func() object.Object

	User    object.User
	DryRun  bool
	Options object.Object // such as CreateOptions

	Object    object.Object // to be stored; nil for deletions
	OldObject object.Object // what is there; nil for creations

	// Trace, if there is one, gets an entry for each stage.
	Trace *Trace

	warnings    []string
	annotations map[string]string
	rounds      map[any]*Round
	namespace   object.Object // that FindNamespace gave
	mutated     bool
	finally     []func(happened bool)
}

// NamespaceObject is the namespace named by Namespace, if it exists. It is read-only.
func (r *Request) NamespaceObject() object.Object {
	if find := r.FindNamespace; find != nil {
		r.FindNamespace = nil
		r.namespace = find()
	}
	return r.namespace
}

// Requested gives what the client asked for.
func (r *Request) Requested() (kind object.GroupVersionKind, resource object.GroupVersionResource, subresource string) {
	if r.RequestResource == (object.GroupVersionResource{}) {
		return r.Kind, r.Resource, r.Subresource
	}
	return r.RequestKind, r.RequestResource, r.RequestSubresource
}

// Mutated says whether the last [Chain.Mutate] may have changed the object.
func (r *Request) Mutated() bool { return r.mutated }

// IsNamespace says whether the request is about a namespace, or a part of one.
func (r *Request) IsNamespace() bool {
	return r.Resource.Group == "" && r.Resource.Resource == "namespaces"
}

// Annotate records a fact for the audit log. The first value of a key stays.
func (r *Request) Annotate(key, value string) {
	if _, ok := r.annotations[key]; ok {
		return
	}
	if r.annotations == nil {
		r.annotations = map[string]string{}
	}
	r.annotations[key] = value
}

// Annotations are the facts for the audit log. The map belongs to the request.
func (r *Request) Annotations() map[string]string { return r.annotations }

// Finally has a function called once it is known whether the request came to pass. It is for
// validators that charge for what they let pass: others may refuse it after them, and it
// may fail in the end.
func (r *Request) Finally(f func(happened bool)) { r.finally = append(r.finally, f) }

// Finish tells those who asked by Finally. Whoever runs the validators calls it after each time,
// when it is known what came of it.
func (r *Request) Finish(happened bool) {
	fs := r.finally
	r.finally = nil
	for _, f := range fs {
		f(happened)
	}
}
