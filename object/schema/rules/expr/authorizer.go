package expr

import (
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/seed-6c0fa0ad/plinth/object"
)

// Authorizer decides about a check that an expression makes. A reason is for the user.
type Authorizer func(AccessCheck) (allowed bool, reason string, err error)

// AccessCheck is what an expression asks an [Authorizer]: whether a user may do
// something with a resource or, if Path is set, with a path.
type AccessCheck struct {
	User                                          object.User
	Verb                                          string
	Path                                          string
	Group, Resource, Subresource, Namespace, Name string
	FieldSelector, LabelSelector                  string // not parsed yet; empty for none
}

// access is a check in the making, with the one who decides.
type access struct {
	authorizer Authorizer
	check      AccessCheck
}

// decision is an answer.
type decision struct {
	allowed bool
	reason  string
	err     error
}

// AuthorizerType is that of the variable "authorizer", ResourceCheckType that of
// "authorizer.requestResource".
var (
	AuthorizerType    = cel.ObjectType("kubernetes.authorization.Authorizer")
	ResourceCheckType = cel.ObjectType("kubernetes.authorization.ResourceCheck")

	pathCheckType  = cel.ObjectType("kubernetes.authorization.PathCheck")
	groupCheckType = cel.ObjectType("kubernetes.authorization.GroupCheck")
	decisionType   = cel.ObjectType("kubernetes.authorization.Decision")
)

// The steps of a check. They cannot be compared.
var (
	authorizerKind    = &kind[access]{celType: AuthorizerType}
	pathCheckKind     = &kind[access]{celType: pathCheckType}
	groupCheckKind    = &kind[access]{celType: groupCheckType}
	resourceCheckKind = &kind[access]{celType: ResourceCheckType}
	decisionKind      = &kind[decision]{celType: decisionType}
)

// AuthorizerFor gives the value of [AuthorizerType] that asks about a user.
func AuthorizerFor(user object.User, authorizer Authorizer) ref.Val {
	return authorizerKind.val(access{authorizer, AccessCheck{User: user}})
}

// ResourceCheckFor gives the value of [ResourceCheckType] that lacks nothing but the verb.
func ResourceCheckFor(check AccessCheck, authorizer Authorizer) ref.Val {
	return resourceCheckKind.val(access{authorizer, check})
}

// authorization are the functions that ask an [Authorizer].
func authorization() []function {
	with := func(name, id string, from *cel.Type, to *kind[access], set func(*AccessCheck, string)) function {
		return fn(name, cel.MemberOverload(id, args(from, cel.StringType), to.celType,
			binary(unwrap, text, func(a access, s string) ref.Val { set(&a.check, s); return to.val(a) })))
	}
	ask := func(id string, from *cel.Type) cel.FunctionOpt {
		return cel.MemberOverload(id, args(from, cel.StringType), decisionType, binary(unwrap, text, access.decide))
	}
	get := func(name, id string, result *cel.Type, value func(decision) ref.Val) function {
		return fn(name, cel.MemberOverload(id, args(decisionType), result, unary(unwrap, value)))
	}
	return []function{
		fn("path", cel.MemberOverload("authorizer_path", args(AuthorizerType, cel.StringType), pathCheckType, binary(unwrap, text, access.path))),
		fn("serviceAccount", cel.MemberOverload("authorizer_serviceaccount", args(AuthorizerType, cel.StringType, cel.StringType), AuthorizerType,
			cel.FunctionBinding(serviceAccount))),
		with("group", "authorizer_group", AuthorizerType, groupCheckKind, func(c *AccessCheck, s string) { c.Group = s }),
		fn("resource", cel.MemberOverload("groupcheck_resource", args(groupCheckType, cel.StringType), ResourceCheckType,
			binary(unwrap, text, access.resource))),
		with("subresource", "resourcecheck_subresource", ResourceCheckType, resourceCheckKind, func(c *AccessCheck, s string) { c.Subresource = s }),
		with("namespace", "resourcecheck_namespace", ResourceCheckType, resourceCheckKind, func(c *AccessCheck, s string) { c.Namespace = s }),
		with("name", "resourcecheck_name", ResourceCheckType, resourceCheckKind, func(c *AccessCheck, s string) { c.Name = s }),
		with("fieldSelector", "authorizer_fieldselector", ResourceCheckType, resourceCheckKind, func(c *AccessCheck, s string) { c.FieldSelector = s }),
		with("labelSelector", "authorizer_labelselector", ResourceCheckType, resourceCheckKind, func(c *AccessCheck, s string) { c.LabelSelector = s }),
		fn("check", ask("pathcheck_check", pathCheckType), ask("resourcecheck_check", ResourceCheckType)),
		get("allowed", "decision_allowed", cel.BoolType, func(d decision) ref.Val { return types.Bool(d.allowed) }),
		get("reason", "decision_reason", cel.StringType, func(d decision) ref.Val { return types.String(d.reason) }),
		get("errored", "decision_errored", cel.BoolType, func(d decision) ref.Val { return types.Bool(d.err != nil) }),
		get("error", "decision_error", cel.StringType, decision.errorText),
	}
}

func (a access) path(path string) ref.Val {
	if strings.TrimSpace(path) == "" {
		return types.NewErr("path must not be empty")
	}
	a.check.Path = path
	return pathCheckKind.val(a)
}

func (a access) resource(resource string) ref.Val {
	if strings.TrimSpace(resource) == "" {
		return types.NewErr("resource must not be empty")
	}
	a.check.Resource = resource
	return resourceCheckKind.val(a)
}

func (a access) decide(verb string) ref.Val {
	a.check.Verb = verb
	allowed, reason, err := a.authorizer(a.check)
	return decisionKind.val(decision{allowed, reason, err})
}

func (d decision) errorText() ref.Val {
	if d.err == nil {
		return types.String("")
	}
	return types.String(d.err.Error())
}

// serviceAccount makes the checks that follow ask about a service account.
func serviceAccount(values ...ref.Val) ref.Val {
	a, ok := unwrap[access](values[0])
	if !ok {
		return types.MaybeNoSuchOverloadErr(values[0])
	}
	namespace, ok := text(values[1])
	if !ok {
		return types.MaybeNoSuchOverloadErr(values[1])
	}
	name, ok := text(values[2])
	switch {
	case !ok:
		return types.MaybeNoSuchOverloadErr(values[2])
	case object.ValidateSubdomainName(name, false) != nil:
		return types.NewErr("Invalid service account name")
	case object.ValidateLabelName(namespace, false) != nil:
		return types.NewErr("Invalid service account namespace")
	}
	a.check.User = object.User{
		Name:   "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace},
	}
	return authorizerKind.val(a)
}
