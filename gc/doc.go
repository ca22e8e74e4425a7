// Package gc decides what a deletion means.
//
// Its nouns are [DeleteOptions], what the client asked for, and [Outcome], what
// is to be done: remove the object now, or store it with a mark and wait until its
// finalizers are gone. Everything here is a pure function of documents and the time;
// nothing is kept or started, and no document that is passed in is changed unless a
// function says so.
//
// A DELETE goes through [BeginDelete]. Every update of an object goes through
// [KeepMarks] and [ValidateMarks]; one that leaves it [Removable] removes it.
package gc
