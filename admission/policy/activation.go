package policy

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
)

// activation gives expressions the values of their names, as they ask. Documents are
// given as they are. It implements cel.Activation.
type activation struct {
	run    *run
	policy *Policy
	form   match.Form // what the policy matched

	object, oldObject, params object.Object
	inConditions              bool // where namespaceObject is null

	value     *mapping // of the object, once somebody asked for it
	variables variableValues
}

// setObject puts an object in the place of the one that expressions saw until now.
func (a *activation) setObject(o object.Object) {
	a.object, a.value = o, nil
	a.variables = variableValues{activation: a}
}

// ResolveName implements cel.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case objectName:
		return a.objectValue(), true
	case oldObjectName:
		return orNull(a.oldObject), true
	case paramsName:
		return orNull(a.params), true
	case namespaceObjectName:
		return orNull(a.namespace()), true
	case requestName:
		return (*requestValue)(a), true
	case variablesName:
		return &a.variables, true
	case authorizerName:
		return a.run.authorizer(), true
	case requestResourceName:
		return a.run.requestResource(), true
	}
	return nil, false
}

func (a *activation) objectValue() ref.Val {
	if a.object == nil {
		return types.NullValue
	}
	if a.value == nil {
		a.value = &mapping{a.object}
	}
	return a.value
}

// Parent implements cel.Activation.
func (a *activation) Parent() cel.Activation { return nil }

// namespace is null for conditions, for objects of the cluster and for namespaces.
func (a *activation) namespace() object.Object {
	req := a.run.subject.Request
	if a.inConditions || req.Namespace == "" || a.form.Kind.Group == "" && a.form.Kind.Kind == "Namespace" {
		return nil
	}
	return a.run.namespace()
}

// namespace gives what expressions may know of the namespace, to all policies.
func (r *run) namespace() object.Object {
	o := r.subject.Request.NamespaceObject()
	if r.namespaceDocument == nil && o != nil {
		metadata := map[string]any{}
		for _, field := range namespaceMetadata {
			if value, ok := o.Metadata()[field]; ok {
				metadata[field] = value
			}
		}
		r.namespaceDocument = map[string]any{"metadata": metadata, "spec": orEmpty(o["spec"]), "status": orEmpty(o["status"])}
	}
	return r.namespaceDocument
}

// namespaceMetadata are the fields of the metadata that expressions know.
var namespaceMetadata = [...]string{"name", "generateName", "namespace", "uid", "resourceVersion", "generation",
	"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "finalizers"}

func orEmpty(v any) any {
	if v == nil {
		return map[string]any{}
	}
	return v
}

func orNull(o object.Object) ref.Val {
	if o == nil {
		return types.NullValue
	}
	return &mapping{o}
}
