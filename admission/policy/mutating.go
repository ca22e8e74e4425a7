package policy

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"github.com/seed-6c0fa0ad/plinth/admission/match"
	"github.com/seed-6c0fa0ad/plinth/object"
	"github.com/seed-6c0fa0ad/plinth/object/schema/rules/expr"
)

// MutatingSpec is the spec of a MutatingAdmissionPolicy. What is left out has the API's
// default, where it has one.
type MutatingSpec struct {
	FailurePolicy      string           `json:"failurePolicy,omitempty"`      // Fail (the default) or Ignore
	ReinvocationPolicy string           `json:"reinvocationPolicy,omitempty"` // Never or IfNeeded
	ParamKind          *ParamKind       `json:"paramKind,omitempty"`
	MatchConstraints   *match.Resources `json:"matchConstraints,omitempty"`
	MatchConditions    []MatchCondition `json:"matchConditions,omitempty"`
	Variables          []Variable       `json:"variables,omitempty"`
	Mutations          []Mutation       `json:"mutations,omitempty"`
}

// Mutation is one change to an object. It has what its type says.
type Mutation struct {
	PatchType          string      `json:"patchType,omitempty"` // ApplyConfiguration or JSONPatch
	ApplyConfiguration *Expression `json:"applyConfiguration,omitempty"`
	JSONPatch          *Expression `json:"jsonPatch,omitempty"`
}

// Expression is one that gives a patch.
type Expression struct {
	Expression string `json:"expression,omitempty"`
}

// Words of the API.
const (
	never, ifNeeded              = "Never", "IfNeeded"
	byConfiguration, byJSONPatch = "ApplyConfiguration", "JSONPatch"
)

// MutatingPolicy is a policy that changes objects, ready to be evaluated, by any number of
// goroutines. It is put in force by a binding in a [MutatingIndex].
type MutatingPolicy struct{ policy Policy }

// mutation is a [Mutation] that is ready to run.
type mutation struct {
	expression
	applies bool // gives a configuration, not a JSON Patch
}

// Name is that of the policy's document.
func (p *MutatingPolicy) Name() string { return p.policy.name }

// CompileMutating compiles a MutatingAdmissionPolicy, as [Compiler.Compile] does the other kind.
func (c *Compiler) CompileMutating(document object.Object) (*MutatingPolicy, object.FieldErrors) {
	name, spec, err := decode[MutatingSpec](document)
	if err != nil {
		return nil, object.FieldErrors{err}
	}
	return c.CompileMutatingSpec(name, spec)
}

// CompileMutatingSpec compiles a policy of a program. It keeps parts of the spec, which must
// not change any more.
func (c *Compiler) CompileMutatingSpec(name string, spec MutatingSpec) (*MutatingPolicy, object.FieldErrors) {
	compiled := &MutatingPolicy{}
	w := newWork(c.language(), &compiled.policy, scopeOptions{params: spec.ParamKind != nil, variables: true})
	w.policy.name, w.policy.reinvocable = name, spec.ReinvocationPolicy == ifNeeded
	w.head(spec.FailurePolicy, spec.ParamKind, spec.MatchConstraints)
	w.add(checkMutable("spec.matchConstraints", spec.MatchConstraints)...)
	w.conditions("spec.matchConditions", spec.MatchConditions)
	w.variables(spec.Variables)
	if len(spec.Mutations) == 0 {
		w.add(object.RequiredField("spec.mutations", "mutations must contain at least one item"))
	}
	for i := range spec.Mutations {
		w.mutation(fmt.Sprintf("spec.mutations[%d]", i), &spec.Mutations[i])
	}
	switch spec.ReinvocationPolicy {
	case never, ifNeeded:
	case "":
		w.add(object.RequiredField("spec.reinvocationPolicy", ""))
	default:
		w.add(object.UnsupportedField("spec.reinvocationPolicy", spec.ReinvocationPolicy, ifNeeded, never))
	}
	if len(w.errs) > 0 {
		return nil, w.errs
	}
	return compiled, nil
}

// checkMutable refuses rules about requests that have no object to change.
func checkMutable(field string, resources *match.Resources) object.FieldErrors {
	if resources == nil {
		return nil
	}
	var errs object.FieldErrors
	for i := range resources.ResourceRules {
		for _, operation := range resources.ResourceRules[i].Operations {
			switch operation {
			case "*", "CONNECT", "CREATE", "UPDATE":
			default:
				errs = append(errs, object.UnsupportedField(field+".resourceRules.operations", operation, "*", "CONNECT", "CREATE", "UPDATE"))
			}
		}
	}
	return errs
}

func (w *work) mutation(field string, m *Mutation) {
	const (
		required  = "must be specified when patchType is "
		forbidden = "must not be specified when patchType is "
	)
	configuration, patch := field+".applyConfiguration", field+".jsonPatch"
	switch m.PatchType {
	case "":
		w.add(object.RequiredField(field+".patchType", ""))
	case byJSONPatch:
		if m.JSONPatch == nil {
			w.add(object.RequiredField(patch, required+byJSONPatch))
		} else {
			w.patch(patch+".expression", m.JSONPatch.Expression, false)
		}
		if m.ApplyConfiguration != nil {
			w.add(object.InvalidField(configuration, "{applyConfiguration}", forbidden+byJSONPatch))
		}
	case byConfiguration:
		if m.ApplyConfiguration == nil {
			w.add(object.RequiredField(configuration, required+byConfiguration))
		} else {
			w.patch(configuration+".expression", m.ApplyConfiguration.Expression, true)
		}
		if m.JSONPatch != nil {
			w.add(object.InvalidField(patch, "{jsonPatch}", forbidden+byConfiguration))
		}
	default:
		w.add(object.UnsupportedField(field+".patchType", m.PatchType, byConfiguration, byJSONPatch))
	}
}

// patch compiles an expression that gives a patch.
func (w *work) patch(field, text string, applies bool) {
	if strings.TrimSpace(text) == "" {
		w.add(object.RequiredField(field, ""))
		return
	}
	options := w.with(true)
	options.patches = true
	wanted := cel.ListType(expr.JSONPatchType)
	if applies {
		wanted = expr.ObjectType
	}
	w.policy.mutations = append(w.policy.mutations, mutation{w.trimmed(field, text, options, wanted), applies})
}
