// Package policy is admission by policies in CEL: ValidatingAdmissionPolicy and
// MutatingAdmissionPolicy of admissionregistration.k8s.io/v1, in the API's words and within its limits.
//
// A [Policy] is compiled once, from a document or from Go values, by a [Compiler]. A [Binding] puts
// one in force. An [Index] holds the policies and bindings of a cluster, finds those that a
// request can meet before it evaluates anything, and is an admission.Validator. A [MutatingPolicy] and
// a [MutatingIndex], which is an admission.Reinvoker, are the same for policies that change
// objects; what a patch makes of an object is for a [Patcher] to say. All of these
// are immutable: a cluster that changes makes a new index of the old policies and the new one.
//
// Who stores policies compiles what is written, for its faults, and makes policies of what is
// stored by [Compiler.Stored], which compiles when it has to and drops nothing that is broken.
//
// A program with a rule of its own needs neither documents nor bindings, since a Policy is
// an admission.Validator too:
//
//	p, err := policy.New("few-replicas", "object.spec.replicas <= 5",
//		match.For("CREATE", "UPDATE").Of("apps", "deployments"))
//
// Documents are read where they lie: no object is copied or converted to be looked at,
// and nothing of a request is kept.
package policy
