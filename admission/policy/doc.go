// Package policy is admission by policies in CEL: ValidatingAdmissionPolicy of
// admissionregistration.k8s.io/v1, in the API's words and within its limits.
//
// A [Policy] is compiled once, from a document or from Go values, by a [Compiler]. A [Binding] puts
// one in force. An [Index] holds the policies and bindings of a cluster, finds those that a
// request can meet before it evaluates anything, and is an admission.Validator. All three
// are immutable: a cluster that changes makes a new Index of the old policies and the new one.
//
// A program with a rule of its own needs neither documents nor bindings, since a Policy is
// an admission.Validator too:
//
//	p, err := policy.New("few-replicas", "object.spec.replicas <= 5",
//		policy.For("CREATE", "UPDATE").Of("apps", "deployments"))
//
// Documents are read where they lie: no object is copied or converted to be looked at,
// and nothing of a request is kept.
//
// Policies that mutate belong beside this: what they match, bindings and conditions are here.
package policy
