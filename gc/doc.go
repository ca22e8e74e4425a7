// Package gc decides what a deletion means.
//
// Its nouns are [DeleteOptions], what the client asked for, and [Outcome], what
// is to be done: remove the object now, or store it with a mark and wait until its
// finalizers are gone. Everything here is a pure function of documents and the time;
// nothing is kept or started, and no document that is passed in is changed.
//
// A DELETE goes through [BeginDelete]. An update that leaves an object [Removable]
// removes it.
package gc
