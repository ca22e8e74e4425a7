package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// Kinds knows the kinds that are served.
type Kinds interface {
	// KindOf gives the kind of a resource, and false if there is none.
	KindOf(resource object.GroupVersionResource) (object.GroupVersionKind, bool)
	// SchemaOf gives the schema of a kind, or nil if there is none.
	SchemaOf(kind object.GroupVersionKind) *schema.Schema
}

// maxKinds is for how many kinds of one rule a policy is checked. No rule behind that is looked at.
const maxKinds = 10

// Status is what the status of a ValidatingAdmissionPolicy says of its types.
type Status struct {
	ObservedGeneration int64         `json:"observedGeneration,omitempty"`
	TypeChecking       *TypeChecking `json:"typeChecking,omitempty"`
}

// TypeChecking is what was found when the types of a policy were checked.
type TypeChecking struct {
	ExpressionWarnings []ExpressionWarning `json:"expressionWarnings,omitempty"`
}

// ExpressionWarning says what is wrong with an expression, for which kinds.
type ExpressionWarning struct {
	FieldRef string `json:"fieldRef"`
	Warning  string `json:"warning"`
}

// CheckTypes checks the validations of a ValidatingAdmissionPolicy, and their messages, against the
// schemas of the kinds that the policy names, where [Compiler.Compile] takes objects of all kinds.
// Rules with wildcards name none. What it finds keeps no policy from being in force: an object may have
// what its schema doesn't tell.
func (c *Compiler) CheckTypes(document object.Object, kinds Kinds) Status {
	status := Status{ObservedGeneration: document.Generation(), TypeChecking: &TypeChecking{}}
	_, spec, err := decode[Spec](document)
	if err != nil {
		return status
	}
	var typed []typedWork
	for _, kind := range kindsToCheck(spec.MatchConstraints, kinds) {
		if s := kinds.SchemaOf(kind); s != nil {
			typed = append(typed, c.typedWork(&spec, kind, s, kinds))
		}
	}
	check := func(field, expression string) {
		if warning := checkTypes(typed, expression); warning != "" {
			status.TypeChecking.ExpressionWarnings = append(status.TypeChecking.ExpressionWarnings, ExpressionWarning{field, warning})
		}
	}
	for i, v := range spec.Validations {
		field := fmt.Sprintf("spec.validations[%d].", i)
		check(field+"expression", v.Expression)
		if v.MessageExpression != "" {
			check(field+"messageExpression", v.MessageExpression)
		}
	}
	return status
}

// checkTypes gives what is wrong with an expression, a paragraph for each kind.
func checkTypes(typed []typedWork, expression string) string {
	var paragraphs []string
	for i := range typed {
		if err := typed[i].check(expression); err != nil {
			paragraphs = append(paragraphs, fmt.Sprintf("%v: %v\n", typed[i].kind, err))
		}
	}
	return strings.Join(paragraphs, "\n")
}

// typedWork is a policy whose types are checked for objects of one kind.
type typedWork struct {
	*work
	kind  object.GroupVersionKind
	scope *expr.Scope
	err   error // why there is no scope
}

// typedWork checks the variables of a policy: one that is wrong is dynamic.
func (c *Compiler) typedWork(spec *Spec, kind object.GroupVersionKind, s *schema.Schema, kinds Kinds) typedWork {
	options := scopeOptions{params: spec.ParamKind != nil, authorizer: true, variables: true}
	w := typedWork{work: newWork(c.language(), &Policy{}, options), kind: kind}
	declared := typedObjects{objectTypes: w.types, names: options.names()}
	declared.declare(s, kind.Kind, objectName, oldObjectName)
	if params, err := spec.ParamKind.groupVersionKind(); err == nil && spec.ParamKind != nil {
		declared.declare(kinds.SchemaOf(params), paramsName+"."+params.Kind, paramsName)
	}
	if w.scope, w.err = w.language.Scope(declared, declared.names...); w.err != nil {
		return w
	}
	for _, v := range spec.Variables {
		w.types.variables[v.Name] = cel.DynType
		if checked, err := w.language.Check(w.scope, v.Expression); err == nil {
			w.types.variables[v.Name] = variableType(checked.Type())
		}
	}
	return w
}

func (w *typedWork) check(expression string) error {
	if w.err != nil {
		return fmt.Errorf("type checking error: %w", w.err)
	}
	_, err := w.language.Check(w.scope, expression)
	return err
}

// typedObjects are the types of a policy with those of the objects that it meets. It
// implements expr.ObjectTypes.
type typedObjects struct {
	objectTypes
	names  []expr.Variable
	others []expr.ObjectTypes
}

// declare gives variables the type of a schema, if there is one.
func (o *typedObjects) declare(s *schema.Schema, typeName string, variables ...string) {
	if s == nil {
		return
	}
	t, types := rules.ResourceTypes(s, typeName)
	if t == nil {
		return
	}
	o.others = append(o.others, types)
	for i := range o.names {
		if slices.Contains(variables, o.names[i].Name) {
			o.names[i].Type = t
		}
	}
}

// FieldType implements expr.ObjectTypes.
func (o typedObjects) FieldType(objectType, field string) (*cel.Type, bool) {
	if t, found := o.objectTypes.FieldType(objectType, field); found {
		return t, true
	}
	for _, types := range o.others {
		if t, found := types.FieldType(objectType, field); found {
			return t, true
		}
	}
	return nil, false
}

// kindsToCheck gives the kinds that rules name without wildcards, in order.
func kindsToCheck(constraints *match.Resources, served Kinds) []object.GroupVersionKind {
	if constraints == nil {
		return nil
	}
	found := map[object.GroupVersionKind]bool{}
	for i := range constraints.ResourceRules {
		if addKinds(found, &constraints.ResourceRules[i], served) == maxKinds {
			break
		}
	}
	kinds := make([]object.GroupVersionKind, 0, len(found))
	for kind := range found {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(a, b object.GroupVersionKind) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Kind, b.Kind))
	})
	return kinds
}

// addKinds adds the kinds that a rule names, as long as there are not too many, and
// says how many these are.
func addKinds(found map[object.GroupVersionKind]bool, r *match.Rule, served Kinds) int {
	isPattern := func(word string) bool { return strings.Contains(word, "*") }
	if slices.ContainsFunc(r.APIGroups, isPattern) || slices.ContainsFunc(r.APIVersions, isPattern) {
		return 0
	}
	count := 0
	for _, group := range slices.Sorted(slices.Values(r.APIGroups)) {
		for _, version := range slices.Sorted(slices.Values(r.APIVersions)) {
			for _, resource := range slices.Sorted(slices.Values(r.Resources)) {
				if strings.ContainsAny(resource, "*/") {
					continue
				}
				kind, ok := served.KindOf(object.GroupVersionResource{Group: group, Version: version, Resource: resource})
				if !ok {
					continue
				}
				found[kind] = true
				if count++; count == maxKinds {
					return count
				}
			}
		}
	}
	return count
}
