// Package admission decides whether a request may come to pass, and in which form.
//
// A [Request] says what somebody wants done. A [Mutator] may change the object in it,
// a [Validator] may refuse it; both are functions as well as they are values with state.
// A [Chain] runs mutators, then validators, in order over one Request.
//
//	chain := admission.Chain{
//		Mutators:   []admission.Mutator{admission.MutatorFunc(addLabels)},
//		Validators: []admission.Validator{policies},
//	}
//
// The Request and what is in it belong to the caller. Mutators change req.Object in
// place or put another in its place; validators change nothing; nobody keeps any of it after
// returning. A Request is for one goroutine; a Chain and what is in it are for any number.
//
// Nothing here knows HTTP, a store, or where policies come from. CEL policies are in
// the package policy below this one. Policies that mutate and webhooks are Mutators and
// Validators of the same form.
package admission
