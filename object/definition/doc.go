// Package definition says what a CustomResourceDefinition of apiextensions.k8s.io/v1
// means, as pure functions over documents: there is no server in it, no clock and no
// goroutine.
//
// A definition passes through here as the API does it: [Decode] gives its document
// the form of the API's type, [SetDefaults] and [Prepare] set what a client need not
// or must not, [Shared.Validate] says what is wrong with it, and [Shared.Parse] makes
// a [Definition] of one that is valid. [AcceptNames] settles who has which names.
//
// The objects of a definition are the business of its [Version]: [Version.Decode]
// for what a client sends, [Version.Read] for what a store holds, [Version.Validate]
// before a write. [Definition.Check] is all of it at once: the verdict of a server on
// an object, without one.
//
// A Definition is immutable and may be used by any number of goroutines. It keeps no
// document that it was made of. Rules and patterns are compiled when first needed.
package definition
