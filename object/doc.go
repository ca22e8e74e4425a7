// Package object is the vocabulary of the Kubernetes API: documents and their
// metadata, names of kinds and resources, selectors, errors and events.
//
// Its three nouns are [Object], the document itself as a map with methods;
// [Encoded], the same document as it is stored, from which an answer is copied
// without parsing; and [StatusError], the error that travels on the wire.
//
// Objects are shared and read-only unless their documentation says otherwise:
// whoever wants to change one that it did not make works on a [Object.DeepCopy].
// Setters change the document they are called on.
//
// The package imports nothing of this module and starts no goroutine.
package object
