package policy

import (
	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Names of what expressions can use.
const (
	objectName          = "object"
	oldObjectName       = "oldObject"
	requestName         = "request"
	paramsName          = "params"
	namespaceObjectName = "namespaceObject"
	variablesName       = "variables"
	authorizerName      = "authorizer"
	requestResourceName = "authorizer.requestResource"
)

// Types of the API. Objects and parameters have none: they can be of any kind.
const (
	requestTypeName   = "kubernetes.AdmissionRequest"
	namespaceTypeName = "kubernetes.Namespace"
	variablesTypeName = "kubernetes.variables"
)

var (
	textListType  = cel.ListType(cel.StringType)
	textMapType   = cel.MapType(cel.StringType, cel.StringType)
	variablesType = cel.ObjectType(variablesTypeName)
)

// apiTypes is never changed.
var apiTypes = map[string]map[string]*cel.Type{
	requestTypeName: {
		"kind": cel.ObjectType("kubernetes.GroupVersionKind"), "requestKind": cel.ObjectType("kubernetes.GroupVersionKind"),
		"resource": cel.ObjectType("kubernetes.GroupVersionResource"), "requestResource": cel.ObjectType("kubernetes.GroupVersionResource"),
		"subResource": cel.StringType, "requestSubResource": cel.StringType,
		"name": cel.StringType, "namespace": cel.StringType, "operation": cel.StringType,
		"userInfo": cel.ObjectType("kubernetes.UserInfo"), "dryRun": cel.BoolType, "options": cel.DynType,
	},
	"kubernetes.GroupVersionKind":     {"group": cel.StringType, "version": cel.StringType, "kind": cel.StringType},
	"kubernetes.GroupVersionResource": {"group": cel.StringType, "version": cel.StringType, "resource": cel.StringType},
	"kubernetes.UserInfo": {
		"username": cel.StringType, "uid": cel.StringType, "groups": textListType, "extra": cel.MapType(cel.StringType, textListType),
	},
	namespaceTypeName: {
		"metadata": cel.ObjectType("kubernetes.NamespaceMetadata"),
		"spec":     cel.ObjectType("kubernetes.NamespaceSpec"),
		"status":   cel.ObjectType("kubernetes.NamespaceStatus"),
	},
	"kubernetes.NamespaceMetadata": {
		"name": cel.StringType, "generateName": cel.StringType, "namespace": cel.StringType, "UID": cel.StringType,
		"labels": textMapType, "annotations": textMapType, "finalizers": textListType,
		"generation": cel.IntType, "resourceVersion": cel.StringType,
		"creationTimestamp": cel.TimestampType, "deletionTimestamp": cel.TimestampType, "deletionGracePeriodSeconds": cel.IntType,
	},
	"kubernetes.NamespaceSpec":   {"finalizers": textListType},
	"kubernetes.NamespaceStatus": {"phase": cel.StringType, "conditions": cel.ListType(cel.ObjectType("kubernetes.NamespaceCondition"))},
	"kubernetes.NamespaceCondition": {
		"type": cel.StringType, "status": cel.StringType, "reason": cel.StringType, "message": cel.StringType,
		"lastTransitionTime": cel.TimestampType,
	},
}

// objectTypes are the types that the expressions of one policy meet. The variables of the
// policy are fields that are added as they are compiled. It implements expr.ObjectTypes.
type objectTypes struct {
	variables map[string]*cel.Type
}

// FieldType implements expr.ObjectTypes.
func (o objectTypes) FieldType(objectType, field string) (*cel.Type, bool) {
	if objectType == variablesTypeName {
		return o.variables[field], true
	}
	fields, found := apiTypes[objectType]
	return fields[field], found
}

// variableType is what a variable with a value of this type counts as: objects of all
// types are dynamic.
func variableType(t *cel.Type) *cel.Type {
	switch t {
	case cel.AnyType, cel.BoolType, cel.BytesType, cel.DoubleType, cel.DurationType, cel.IntType, cel.NullType,
		cel.StringType, cel.TimestampType, cel.UintType:
		return t
	}
	parts := t.Parameters()
	switch {
	case t.Kind() == cel.ListKind && len(parts) == 1:
		return cel.ListType(variableType(parts[0]))
	case t.Kind() == cel.MapKind && len(parts) == 2:
		return cel.MapType(variableType(parts[0]), variableType(parts[1]))
	}
	return cel.DynType
}

// scopeOptions say what a scope has beside what all have.
type scopeOptions struct {
	params, authorizer, variables bool
	patches                       bool // the types of patches
}

func (o scopeOptions) names() []expr.Variable {
	names := []expr.Variable{
		{Name: objectName, Type: cel.DynType}, {Name: oldObjectName, Type: cel.DynType},
		{Name: requestName, Type: cel.ObjectType(requestTypeName)},
		{Name: namespaceObjectName, Type: cel.ObjectType(namespaceTypeName)},
	}
	if o.params {
		names = append(names, expr.Variable{Name: paramsName, Type: cel.DynType})
	}
	if o.authorizer {
		names = append(names, expr.Variable{Name: authorizerName, Type: expr.AuthorizerType},
			expr.Variable{Name: requestResourceName, Type: expr.ResourceCheckType})
	}
	if o.variables {
		names = append(names, expr.Variable{Name: variablesName, Type: variablesType})
	}
	return names
}
