package policy

import (
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/seed-6c0fa0ad/plinth/admission"
)

// requestValue is the value of "request": what a webhook would get, without the objects.
// A field is made when it is asked for. It implements traits.Mapper.
type requestValue activation

// requestFields are the names of all fields, in order.
var requestFields = [...]string{"dryRun", "kind", "name", "namespace", "object", "oldObject", "operation", "options",
	"requestKind", "requestResource", "requestSubResource", "resource", "subResource", "uid", "userInfo"}

// field gives the value of a field; ok is false for one that is left out because it is empty.
func (r *requestValue) field(name string) (value any, ok bool) {
	req := r.run.subject.Request
	switch name {
	case "kind":
		return admission.KindDocument(r.form.Kind), true
	case "resource":
		return admission.ResourceDocument(r.form.Resource), true
	case "subResource":
		return req.Subresource, req.Subresource != ""
	case "name":
		return req.Name, req.Name != ""
	case "namespace":
		return req.Namespace, req.Namespace != ""
	case "operation":
		return string(req.Operation), true
	case "userInfo":
		return r.run.user(), true
	case "dryRun":
		return req.DryRun, true
	case "options":
		if req.Options == nil {
			return nil, true
		}
		return map[string]any(req.Options), true
	case "uid":
		return "", true
	case "object", "oldObject":
		return nil, true
	}
	return r.requested(name)
}

// requested gives the fields about what the client asked for.
func (r *requestValue) requested(name string) (value any, ok bool) {
	kind, resource, subresource := r.run.subject.Request.Requested()
	switch name {
	case "requestKind":
		return admission.KindDocument(kind), true
	case "requestResource":
		return admission.ResourceDocument(resource), true
	case "requestSubResource":
		return subresource, subresource != ""
	}
	return nil, false
}

// user gives the document of who asks, which all policies share.
func (r *run) user() map[string]any {
	if r.userDocument == nil {
		r.userDocument = admission.UserDocument(r.subject.Request.User)
	}
	return r.userDocument
}

// whole gives the request with all fields, for those who want more than one of them.
func (r *requestValue) whole() *mapping {
	m := map[string]any{}
	for _, name := range requestFields {
		if value, ok := r.field(name); ok {
			m[name] = value
		}
	}
	return &mapping{m}
}

// Find implements traits.Mapper.
func (r *requestValue) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	value, ok := r.field(string(name))
	if !ok {
		return nil, false
	}
	return valueOf(value), true
}

// Get implements traits.Indexer.
func (r *requestValue) Get(key ref.Val) ref.Val {
	if v, ok := r.Find(key); ok {
		return v
	}
	return r.whole().Get(key)
}

// Contains implements traits.Container.
func (r *requestValue) Contains(key ref.Val) ref.Val { return r.whole().Contains(key) }

// Size implements traits.Sizer.
func (r *requestValue) Size() ref.Val { return r.whole().Size() }

// Iterator implements traits.Iterable.
func (r *requestValue) Iterator() traits.Iterator { return r.whole().Iterator() }

// ConvertToNative implements ref.Val.
func (r *requestValue) ConvertToNative(t reflect.Type) (any, error) {
	return r.whole().ConvertToNative(t)
}

// ConvertToType implements ref.Val.
func (r *requestValue) ConvertToType(t ref.Type) ref.Val { return r.whole().ConvertToType(t) }

// Equal implements ref.Val.
func (r *requestValue) Equal(other ref.Val) ref.Val {
	if o, ok := other.(*requestValue); ok {
		other = o.whole()
	}
	return r.whole().Equal(other)
}

// Type implements ref.Val.
func (r *requestValue) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (r *requestValue) Value() any { return r.whole().Value() }
